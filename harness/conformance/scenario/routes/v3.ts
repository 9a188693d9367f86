import {
  bodyJson,
  type Exchange,
  type OperationId,
  operations,
  pathOf,
  succeeded,
} from '../../../../contract/index.ts'
import type { Session, Started } from '../../session/session.ts'
import type { RequestSpec } from '../../session/wire-request.ts'
import { given } from '../claims.ts'
import { chatIdNames, findNewId, isRecord, isUuid, valueAt } from '../find.ts'
import type { SendOptions } from '../options.ts'
import { cursorOf, type HistoryRow, rowsOf, statusOf } from '../read.ts'
import { settle } from '../settle.ts'
import { withinLimits } from '../within-limits.ts'
import { walkGauge } from './paging.ts'

export interface Chat {
  readonly id: string
  readonly name: string
  /** The exchange that created it. */
  readonly created: Exchange
}

export interface Page {
  readonly limit?: number
  readonly cursor?: string
}

export type GenerateBody = Readonly<Record<string, unknown>>

export interface GenerateOptions extends SendOptions {
  /** The Idempotency-Key; a fresh UUID where it is left out, none where it is null. */
  readonly key?: string | null
}

export interface Walk {
  readonly rows: readonly HistoryRow[]
  readonly pages: readonly Exchange[]
  /** The cursor of the last page. */
  readonly end: unknown
}

/** How long to wait for something that should not come, in milliseconds. */
const pauseMs = 150

/** The v3 surface (section 4.3) as a scenario calls it. */
export function v3Routes(session: Session) {
  const { profile } = session.context.setup
  const { models, limits, shapes } = profile

  const routes = {
    /** Body of a generation that must be accepted. */
    turn: (chat: Chat | string, input: unknown, more: GenerateBody = {}): GenerateBody => ({
      chat_id: typeof chat === 'string' ? chat : chat.id,
      model_id: models.main,
      input,
      stream: false,
      ...profile.requests.generate,
      ...more,
    }),

    startGenerate(body: unknown, { key, ...options }: GenerateOptions = {}): Started {
      const idempotencyKey = key === undefined ? session.uuid() : key
      const headers = { ...(idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }) }
      return session.start({
        ...at('v3.generate'),
        json: body,
        ...options,
        headers: { ...headers, ...options.headers },
      })
    },

    generate: (body: unknown, options: GenerateOptions = {}): Promise<Exchange> =>
      routes.startGenerate(body, options).exchange,

    /** Generates what must be accepted for the scenario to go on. */
    async say(body: GenerateBody, options: GenerateOptions = {}): Promise<Exchange> {
      const exchange = await routes.generate(body, { role: 'arrange', ...options })
      given(succeeded(exchange), `a generation was refused with ${statusOf(exchange)}`, exchange)
      return exchange
    },

    postChat(name: string, body: GenerateBody = {}, options: SendOptions = {}): Promise<Exchange> {
      const json = { ...profile.requests.createChat, name, ...body }
      const send = () => session.send({ ...at('v3.createChat'), json, ...options })
      return session.create('chat', name, send, routes.idOfNewChat)
    },

    /** The id in the answer to `POST /chat`, wherever it stands. */
    idOfNewChat(created: Exchange): string | undefined {
      const body = bodyJson(created)
      const found = shapes.chatId ? valueAt(body, shapes.chatId) : findNewId(body, chatIdNames)
      return isUuid(found) ? found : undefined
    },

    /** A fresh chat, deleted after the scenario. */
    async createChat(options: SendOptions = {}, name = session.name()): Promise<Chat> {
      const created = await routes.postChat(name, {}, { role: 'arrange', ...options })
      given(succeeded(created), `POST /chat was refused with ${statusOf(created)}`, created)
      const id = routes.idOfNewChat(created)
      given(id, 'the answer to POST /chat shows no id of a chat', created)
      routes.deleteAfterwards(id)
      return { id, name, created }
    },

    deleteAfterwards(id: string): void {
      session.onCleanup(() => session.send({ ...at('v3.deleteChat', id), role: 'cleanup' }))
    },

    history(chat: Chat | string, page: Page = {}, options: SendOptions = {}): Promise<Exchange> {
      const query = { chat_id: typeof chat === 'string' ? chat : chat.id, ...page }
      return session.send({ ...at('v3.history'), query, role: 'probe', ...options })
    },

    /** Follows the cursor to its end; `between` runs after each page but the last. */
    async walk(
      chat: Chat,
      limit?: number,
      between: (page: Exchange) => Promise<void> = async () => {},
    ): Promise<Walk> {
      const pages: Exchange[] = []
      const rows: HistoryRow[] = []
      const visited = new Set<string>()
      const gauge = walkGauge(limits)
      let cursor: unknown
      do {
        const page = await routes.history(chat, {
          ...(limit === undefined ? {} : { limit }),
          ...(typeof cursor === 'string' ? { cursor } : {}),
        })
        given(succeeded(page), `a page of the history was refused with ${statusOf(page)}`, page)
        pages.push(page)
        rows.push(...rowsOf(page))
        cursor = cursorOf(page)
        if (leadsOn(cursor)) {
          if (visited.has(cursor)) break
          visited.add(cursor)
          const passed = gauge(page) ?? tooManyRows(rows.length, limits.historyRows)
          if (passed !== undefined) {
            // That a walk shows rows twice is told by its rows; any other may have been long.
            withinLimits(session, { pages, passed }, showsRowsTwice(rows))
            break
          }
          await between(page)
        }
      } while (leadsOn(cursor))
      return { rows, pages, end: cursor }
    },

    /** Reads the history until `enough` says so, for as long as changes may take to be seen. */
    settled: (chat: Chat, enough: (rows: readonly HistoryRow[]) => boolean): Promise<Walk> =>
      settle(
        session,
        () => routes.walk(chat),
        ({ rows }) => enough(rows),
      ),

    /** The history after a pause in which a late second step would show. */
    async quiet(chat: Chat): Promise<Walk> {
      await session.sleep(Math.min(limits.settleMs, pauseMs))
      return routes.walk(chat)
    },

    /** Any request of this surface that a living server answers. */
    alive: (chat: Chat): Promise<Exchange> => routes.history(chat, {}, { role: 'liveness' }),
  }
  return routes
}

/** A message of the user in the Responses-style input format. */
export function inputText(text: string, role: 'user' | 'system' | 'developer' = 'user') {
  return { type: 'message', role, content: [{ type: 'input_text', text }] }
}

function at(id: OperationId, chatId = ''): Pick<RequestSpec, 'surface' | 'method' | 'path'> {
  const { surface, method } = operations[id]
  return { surface, method, path: pathOf(id, chatId) }
}

function tooManyRows(rows: number, most: number): string | undefined {
  return rows > most
    ? `gave more than ${most} rows, and a cursor for more (limits.historyRows)`
    : undefined
}

function showsRowsTwice(rows: readonly HistoryRow[]): boolean {
  const shown = rows.filter(({ item }) => isRecord(item)).map((row) => JSON.stringify(row))
  return new Set(shown).size < shown.length
}

/** An empty cursor is a fault of its own, and asks for nothing. */
function leadsOn(cursor: unknown): cursor is string {
  return typeof cursor === 'string' && cursor !== ''
}
