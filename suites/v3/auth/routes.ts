/** The routes of v3 that all need a key, and how they are asked. */
import {
  answerJson,
  type Chat,
  contains,
  cursorIn,
  type Exchange,
  historyCursor,
  holdsList,
  inputText,
  type Scenario,
  type Session,
  succeeded,
} from '../../../harness/conformance/scenario/index.ts'
import { firstWord } from '../../support/chat-names.ts'
import { forOtherModels, type Members } from '../../support/credentials.ts'
import { type Dimensions, each } from '../../support/mistakes.ts'
import { buildTextFile } from '../../support/test-data.ts'

type Options = {
  readonly role: 'control' | 'negative' | 'arrange'
  readonly authorization?: string | null
}
type Query = Readonly<Record<string, string | number>>
type Page = { readonly limit?: number; readonly cursor?: string }

interface Route {
  readonly cost?: { readonly generations?: number; readonly uploads?: number }
  /** Tests if the response to a request with the right token is one of the route. */
  readonly isRight?: (answer: Exchange) => boolean
  readonly arrange?: (scenario: Scenario, chat: Chat) => Promise<unknown>
  /** Prepares a chat after its request was refused. */
  readonly whenRefused?: (scenario: Scenario, chat: Chat) => Promise<unknown>
  /** Further parameters or fields; those without a value are left out. */
  readonly variants?: (scenario: Scenario, chat: Chat) => Promise<Variants> | Variants
  /** Further ones, which are combined at depth full. */
  readonly conditions?: Dimensions
  readonly send: (
    scenario: Scenario,
    chat: Chat,
    options: Options,
    members: Members,
    word: string,
  ) => Promise<Exchange>
  /** Tests if a request with `word` has changed nothing. */
  readonly look?: (scenario: Scenario, chat: Chat, word: string) => Promise<Observation>
}
type Variants = Readonly<Record<string, Members>>

/** Result of a look at a chat: as before or not, with what shows it. */
export type Observation = readonly [isAsBefore: boolean, ...evidence: Exchange[]]

const pages: Dimensions = { limit: each('limit', 1, 10, 20, 60) }

/** Fields of a generation. */
export const ofGenerations: Dimensions = {
  stream: each('stream', true, false),
  think: each('think', true, false),
  rag: each('rag', true, false, 'agent'),
  input: { items: { input: [inputText('Name a color.')] } },
}

export const routes: Readonly<Record<string, Route>> = {
  'GET /message': {
    cost: { generations: 1 },
    isRight: (answer) => succeeded(answer) && holdsList(answerJson(answer)),
    async variants({ v3, prompts }, chat) {
      const input = [inputText(prompts.brief(), 'system'), inputText(prompts.brief())]
      await v3.generate(v3.generateBody(chat, input), { role: 'arrange' })
      const page = await v3.history(chat, { limit: 1 }, { role: 'arrange' })
      return { 'with limit': { limit: 20 }, ...ofSecondPage(historyCursor(page)) }
    },
    conditions: pages,
    send: ({ v3 }, chat, options, query) => v3.history(chat, query as Page, options),
  },
  'GET /chat': {
    async variants({ chats }, { name }) {
      const page = await chats.list({ limit: 1 }, { role: 'arrange' })
      return {
        'with search': { search: firstWord(name) },
        'with limit': { limit: 10 },
        ...ofSecondPage(cursorIn(page, undefined)),
      }
    },
    conditions: { ...pages, favorites: each('exclude_favorites', true) },
    send: ({ chats }, _, options, query) => chats.list(query as Query, options),
  },
  'GET /chat/favorite': { send: ({ chats }, _, options) => chats.favorites(options) },
  'GET /chat/{chat_id}': { send: ({ chats }, { id }, options) => chats.get(id, options) },
  'PATCH /chat/{chat_id}': {
    send: ({ chats, session }, { id }, options) => chats.rename(id, session.name(), options),
    look: keepsName,
  },
  'POST /chat/{chat_id}/favorite': {
    send: ({ chats }, { id }, options) => chats.addFavorite(id, options),
    async look({ chats }, chat) {
      const favorites = await chats.readFavorites()
      return [!chats.mentions(favorites, chat), ...favorites.pages.slice(0, 3)]
    },
  },
  'DELETE /chat/{chat_id}/favorite': {
    arrange: ({ chats }, { id }) => chats.addFavorite(id, { role: 'arrange' }),
    send: ({ chats }, { id }, options) => chats.removeFavorite(id, options),
    async look({ chats }, chat) {
      const favorites = await chats.poll(
        () => chats.readFavorites(),
        (_, page) => chats.mentions(page, chat),
      )
      const isShown = chats.mentions(favorites, chat)
      return [isShown || !favorites.isWhole, ...favorites.pages.slice(0, 3)]
    },
  },
  'POST /chat/{chat_id}/generate-name': {
    cost: { generations: 1 },
    // A chat without a turn may have nothing to be named after.
    whenRefused: ({ v3, prompts }, chat) =>
      v3.generate(v3.generateBody(chat, prompts.brief()), { role: 'arrange' }),
    send: ({ chats }, { id }, options) => chats.generateName(id, options),
    look: keepsName,
  },
  'DELETE /chat/{chat_id}': {
    send: ({ chats }, { id }, options) => chats.remove(id, options),
    async look(scenario, chat) {
      // A deletion may become visible later.
      await scenario.session.sleep(Math.min(lateMs, scenario.profile.limits.settleMs))
      return keepsName(scenario, chat)
    },
  },
  'POST /attachment': {
    cost: { uploads: 2 },
    // An upload may need a chat: further rules are open (section 4.3).
    whenRefused: async ({ session }) => needChats.add(session),
    send({ attachments, session }, { id }, options, _members, word) {
      const chat = needChats.has(session) ? id : undefined
      return attachments.upload(buildTextFile(session, word), chat, options)
    },
    async look({ attachments, session }, _, word) {
      const list = await attachments.walk({ search: word })
      const { name } = buildTextFile(session, word)
      return [!contains(list.body, name), ...list.pages.slice(0, 3)]
    },
  },
  'GET /attachment': {
    async variants({ attachments, session }, { id }) {
      const page = await attachments.list({ limit: 1 }, { role: 'arrange' })
      return {
        'of a chat': { chat_id: id },
        'with search': { search: session.nonce() },
        'with limit': { limit: 10 },
        ...ofSecondPage(cursorIn(page, undefined)),
      }
    },
    conditions: pages,
    send: ({ attachments }, _, options, query) => attachments.list(query as Query, options),
  },
  'GET /chat/{chat_id}/attachments': {
    variants: ({ session }) => ({ 'with search': { search: session.nonce() } }),
    send: ({ chats }, { id }, options, query) => chats.attachments(id, query as Query, options),
  },
  'POST /message/one-shot': {
    cost: { generations: 1 },
    variants: ({ profile }) => ({
      'as a stream': { stream: true },
      ...forOtherModels(profile, 'model_id', { stream: true }),
    }),
    conditions: ofGenerations,
    send: ({ oneShot, prompts }, _, options, body) =>
      oneShot.send(oneShot.body(prompts.brief(), body), options),
  },
}

/** Scenarios whose uploads were refused without a chat. */
const needChats = new WeakSet<Session>()

function ofSecondPage(cursor: unknown): Variants {
  return typeof cursor === 'string' ? { 'with a cursor': { cursor } } : {}
}

/** Longer than most targets need to show a change. */
const lateMs = 300

async function keepsName({ chats }: Scenario, { id, name }: Chat): Promise<Observation> {
  // Another replica may not show a new chat yet.
  const read = await chats.poll(
    () => chats.get(id, { role: 'probe' }),
    (body) => contains(body, name),
  )
  return [contains(answerJson(read), name), read]
}
