import {
  coversAtDepth,
  describe,
  type Exchange,
  finalResponse,
  inputText,
  test,
} from '../../harness/conformance/scenario/index.ts'
import {
  bothToolLists,
  type Condition,
  expectAllRefused,
  inObject,
  ofAnotherType,
  otherModels,
  refusalCost,
  secondCaller,
} from '../support/mistakes.ts'
import { describeForm, formsOf } from '../support/test-data.ts'

/** Section 4.3: a request with a field of another type is refused, whatever else it has; the status is open. */
describe('v3: refusals', () => {
  const generationMistakes = ofAnotherType(
    'V3-GEN-17',
    ['chat_id', inObject],
    ['model_id', { id: 'model' }],
    ['input', { text: 'Name a color.' }],
    ['think', { on: true }],
    ['include_tools', { tool: 'get_time' }],
    ['exclude_tools', { tool: 'get_time' }],
    ['include_tools', [7]],
    ['exclude_tools', [7]],
    ['max_tokens', { most: 7 }],
    ['temperature', { degrees: 1 }],
    ['top_p', { share: 1 }],
    ['presence_penalty', { amount: 1 }],
    ['assistant_id', { id: 'assistant' }],
    ['parent_id', { id: 'run' }],
    ['rag', 7],
    ['stream', { on: false }],
  )

  test(
    'a generation with a field of another type MUST be refused',
    coversAtDepth(['V3-GEN-17', 'V3-GEN-13', 'V3-TOOLS-01'], (rows, depth) => ({
      requests: refusalCost(generationMistakes.length + 1, 2)(rows, depth) + 7,
      generations: 2,
      chats: 3,
    })),
    async ({ v3, expectRejected, depth, session, profile, prompts }) => {
      const chat = await v3.createChat()
      const right = v3.generateBody(chat, prompts.brief())
      const forms: Record<string, Condition & { readonly control: Exchange }> = {}
      for (const form of formsOf(profile)) {
        const control = await v3.generate({ ...right, ...form }, { role: 'control' })
        forms[describeForm(form).trim().replaceAll(/[()]/g, '')] = { members: { ...form }, control }
      }
      const assistant = profile.assistants?.withoutKnowledge
      const [first] = Object.values(forms)
      const parent = first && finalResponse(first.control)?.['id']
      const { second } = secondCaller(profile)
      const caller = second && { authorization: second.authorization }
      const made = caller && (await v3.postChat(session.name(), {}, { role: 'probe', ...caller }))
      const chat_id = made && v3.newChatId(made)
      if (chat_id) v3.deleteOnCleanup(chat_id, caller)
      const refused = await expectAllRefused(
        { expectRejected, depth, session },
        {
          mistakes: [...generationMistakes, bothToolLists('V3-TOOLS-01')],
          forms,
          conditions: {
            model: otherModels(profile, 'model_id'),
            rag: {
              true: { members: { rag: true, assistant_id: assistant } },
              false: { members: { rag: false } },
              agent: { members: { rag: 'agent' } },
              object: { members: { rag: profile.rag?.object ?? {}, assistant_id: assistant } },
            },
            think: { true: { members: { think: true } }, false: { members: { think: false } } },
            max_tokens: { '24': { members: { max_tokens: 24 } } },
            form: { stream: { members: { stream: true } } },
            input: { items: { members: { input: [inputText(prompts.brief())] } } },
            parent: { given: { members: { parent_id: parent } } },
            caller: chat_id === undefined ? {} : secondCaller(profile, { chat_id }),
          },
          send: (edit, options) => v3.generate(edit(right), options),
          ping: () => v3.ping(chat),
          noServerError: 'V3-GEN-13',
        },
      )
      for (const [{ what }, answer] of refused)
        session.observe(
          'OPEN-22',
          `${what.split(':')[0]} of another type: ${answer.response?.status}`,
          [answer],
        )
    },
  )

  const oneShotMistakes = [
    ...ofAnotherType(
      'V3-ONE-12',
      ['model_id', { id: 'model' }],
      ['input', { text: 'Name a color.' }],
      ['runs', 'none'],
      ['stream', { on: false }],
      ['assistant_id', { id: 'searcher' }],
      ['rag', 7],
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
    async ({ oneShot, v3, expectRejected, depth, session, profile, prompts }) => {
      const chat = await v3.createChat()
      const assistant = profile.assistants?.withoutKnowledge
      const right = oneShot.body(prompts.brief())
      const members = { stream: true }
      await expectAllRefused(
        { expectRejected, depth, session },
        {
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
              true: { members: { rag: true, assistant_id: assistant } },
              false: { members: { rag: false } },
              object: { members: { rag: profile.rag?.object ?? {}, assistant_id: assistant } },
            },
            form: { stream: { members: { stream: true } } },
            input: { items: { members: { input: [inputText(prompts.brief())] } } },
            caller: secondCaller(profile),
          },
          send: (edit, options) => oneShot.send(edit(right), options),
          ping: () => v3.ping(chat),
        },
      )
    },
  )

  test(
    'a chat whose name is not a text MUST be refused',
    coversAtDepth(['V3-CHAT-14'], () => ({ requests: 8, chats: 1 })),
    async ({ v3, expectRejected, depth, session, profile }) => {
      const chat = await v3.createChat({ role: 'control' })
      await expectAllRefused(
        { expectRejected, depth, session },
        {
          mistakes: ofAnotherType('V3-CHAT-14', ['name', { text: 'a name' }]),
          forms: { '': { control: chat.created } },
          conditions: { caller: secondCaller(profile) },
          async send(edit, options) {
            const answer = await v3.postChat(session.name(), edit({}), options)
            const made = v3.newChatId(answer)
            if (made) v3.deleteOnCleanup(made)
            return answer
          },
          ping: () => v3.ping(chat),
        },
      )
    },
  )
})
