import {
  contains,
  describe,
  type Exchange,
  expect,
  finalResponse,
  inputRows,
  isDeclined,
  isResponse,
  knowledgePrefixes,
  requirementsOf,
  succeeded,
  test,
} from '../../../harness/conformance/scenario/index.ts'
import { firstWord } from '../../support/chat-names.ts'
import { coversKeys, expectKeyNeeded, forOtherModels } from '../../support/credentials.ts'
import { buildTextFile } from '../../support/test-data.ts'
import { type Observation, ofGenerations, routes } from './routes.ts'

/** Section 5, rules 1 and 3: no v3 request succeeds without the right token; the status is open. */
describe('v3: authentication', () => {
  const requirements = requirementsOf('V3-AUTH')
  const ofRefusals = requirementsOf('V3-AUTH', { except: ['V3-AUTH-05'] })

  for (const [route, definition] of Object.entries(routes)) {
    const { cost, isRight, arrange, whenRefused, variants, conditions, send, look } = definition
    test(
      `${route} MUST require a valid token${look ? ', and MUST NOT have an effect without one' : ''}`,
      coversKeys(isRight === undefined ? ofRefusals : requirements, {
        requests: 48,
        chats: 2,
        ...cost,
      }),
      async ({ v3, chats, claim, session, profile, scenario }) => {
        if (route.includes('attachment') && !profile.capabilities.attachments) return
        const [chat, spare] = [await v3.createChat(), await v3.createChat()]
        // The control may delete its chat. The other requests must not, and a success of one is the finding.
        for (const one of [chat, spare]) await arrange?.(scenario, one)
        const sendRight = () => send(scenario, spare, { role: 'control' }, {}, session.nonce())
        const first = await sendRight()
        const isRefused = isDeclined(first) && whenRefused !== undefined
        if (isRefused) for (const one of [chat, spare]) await whenRefused(scenario, one)
        const control = isRefused ? await sendRight() : first
        const word = session.nonce()
        const looks: Observation[] = []
        const sent = await expectKeyNeeded(scenario, {
          surface: 'v3',
          control,
          isRight: isRight?.(control),
          variants: (await variants?.(scenario, chat)) ?? {},
          conditions,
          async send(options, members) {
            if (look && looks.length === 0) looks.push(await look(scenario, chat, word))
            const refused = await send(scenario, chat, options, members, word)
            const isToBeSeen = looks.length < 3 && looks.every(([isAsBefore]) => isAsBefore)
            if (look && isToBeSeen) looks.push(await look(scenario, chat, word))
            return refused
          },
          ping: () =>
            route === 'DELETE /chat/{chat_id}'
              ? chats.list({}, { role: 'liveness' })
              : v3.ping(chat),
          route,
        })
        // Before the first request, other requirements cover what is not shown.
        for (const [at, [isAsBefore, ...evidence]] of looks.slice(1).entries()) {
          const { requirement = 'V3-AUTH-01', what, refused = control } = sent[at] ?? {}
          const effect = () =>
            expect(!isAsBefore, `${route} with ${what} has an effect`).toBe(false)
          claim(requirement, effect, refused, ...evidence)
        }
      },
    )
  }

  test(
    'POST /chat MUST require a valid token',
    coversKeys(requirements, { requests: 23, chats: 1 }),
    async ({ v3, chats, claim, session, scenario }) => {
      const control = await v3.postChat(session.name(), {}, { role: 'control' })
      const id = v3.newChatId(control)
      if (id) v3.deleteOnCleanup(id)
      const names: string[] = []
      const sent = await expectKeyNeeded(scenario, {
        surface: 'v3',
        control,
        isRight: id !== undefined,
        send: (options) => {
          names.push(session.name())
          return v3.postChat(names.at(-1) ?? '', {}, options)
        },
        ping: () => v3.history(String(id), {}, { role: 'liveness' }),
      })
      for (const { refused } of sent) {
        const made = v3.newChatId(refused)
        if (made) v3.deleteOnCleanup(made)
      }
      for (const [at, { requirement, what, refused }] of sent.slice(0, 2).entries()) {
        const name = names[at] ?? ''
        // Searches for the word only: an answer may echo the search text.
        const list = await chats.readList({ search: firstWord(name) })
        const effect = () =>
          expect(contains(list.body, name), `a chat is created with ${what}`).toBe(false)
        claim(requirement, effect, refused, ...list.pages.slice(0, 3))
      }
    },
  )

  test(
    'POST /message/generate MUST require a valid token and MUST NOT store anything without one',
    coversKeys(requirements, { requests: 48, generations: 1, chats: 1 }),
    async ({ v3, claim, session, prompts, profile, scenario }) => {
      const chat = await v3.createChat()
      const control = await v3.generate(v3.generateBody(chat, prompts.brief()), { role: 'control' })
      const nonces = new Map<Exchange, string>()
      const sent = await expectKeyNeeded(scenario, {
        surface: 'v3',
        control,
        isRight: isResponse(control),
        variants: {
          'as a stream': { stream: true },
          ...forOtherModels(profile, 'model_id', { stream: true }),
          'with parent_id, think and rag': {
            parent_id: finalResponse(control)?.['id'],
            think: true,
            rag: true,
          },
        },
        conditions: ofGenerations,
        async send(options, members) {
          const nonce = session.nonce()
          const turn = v3.generateBody(chat, prompts.brief(nonce), members)
          const refused = await v3.generate(turn, options)
          nonces.set(refused, nonce)
          return refused
        },
        ping: () => v3.ping(chat),
      })
      const { rows: stored, pages } = await v3.historyAfterPause(chat)
      for (const { requirement, what, refused } of sent) {
        const steps = inputRows(stored, nonces.get(refused) ?? '')
        const stores = `steps stored by a request with ${what}`
        claim(requirement, () => expect(steps, stores).toEqual([]), refused, ...pages)
      }
    },
  )

  test(
    'the knowledge routes MUST require a valid token',
    coversKeys(ofRefusals, { requests: 92, chats: 1, uploads: 16 }),
    async ({ v3, knowledge, session, profile, scenario }) => {
      const configured = (['list', 'search', 'upload'] as const).filter(
        (name) => profile.knowledge?.routes?.[name],
      )
      if (!profile.capabilities.knowledge || configured.length === 0) return
      const chat = await v3.createChat()
      const file = buildTextFile(session)
      for (const name of configured) {
        for (const prefix of knowledgePrefixes) {
          const more = { prefix, ...(name === 'upload' ? { file } : {}) }
          const control = await knowledge.send(name, { ...more, role: 'control' })
          // Another requirement covers the presence of both prefixes.
          if (!succeeded(control)) continue
          await expectKeyNeeded(scenario, {
            surface: 'v3',
            control,
            send: (options) => knowledge.send(name, { ...more, ...options }),
            ping: () => v3.ping(chat),
            route: `${name} of ${prefix}`,
          })
        }
      }
    },
  )
})
