import {
  answerJson,
  chatIdNames,
  type Exchange,
  findId,
  header,
  isObject,
  isUuid,
  valueAt,
} from '../../../../contract/index.ts'
import { mayNameMembers } from '../../session/requests/supplements.ts'
import { route, type SendOptions, type Started } from '../../session/requests/wire-request.ts'
import type { Session } from '../../session/session.ts'
import { assume, assumeAccepted, expectMembers, requireProfile } from '../claims.ts'
import { poll } from '../poll.ts'
import { type HistoryRow, type HistoryWalk, historyCursor, historyRows } from '../read.ts'
import { assumeWithinLimits, followCursor } from './paging.ts'
import { postTo } from './v2.ts'

export interface Chat {
  readonly id: string
  readonly name: string
  readonly created: Exchange
}

export type GenerateBody = Readonly<Record<string, unknown>>

export interface GenerateOptions extends SendOptions {
  /** The Idempotency-Key; a new UUID if omitted, none if null. */
  readonly key?: string | null
}

/** Wait for an event that should not come, in milliseconds. */
const pauseMs = 300

type Caller = Pick<SendOptions, 'authorization'>

/** The v3 surface (section 4.3) as a scenario calls it, with the key of the profile or another one. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one short method a route
export function v3Routes(session: Session, caller: Caller = {}) {
  const { profile } = session.context.setup
  const { models, limits, shapes } = profile
  /** Rows of the latest walk through a history, by the id of its chat. */
  const rowsSeen = new Map<string, readonly HistoryRow[]>()
  let isLossKnown = false

  const routes = {
    /** Body of a generation that must be accepted. */
    generateBody: (chat: Chat | string, input: unknown, more: GenerateBody = {}): GenerateBody => ({
      chat_id: typeof chat === 'string' ? chat : chat.id,
      model_id: models.main,
      input,
      stream: false,
      ...profile.requests.generate,
      ...more,
    }),

    startGenerate(body: unknown, { key, ...options }: GenerateOptions = {}): Started {
      const own = key === null ? {} : { 'idempotency-key': key ?? session.uuid() }
      const headers = { ...own, ...options.headers }
      return session.start({ ...route('v3.generate'), ...caller, json: body, ...options, headers })
    },

    generate: (body: unknown, options: GenerateOptions = {}): Promise<Exchange> =>
      routes.startGenerate(body, options).exchange,

    /** Generates a response that the scenario needs. */
    async generateOk(body: GenerateBody, options: GenerateOptions = {}): Promise<Exchange> {
      const exchange = await routes.generate(body, { role: 'arrange', ...options })
      expectMembers(exchange)
      return assumeAccepted(exchange, 'a generation')
    },

    postChat(name: string, body: GenerateBody = {}, options: SendOptions = {}): Promise<Exchange> {
      const json = { ...profile.requests.createChat, name, ...body }
      const send = () => session.send({ ...route('v3.createChat'), json, ...caller, ...options })
      return session.create('chat', name, send, routes.newChatId)
    },

    /** The id in the response to `POST /chat`: at the end of its Location, or at any depth of its body. */
    newChatId(created: Exchange): string | undefined {
      const body = answerJson(created)
      const location = header(created.response?.headers ?? [], 'location') ?? ''
      const atPointer = shapes.chatId && valueAt(body, shapes.chatId)
      const inLocation = location.split('/').at(-1)
      return [atPointer, inLocation, findId(body, chatIdNames)].find(isUuid)
    },

    /** A new chat, deleted after the scenario. */
    async createChat(options: SendOptions = {}, name = session.name()): Promise<Chat> {
      const created = await routes.postChat(name, {}, { role: 'arrange', ...options })
      if (mayNameMembers(created))
        requireProfile(profile.requests.createChat, 'requests.createChat')
      assumeAccepted(created, 'POST /chat')
      const id = routes.newChatId(created)
      assume(id, 'the answer to POST /chat has no chat id', created)
      const { authorization } = { ...caller, ...options }
      routes.deleteOnCleanup(id, authorization === undefined ? {} : { authorization })
      return { id, name, created }
    },

    deleteOnCleanup(id: string, options: SendOptions = {}): void {
      session.onCleanup(() =>
        session.send({ ...route('v3.deleteChat', id), role: 'cleanup', ...caller, ...options }),
      )
    },

    history(
      chat: Pick<Chat, 'id'> | string,
      page: { readonly limit?: number; readonly cursor?: string } = {},
      options: SendOptions = {},
    ): Promise<Exchange> {
      const query = { chat_id: typeof chat === 'string' ? chat : chat.id, ...page }
      return session.send({ ...route('v3.history'), query, role: 'probe', ...caller, ...options })
    },

    /** Follows the cursor to its end; `between` runs after each page but the last. */
    async walk(
      chat: Pick<Chat, 'id'>,
      limit?: number,
      between: (page: Exchange) => Promise<void> = async () => {},
    ): Promise<HistoryWalk> {
      const rows: HistoryRow[] = []
      const tooMany = `returned more than ${limits.historyRows} rows and a cursor for more (limits.historyRows)`
      const walk = await followCursor(
        async (cursor) => {
          const page = await routes.history(chat, {
            ...(limit !== undefined && { limit }),
            ...(cursor !== undefined && { cursor }),
          })
          rows.push(...historyRows(assumeAccepted(page, 'a page of the history')))
          return page
        },
        {
          limits,
          cursorOf: historyCursor,
          exceededLimit: () => (rows.length > limits.historyRows ? tooMany : undefined),
          between,
        },
      )
      // Duplicate rows prove a violation in any case; other missing rows may be on a later page.
      const texts = rows.filter(({ item }) => isObject(item)).map((row) => JSON.stringify(row))
      assumeWithinLimits(session, walk, new Set(texts).size < texts.length)
      const before = rowsSeen.get(chat.id) ?? []
      rowsSeen.set(chat.id, rows)
      // A history keeps its rows: they are lost, or a replica shows an older state.
      if (walk.cursor === null && !isLossKnown && !isSubset(before, rows)) {
        isLossKnown = true
        await session.sleep(limits.settleMs)
        if (isSubset(before, (await routes.walk(chat, limit)).rows))
          session.settling.noteOlderState()
      }
      return { rows, pages: walk.pages, lastCursor: walk.cursor }
    },

    /** Reads the history until `enough` is true, as long as changes may take to become visible. */
    waitForHistory(
      chat: Chat,
      enough: (rows: readonly HistoryRow[]) => boolean,
    ): Promise<HistoryWalk> {
      const read = () => routes.walk(chat)
      return poll(session, read, ({ rows }) => enough(rows))
    },

    /** The history after a pause in which a late second step would appear. */
    async historyAfterPause(chat: Chat): Promise<HistoryWalk> {
      await session.sleep(Math.min(session.settling.ms, pauseMs))
      return routes.walk(chat)
    },

    /** Any request of this surface that a working server answers. */
    ping: (chat: Chat): Promise<Exchange> => routes.history(chat, {}, { role: 'liveness' }),
  }
  return routes
}

/** A message of the user in the Responses-style input format. */
export function inputText(text: string, role: 'user' | 'system' | 'developer' = 'user') {
  return { type: 'message', role, content: [{ type: 'input_text', text }] }
}

/** `POST /message/one-shot` (section 4.3). */
export function oneShotRoutes(session: Session) {
  const { models, requests } = session.context.setup.profile

  const routes = {
    /** A body that must be accepted. */
    body: (input: unknown, more: GenerateBody = {}): GenerateBody => ({
      model_id: models.main,
      input,
      stream: false,
      ...requests.oneShot,
      ...more,
    }),

    send: postTo(session, 'v3.oneShot'),

    /** Sends a request that the scenario needs. */
    async sendOk(body: GenerateBody, options: SendOptions = {}): Promise<Exchange> {
      return assumeAccepted(await routes.send(body, { role: 'arrange', ...options }), 'a one-shot')
    },
  }
  return routes
}

function isSubset(rows: readonly HistoryRow[], of: readonly HistoryRow[]): boolean {
  const texts = new Set(of.map((row) => JSON.stringify(row)))
  return rows.every((row) => texts.has(JSON.stringify(row)))
}
