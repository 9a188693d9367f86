import {
  answerJson,
  assumeRead,
  type Chat,
  contains,
  covers,
  describe,
  type Exchange,
  expect,
  requireProfile,
  type ScenarioContext,
  test,
} from '../../../harness/conformance/scenario/index.ts'
import { badCredentials } from '../../support/credentials.ts'
import { buildTextFile } from '../../support/test-data.ts'

type Apis = Pick<ScenarioContext, 'v3' | 'chats' | 'attachments' | 'session' | 'profile'>
type Options = { readonly role: 'negative'; readonly authorization: string | null }
type Observation = readonly [isAsBefore: boolean, ...evidence: Exchange[]]

/** A change that a request would make. */
interface Change {
  /** Sends it. */
  readonly send: (apis: Apis, chat: Chat, options: Options, word: string) => Promise<Exchange>
  /** Creates a state that must remain; false if the target does not show it, which other requirements cover. */
  readonly arrange?: (apis: Apis, chat: Chat) => Promise<boolean>
  /** Tests if nothing has changed; `word` is in a name in the request. */
  readonly look: (apis: Apis, chat: Chat, word: string) => Promise<Observation>
}

const changes: Readonly<Record<string, Change>> = {
  'a chat is created': {
    send: ({ v3, session }, _, options, word) => v3.postChat(nameOf(session, word), {}, options),
    async look({ chats, session }, _, word) {
      // Searches for the word only: an answer may echo the search text.
      const list = await chats.readList({ search: word })
      return [!contains(list.body, nameOf(session, word)), ...list.pages.slice(0, 3)]
    },
  },
  'a chat is renamed': {
    send: ({ chats, session }, { id }, options) => chats.rename(id, session.name(), options),
    arrange: showsName,
    look: keepsName,
  },
  'a title is generated': {
    send: ({ chats }, { id }, options) => chats.generateName(id, options),
    arrange: showsName,
    look: keepsName,
  },
  'a chat is deleted': {
    send: ({ chats }, { id }, options) => chats.remove(id, options),
    arrange: showsName,
    async look(apis, chat) {
      const { session, profile } = apis
      // A deletion may become visible later.
      await session.sleep(Math.min(lateMs, profile.limits.settleMs))
      return keepsName(apis, chat)
    },
  },
  'a favorite is added': {
    send: ({ chats }, { id }, options) => chats.addFavorite(id, options),
    arrange: async ({ chats }, chat) => !chats.mentions(await chats.readFavorites(), chat),
    async look({ chats }, chat) {
      const favorites = await chats.readFavorites()
      return [!chats.mentions(favorites, chat), ...favorites.pages.slice(0, 3)]
    },
  },
  'a favorite is removed': {
    send: ({ chats }, { id }, options) => chats.removeFavorite(id, options),
    async arrange(apis, chat) {
      await apis.chats.addFavorite(chat.id, { role: 'control' })
      return apis.chats.mentions(await favoritesWith(apis, chat), chat)
    },
    async look(apis, chat) {
      const favorites = await favoritesWith(apis, chat)
      const isShown = apis.chats.mentions(favorites, chat)
      assumeRead(favorites, isShown)
      return [isShown, ...favorites.pages.slice(0, 3)]
    },
  },
  'a file is stored': {
    send: ({ attachments, session }, _, options, word) =>
      attachments.upload(buildTextFile(session, word), undefined, options),
    arrange: async ({ profile }) => profile.capabilities.attachments === true,
    async look({ attachments, session }, _, word) {
      const list = await attachments.walk({ search: word })
      const { name } = buildTextFile(session, word)
      return [!contains(list.body, name), ...list.pages.slice(0, 3)]
    },
  },
}

/** Section 5: a request that is refused because of its token has no effect. */
describe('v3: changes without the right token', () => {
  for (const [what, { send, arrange, look }] of Object.entries(changes)) {
    test(
      `without a valid token it MUST NOT happen that ${what}`,
      covers(['V3-AUTH-01', 'V3-AUTH-02'], { requests: 20, chats: 2 }),
      async ({ v3, chats, attachments, claim, keys, session, profile }) => {
        requireProfile(keys.v3, 'apiKey')
        const apis = { v3, chats, attachments, session, profile }
        for (const credential of badCredentials('V3', keys.v3).slice(0, 2)) {
          const { requirement, authorization } = credential
          const chat = await v3.createChat()
          if ((await arrange?.(apis, chat)) === false) continue
          const word = session.nonce()
          const sent = await send(apis, chat, { role: 'negative', authorization }, word)
          const [isAsBefore, ...evidence] = await look(apis, chat, word)
          const message = `it happens that ${what} by a request with ${credential.what}`
          claim(requirement, () => expect(!isAsBefore, message).toBe(false), sent, ...evidence)
        }
      },
    )
  }
})

function nameOf(session: Apis['session'], word: string): string {
  return `${word} of a stranger ${session.context.setup.tag}`.trimEnd()
}

/** Longer than most targets need to show a change. */
const lateMs = 300

/** Tests if a chat shows its name, which other requirements cover. */
async function showsName({ chats }: Apis, { id, name }: Chat): Promise<boolean> {
  return contains(answerJson(await chats.get(id)), name)
}

async function keepsName({ chats }: Apis, { id, name }: Chat): Promise<Observation> {
  const read = await chats.get(id, { role: 'probe' })
  return [contains(answerJson(read), name), read]
}

function favoritesWith({ chats }: Apis, chat: Chat) {
  return chats.poll(
    () => chats.readFavorites(),
    (_, page) => chats.mentions(page, chat),
  )
}
