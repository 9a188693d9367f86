import {
  acceptsKey,
  answerJson,
  assume,
  type Chat,
  covers,
  cursorIn,
  describe,
  type Exchange,
  expect,
  historyCursor,
  holdsList,
  inputRows,
  inputText,
  isResponse,
  knowledgePrefixes,
  requireProfile,
  type ScenarioContext,
  succeeded,
  test,
} from '../../../harness/conformance/scenario/index.ts'
import {
  badCredentials,
  expectKeyNeeded,
  type RefusedCredential,
} from '../../support/credentials.ts'
import { buildTextFile, firstWord } from '../../support/test-data.ts'

type Apis = Pick<
  ScenarioContext,
  'v3' | 'chats' | 'oneShot' | 'attachments' | 'session' | 'prompts'
>
type Options = {
  readonly role: 'control' | 'negative' | 'arrange'
  readonly authorization?: string | null
}

interface Route {
  readonly cost?: { readonly generations?: number; readonly uploads?: number }
  /** Tests if the response to a request with the right token is one of the route. */
  readonly isRight?: (answer: Exchange) => boolean
  /** Creates what the request needs, such as a cursor; undefined if the target has none. */
  readonly prepare?: (apis: Apis, chat: Chat) => Promise<string | undefined>
  readonly send: (apis: Apis, chat: Chat, options: Options, given: string) => Promise<Exchange>
}

const routes: Readonly<Record<string, Route>> = {
  'GET /message': {
    isRight: (answer) => succeeded(answer) && holdsList(answerJson(answer)),
    send: ({ v3 }, chat, options) => v3.history(chat, {}, options),
  },
  'GET /message with a cursor': {
    cost: { generations: 1 },
    async prepare({ v3, prompts }, chat) {
      const input = [inputText(prompts.brief(), 'system'), inputText(prompts.brief())]
      await v3.generate(v3.generateBody(chat, input), { role: 'arrange' })
      return asText(historyCursor(await v3.history(chat, { limit: 1 }, { role: 'arrange' })))
    },
    send: ({ v3 }, chat, options, cursor) => v3.history(chat, { limit: 1, cursor }, options),
  },
  'GET /chat': { send: ({ chats }, _, options) => chats.list({}, options) },
  'GET /chat with search': {
    send: ({ chats }, { name }, options) =>
      chats.list({ search: firstWord(name), limit: 10 }, options),
  },
  'GET /chat with a cursor': {
    prepare: async ({ chats }) =>
      asText(cursorIn(await chats.list({ limit: 1 }, { role: 'arrange' }), undefined)),
    send: ({ chats }, _, options, cursor) => chats.list({ limit: 1, cursor }, options),
  },
  'GET /chat/favorite': { send: ({ chats }, _, options) => chats.favorites(options) },
  'GET /chat/{chat_id}': { send: ({ chats }, { id }, options) => chats.get(id, options) },
  'PATCH /chat/{chat_id}': {
    send: ({ chats, session }, { id }, options) => chats.rename(id, session.name(), options),
  },
  'POST /chat/{chat_id}/favorite': {
    send: ({ chats }, { id }, options) => chats.addFavorite(id, options),
  },
  'DELETE /chat/{chat_id}/favorite': {
    async prepare({ chats }, { id }) {
      await chats.addFavorite(id, { role: 'arrange' })
      return id
    },
    send: ({ chats }, { id }, options) => chats.removeFavorite(id, options),
  },
  'POST /chat/{chat_id}/generate-name': {
    cost: { generations: 1 },
    send: ({ chats }, { id }, options) => chats.generateName(id, options),
  },
  'DELETE /chat/{chat_id}': { send: ({ chats }, { id }, options) => chats.remove(id, options) },
  'POST /attachment': {
    cost: { uploads: 1 },
    send: ({ attachments, session }, _, options) =>
      attachments.upload(buildTextFile(session), undefined, options),
  },
  'GET /attachment': { send: ({ attachments }, _, options) => attachments.list({}, options) },
  'GET /chat/{chat_id}/attachments': {
    send: ({ chats }, { id }, options) => chats.attachments(id, {}, options),
  },
  'POST /message/one-shot': {
    cost: { generations: 1 },
    send: ({ oneShot, prompts }, _, options) =>
      oneShot.send(oneShot.body(prompts.brief()), options),
  },
  'POST /message/one-shot as a stream': {
    cost: { generations: 1 },
    send: ({ oneShot, prompts }, _, options) =>
      oneShot.send(oneShot.body(prompts.brief(), { stream: true }), options),
  },
}

function asText(cursor: unknown): string | undefined {
  return typeof cursor === 'string' ? cursor : undefined
}

/** Section 5, rules 1 and 3: no v3 request succeeds without the right token; the status is open. */
describe('v3: authentication', () => {
  const ids = ['V3-AUTH-01', 'V3-AUTH-02', 'V3-AUTH-03', 'V3-AUTH-04', 'V3-AUTH-06'] as const

  for (const [route, { cost, isRight, prepare, send }] of Object.entries(routes)) {
    test(
      `${route} MUST require a valid token`,
      covers(isRight === undefined ? ids : [...ids, 'V3-AUTH-05'], {
        requests: 22,
        chats: 2,
        ...cost,
      }),
      async ({ v3, chats, oneShot, attachments, claim, session, prompts, keys, profile }) => {
        if (route.includes('attachment') && !profile.capabilities.attachments) return
        const apis = { v3, chats, oneShot, attachments, session, prompts }
        const [chat, spare] = [await v3.createChat(), await v3.createChat()]
        // The control may delete its chat. The other requests must not, and a success of one is the finding.
        const given = await (prepare?.(apis, spare) ?? '')
        if (given === undefined) return
        const subject = prepare === undefined ? chat : spare
        const control = await send(apis, spare, { role: 'control' }, given)
        if (isRight) acceptsKey(claim, 'V3-AUTH-05', control, isRight(control))
        requireProfile(keys.v3, 'apiKey')
        await expectKeyNeeded(
          { claim, session },
          {
            control,
            credentials: badCredentials('V3', keys.v3),
            send: (options) => send(apis, subject, options, given),
            ping: () =>
              route === 'DELETE /chat/{chat_id}'
                ? chats.list({}, { role: 'liveness' })
                : v3.ping(chat),
            route,
          },
        )
      },
    )
  }

  test(
    'POST /chat MUST require a valid token',
    covers([...ids, 'V3-AUTH-05'], { requests: 17, chats: 1 }),
    async ({ v3, claim, session, keys }) => {
      const control = await v3.postChat(session.name(), {}, { role: 'control' })
      const id = v3.newChatId(control)
      acceptsKey(claim, 'V3-AUTH-05', control, id !== undefined)
      assume(id, 'the answer to POST /chat has no chat id', control)
      v3.deleteOnCleanup(id)
      requireProfile(keys.v3, 'apiKey')
      const sent = await expectKeyNeeded(
        { claim, session },
        {
          control,
          credentials: badCredentials('V3', keys.v3),
          send: (options) => v3.postChat(session.name(), {}, options),
          ping: () => v3.history(id, {}, { role: 'liveness' }),
        },
      )
      for (const { refused } of sent) {
        const made = v3.newChatId(refused)
        if (made) v3.deleteOnCleanup(made)
      }
    },
  )

  test(
    'POST /message/generate MUST require a valid token and MUST NOT store anything without one',
    covers([...ids, 'V3-AUTH-05'], { requests: 40, generations: 1, chats: 1 }),
    async ({ v3, claim, session, keys, prompts }) => {
      const chat = await v3.createChat()
      const control = await v3.generate(v3.generateBody(chat, prompts.brief()), { role: 'control' })
      acceptsKey(claim, 'V3-AUTH-05', control, isResponse(control))
      requireProfile(keys.v3, 'apiKey')
      const sent: RefusedCredential[] = []
      const nonces = new Map<Exchange, string>()
      for (const stream of [false, true]) {
        const refusals = await expectKeyNeeded(
          { claim, session },
          {
            control,
            credentials: badCredentials('V3', keys.v3),
            async send(options) {
              const nonce = session.nonce()
              const turn = v3.generateBody(chat, prompts.brief(nonce), { stream })
              const refused = await v3.generate(turn, options)
              nonces.set(refused, nonce)
              return refused
            },
            ping: () => v3.ping(chat),
          },
        )
        sent.push(...refusals)
      }
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
    covers(ids, { requests: 92, chats: 1, uploads: 16 }),
    async ({ v3, knowledge, claim, session, keys, profile }) => {
      requireProfile(keys.v3, 'apiKey')
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
          await expectKeyNeeded(
            { claim, session },
            {
              control,
              credentials: badCredentials('V3', keys.v3),
              send: (options) => knowledge.send(name, { ...more, ...options }),
              ping: () => v3.ping(chat),
              route: `${name} of ${prefix}`,
            },
          )
        }
      }
    },
  )
})
