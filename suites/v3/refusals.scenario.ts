import {
  contains,
  coversAtDepth,
  describe,
  describeShape,
  type Exchange,
  expect,
  finalResponse,
  inputRows,
  inputText,
  isDeclined,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { secondCaller } from '../support/credentials.ts'
import { claimTurnKept } from '../support/history.ts'
import {
  bothToolLists,
  type Condition,
  each,
  expectAllRefused,
  inObject,
  noIdempotencyKey,
  ofAnotherType,
  otherModels,
  refusalCost,
} from '../support/mistakes.ts'
import { withReasoning } from '../support/test-data.ts'

/** Section 4.3: a request with a field of another type is refused, whatever else it has; the status is open. */
describe('v3: refusals', () => {
  const generationMistakes = [
    ...bothToolLists('V3-TOOLS-01'),
    noIdempotencyKey('V3-IDEM-01'),
    ...ofAnotherType(
      'V3-GEN-17',
      ['chat_id', inObject],
      ['model_id', { id: 'model' }, 7],
      ['input', { text: 'Name a color.' }, 7, [7]],
      ['think', 'true', 1],
      ['include_tools', { tool: 'get_time' }, 'get_time'],
      ['exclude_tools', { tool: 'get_time' }, 'get_time'],
      ['include_tools', [7]],
      ['exclude_tools', [7]],
      ['max_tokens', '7', true],
      ['temperature', { degrees: 1 }, '1'],
      ['top_p', { share: 1 }, '1'],
      ['presence_penalty', { amount: 1 }, '1'],
      ['assistant_id', { id: 'assistant' }, 7],
      ['parent_id', { id: 'run' }, 7],
      ['rag', 7, ['agent']],
      ['stream', { on: false }, 'false'],
    ),
  ]

  test(
    'a generation with a mistake MUST be refused, and SHOULD NOT leave a step in the history',
    coversAtDepth(
      [
        ...(['V3-GEN-17', 'V3-GEN-13', 'V3-GEN-14'] as const),
        ...(['V3-TOOLS-01', 'V3-IDEM-01', 'V3-HIST-07'] as const),
      ],
      (rows, depth) => ({
        requests:
          refusalCost(generationMistakes.length, 2)(rows, depth) + (depth === 'quick' ? 15 : 25),
        generations: 2,
        chats: 4,
      }),
    ),
    async ({ v3, chats, claim, depth, session, profile, prompts, scenario }) => {
      const chat = await v3.createChat()
      const bodyOf = (nonce: string, of = chat) => v3.generateBody(of, prompts.brief(nonce))
      const nonces = new Map<Exchange, string>()
      const areKept: (() => ReturnType<typeof claimTurnKept>)[] = []
      const forms: Record<string, Condition & { readonly control: Exchange }> = {}
      const think = withReasoning(profile)
      const streamed = think.think ? 'stream, with think' : 'stream'
      // They differ in every dimension, to detect behavior that occurs in only one of them.
      const members = { '': { stream: false }, [streamed]: { stream: true, ...think } }
      for (const [name, form] of Object.entries(members)) {
        const nonce = session.nonce()
        // The first mistake is the second turn of its chat.
        const place = areKept.length === 0 ? chat : await v3.createChat()
        const turn = { ...bodyOf(nonce, place), ...form }
        const control = await v3.generate(turn, { role: 'control' })
        areKept.push(() => claimTurnKept(scenario, place, nonce, control))
        forms[name] = { members: form, control }
      }
      const [first] = Object.values(forms)
      const assistant = profile.assistants?.withoutKnowledge
      // A second caller has its own chat.
      const caller = secondCaller(profile)
      const made = caller && (await v3.postChat(session.name(), {}, { role: 'probe', ...caller }))
      const chat_id = made && v3.newChatId(made)
      if (chat_id) v3.deleteOnCleanup(chat_id, caller)
      const refused = await expectAllRefused(scenario, {
        mistakes: generationMistakes,
        forms,
        conditions: {
          model: otherModels(profile, 'model_id'),
          rag: {
            true: { rag: true, assistant_id: assistant },
            ...each('rag', false, 'agent'),
            object: { rag: profile.rag?.object ?? {}, assistant_id: assistant },
          },
          think: each('think', true, false),
          max_tokens: each('max_tokens', 24),
          form: { stream: { stream: true } },
          input: { items: { input: [inputText(prompts.brief())] } },
          parent: { given: { parent_id: first && finalResponse(first.control)?.['id'] } },
        },
        caller: chat_id ? { ...caller, members: { chat_id } } : undefined,
        async send(edit, options) {
          const nonce = session.nonce()
          const answer = await v3.generate(edit(bodyOf(nonce)), options)
          nonces.set(answer, nonce)
          return answer
        },
        ping: () => v3.ping(chat),
        noServerError: 'V3-GEN-13',
      })
      const { rows, pages } = await v3.historyAfterPause(chat)
      const list = depth === 'quick' ? undefined : await chats.readList({ limit: 100 }, 1000)
      for (const [{ what }, answer] of refused.filter(([, one]) => isDeclined(one))) {
        const nonce = nonces.get(answer) ?? ''
        const steps = inputRows(rows, nonce)
        const none = () => expect(steps, `steps of a request with ${what}`).toEqual([])
        claim('V3-GEN-14', none, answer, ...pages)
        const left = () => expect(nonce, `name of a chat after a request with ${what}`).toBe('')
        if (list && contains(list.body, nonce)) claim('V3-GEN-14', left, answer, ...list.pages)
      }
      for (const claimKept of areKept) await claimKept()
      for (const [{ what, requirement }, answer] of refused) {
        const status = answer.response?.status
        if (requirement === 'V3-IDEM-01') session.observe('OPEN-20', String(status), [answer])
        else if (requirement === 'V3-TOOLS-01') {
          session.observe('OPEN-21', `${status} ${describeShape(answer)}`, [answer])
          session.observe('OPEN-39', describeShape(answer), [answer])
        } else {
          const field = what.split(':')[0]
          session.observe('OPEN-22', `${field} of another type: ${status}`, [answer])
        }
      }
    },
  )

  const oneShotMistakes = [
    ...ofAnotherType(
      'V3-ONE-12',
      ['model_id', { id: 'model' }, 7],
      ['input', { text: 'Name a color.' }, 7, [7]],
      ['runs', 'none', 7],
      ['stream', { on: false }, 'false'],
      ['assistant_id', { id: 'searcher' }, 7],
      ['rag', 7, ['agent']],
    ),
    {
      requirement: 'V3-ONE-12',
      what: 'content: an object',
      edit: ({ input, ...rest }: Readonly<Record<string, unknown>>) => ({
        ...rest,
        content: { text: input },
      }),
    } as const,
  ]

  test(
    'a one-shot with a field of another type MUST be refused',
    coversAtDepth(['V3-ONE-12'], (rows, depth) => ({
      requests: refusalCost(oneShotMistakes.length, 2)(rows, depth) + 5,
      generations: 2,
      chats: 1,
    })),
    async ({ oneShot, v3, profile, prompts, scenario }) => {
      const chat = await v3.createChat()
      const assistant = profile.assistants?.withoutKnowledge
      const right = oneShot.body(prompts.brief())
      const members = { stream: true }
      await expectAllRefused(scenario, {
        mistakes: oneShotMistakes,
        forms: {
          '': { control: await oneShot.send(right, { role: 'control' }) },
          stream: {
            control: await oneShot.send({ ...right, ...members }, { role: 'control' }),
            members,
          },
        },
        conditions: {
          model: otherModels(profile, 'model_id'),
          rag: {
            true: { rag: true, assistant_id: assistant },
            false: { rag: false },
            object: { rag: profile.rag?.object ?? {}, assistant_id: assistant },
          },
          form: { stream: { stream: true } },
          input: { items: { input: [inputText(prompts.brief())] } },
          assistant: { none: { assistant_id: null }, searcher: { assistant_id: 'searcher' } },
        },
        caller: secondCaller(profile),
        send: (edit, options) => oneShot.send(edit(right), options),
        ping: () => v3.ping(chat),
      })
    },
  )

  test(
    'a chat whose name is not a string MUST be refused',
    coversAtDepth(['V3-CHAT-14'], () => ({ requests: 28, chats: 1 })),
    async ({ v3, session, profile, scenario }) => {
      const chat = await v3.createChat({ role: 'control' })
      await expectAllRefused(scenario, {
        mistakes: ofAnotherType('V3-CHAT-14', ['name', { text: 'a name' }, 7, ['a name'], true]),
        forms: { '': { control: chat.created } },
        conditions: { version: { v3: { version: 'v3' } } },
        caller: secondCaller(profile),
        async send(edit, options) {
          const answer = await v3.postChat(session.name(), edit({}), options)
          const made = v3.newChatId(answer)
          if (made) v3.deleteOnCleanup(made)
          return answer
        },
        ping: () => v3.ping(chat),
      })
    },
  )
})
