import {
  answerJson,
  assume,
  contains,
  covers,
  cursorIn,
  describe,
  type Exchange,
  expect,
  knowledgePrefixes,
  requireProfile,
  succeeded,
  test,
} from '../../../harness/conformance/scenario/index.ts'
import { badCredentials, expectKeyNeeded } from '../../support/credentials.ts'
import { buildTextFile, firstWord } from '../../support/test-data.ts'

/** Section 5 on the routes that manage chats and files: each of them requires a valid token. */
describe('v3: authentication of the other routes', () => {
  const rows = ['V3-AUTH-01', 'V3-AUTH-02', 'V3-AUTH-03', 'V3-AUTH-04', 'V3-AUTH-06'] as const

  type Send = (options: {
    role: 'control' | 'negative'
    authorization?: string | null
  }) => Promise<Exchange>

  const chatRoutes = [
    'GET /chat',
    'GET /chat with search',
    'GET /chat with a cursor',
    'GET /chat/favorite',
    'GET /chat/{chat_id}',
    'PATCH /chat/{chat_id}',
    'POST /chat/{chat_id}/favorite',
    'DELETE /chat/{chat_id}/favorite',
    'POST /chat/{chat_id}/generate-name',
    'DELETE /chat/{chat_id}',
  ] as const

  for (const route of chatRoutes) {
    test(
      `${route} requires a valid token`,
      covers(rows, {
        requests: 20,
        chats: 2,
        generations: route.endsWith('generate-name') ? 1 : 0,
      }),
      async ({ v3, chats, claim, session, keys }) => {
        requireProfile(keys.v3, 'apiKey')
        const [chat, spare] = [await v3.createChat(), await v3.createChat()]
        const cursor =
          route === 'GET /chat with a cursor'
            ? cursorIn(await chats.list({ limit: 1 }, { role: 'arrange' }), undefined)
            : ''
        // A list without a cursor has no later page.
        if (typeof cursor !== 'string') return
        const sends: Readonly<Record<(typeof chatRoutes)[number], (id: string) => Send>> = {
          'GET /chat': () => (options) => chats.list({}, options),
          'GET /chat with search': () => (options) =>
            chats.list({ search: firstWord(chat.name), limit: 10 }, options),
          'GET /chat with a cursor': () => (options) => chats.list({ limit: 1, cursor }, options),
          'GET /chat/favorite': () => (options) => chats.favorites(options),
          'GET /chat/{chat_id}': (id) => (options) => chats.get(id, options),
          'PATCH /chat/{chat_id}': (id) => (options) => chats.rename(id, session.name(), options),
          'POST /chat/{chat_id}/favorite': (id) => (options) => chats.addFavorite(id, options),
          'DELETE /chat/{chat_id}/favorite': (id) => (options) => chats.removeFavorite(id, options),
          'POST /chat/{chat_id}/generate-name': (id) => (options) =>
            chats.generateName(id, options),
          'DELETE /chat/{chat_id}': (id) => (options) => chats.remove(id, options),
        }
        if (route === 'DELETE /chat/{chat_id}/favorite')
          await chats.addFavorite(spare.id, { role: 'arrange' })
        const control = await sends[route](spare.id)({ role: 'control' })
        await expectKeyNeeded(
          { claim, session },
          {
            control,
            credentials: badCredentials('V3', keys.v3),
            send: sends[route](chat.id),
            // The chat itself may be gone: that it was let through is the finding.
            ping: () => chats.list({}, { role: 'liveness' }),
            route,
          },
        )
      },
    )
  }

  test(
    'POST /message/one-shot requires a valid token',
    covers(rows, { requests: 31, chats: 1, generations: 1 }),
    async ({ v3, oneShot, claim, session, keys, prompts }) => {
      requireProfile(keys.v3, 'apiKey')
      const chat = await v3.createChat()
      const body = oneShot.body(prompts.brief())
      const control = await oneShot.send(body, { role: 'control' })
      for (const request of [body, { ...body, stream: true }]) {
        await expectKeyNeeded(
          { claim, session },
          {
            control,
            credentials: badCredentials('V3', keys.v3),
            send: (options) => oneShot.send(request, options),
            ping: () => v3.ping(chat),
          },
        )
      }
    },
  )

  test(
    'the attachment routes require a valid token',
    covers(rows, { requests: 48, chats: 1, uploads: 1 }),
    async ({ v3, chats, attachments, claim, session, keys, profile }) => {
      requireProfile(keys.v3, 'apiKey')
      if (!profile.capabilities.attachments) return
      const chat = await v3.createChat()
      const file = () => buildTextFile(session)
      const routes: Readonly<Record<string, Send>> = {
        'POST /attachment': (options) => attachments.upload(file(), undefined, options),
        'GET /attachment': (options) => attachments.list({}, options),
        'GET /chat/{chat_id}/attachments': (options) => chats.attachments(chat.id, {}, options),
      }
      const credentials = badCredentials('V3', keys.v3)
      for (const [route, send] of Object.entries(routes)) {
        const control = await send({ role: 'control' })
        await expectKeyNeeded(
          { claim, session },
          { control, credentials, send, ping: () => v3.ping(chat), route },
        )
      }
    },
  )

  test(
    'the knowledge routes require a valid token',
    covers(rows, { requests: 92, chats: 1, uploads: 16 }),
    async ({ v3, knowledge, claim, session, keys, profile }) => {
      requireProfile(keys.v3, 'apiKey')
      const routes = (['list', 'search', 'upload'] as const).filter(
        (name) => profile.knowledge?.routes?.[name],
      )
      if (!profile.capabilities.knowledge || routes.length === 0) return
      const chat = await v3.createChat()
      const file = buildTextFile(session)
      for (const name of routes) {
        for (const prefix of knowledgePrefixes) {
          const more = { prefix, ...(name === 'upload' ? { file } : {}) }
          const control = await knowledge.send(name, { ...more, role: 'control' })
          // That both prefixes are there is for another row.
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

  test(
    'requests refused for their token have changed nothing',
    covers(['V3-AUTH-01', 'V3-AUTH-02'], { requests: 12, chats: 2 }),
    async ({ v3, chats, claim, keys, session, profile }) => {
      requireProfile(keys.v3, 'apiKey')
      const attempts = []
      for (const credential of badCredentials('V3', keys.v3).slice(0, 2)) {
        const chat = await v3.createChat()
        const before = await chats.get(chat.id, { role: 'control' })
        assume(
          succeeded(before) && contains(answerJson(before), chat.name),
          'the chat cannot be read',
          before,
        )
        attempts.push({ ...credential, chat })
      }
      const results = []
      for (const { row, authorization, chat } of attempts) {
        const options = { role: 'negative', authorization } as const
        const renamed = await chats.rename(chat.id, session.name(), options)
        const removed = await chats.remove(chat.id, options)
        results.push({ row, chat, refusals: [renamed, removed] })
      }
      // A deletion that took place may show later.
      await session.sleep(Math.min(lateMs, profile.limits.settleMs))
      for (const { row, chat, refusals } of results) {
        const after = await chats.get(chat.id, { role: 'probe' })
        claim(row, () => expectUnchanged(after, chat.name), ...refusals, after)
      }
    },
  )
})

/** Longer than most targets take to show a change. */
const lateMs = 300

function expectUnchanged(chat: Exchange, name: string): void {
  expect(succeeded(chat), 'the chat is still there').toBe(true)
  expect(contains(answerJson(chat), name), 'the chat still has its name').toBe(true)
}
