import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Conversation } from './model.ts'

/** Members of JSON, of which a hand-made server knows what it put in. */
export type Json = Record<string, unknown>

export interface ServerEvent {
  readonly name: string
  readonly data: Json
}

export interface HistoryPage {
  readonly result: readonly Json[]
  readonly pagination: Json
}

export interface PagePlace {
  /** Start of the page among the rows. */
  readonly start: number
  readonly limit: number
  /** All rows of the chat, newest first. */
  readonly rows: readonly Json[]
}

/** Check that a server must make before it accepts a request. */
export type Check =
  | 'temperature'
  | 'types'
  | 'json'
  | 'key of the turn'
  | 'both tool lists'
  | 'types of a generation'

/** Situation in which the same Idempotency-Key comes again. */
export type Occasion = 'finished JSON' | 'finished stream' | 'in flight' | 'racing'

/** Answer to a repeat; all of them are legal. */
export type Repeat = 'short stream' | 'full replay' | 'JSON' | 'conflict'

/**
 * The seams of the hand-made server. Left alone it is legal; a test replaces one of them to make it
 * wrong in one way, or legal in another.
 */
export interface Hooks {
  /** Answers a request in place of the server; false leaves it to the server. */
  answers(request: IncomingMessage, response: ServerResponse): boolean
  /** Tests if a credential opens a route, for example `POST /api/v3/chat`. */
  accepts(authorization: string | undefined, key: string, route: string): boolean
  /** Status of a refused credential. */
  refusal(route: string): number
  /** Tests if a check is made at all. */
  checks(check: Check): boolean
  /** True if bodies must have members that only the profile shows, not the document. */
  readonly wantsMore: boolean
  /** Status of a refused v3 request. */
  readonly refusedStatus: number
  /** True if a refused generation is stored. */
  readonly storesRefused: boolean

  /** Tests if a model of this name exists. */
  knows(model: unknown): boolean
  /** Status of a repeat that is refused. */
  readonly conflictStatus: number
  /** Maximum tokens of an answer; undefined: no limit. */
  maxTokens(maximum: number | undefined): number | undefined
  /** The text up to the first stop sequence. */
  stop(text: string, stops: readonly string[], streamed: boolean): string
  /** True if a turn without a parent continues all turns of its chat. */
  readonly remembersChat: boolean
  /** Messages that the model sees; `input` is the part that came with this request. */
  sees(conversation: Conversation, everything: Conversation, input: Conversation): Conversation
  newId(kind: 'completion' | 'response'): string

  completion(body: Json): Json
  chunks(list: readonly Json[]): readonly Json[]
  models(body: Json): unknown
  events(list: readonly ServerEvent[], request: Json): readonly ServerEvent[]
  response(body: Json, streamed: boolean): Json
  /** The bytes of one block of a stream. */
  bytes(block: Buffer, index: number): Buffer
  /** Media type of a v3 stream. */
  readonly streamType: string
  /** Ends of the lines of a stream. */
  readonly lineEnd: string
  /** True if a stream is held back until it is complete. */
  readonly holdsBack: boolean
  /** Milliseconds between two blocks of a stream. */
  readonly gapMs: number

  readonly defaultLimit: number
  row(row: Json): Json
  page(page: HistoryPage, place: PagePlace): HistoryPage
  /** True if a cursor counts from the newest row, which moves when rows are added. */
  readonly countsFromEnd: boolean
  /** All rows that are taken for the history of a chat. */
  rows(own: readonly Json[], everybodys: readonly Json[]): readonly Json[]

  /** Tests if an Idempotency-Key of this form is accepted. */
  takesKey(key: string): boolean
  /** Identity of a turn. */
  turnOf(key: string, content: string): string
  /** Tests if a key that came before is recognised. */
  remembers(occasion: Occasion): boolean
  repeats(occasion: Occasion): Repeat
  /** The answer to POST /chat. */
  created(id: string, name: string): Json
}

export const legal: Hooks = {
  answers: () => false,
  accepts: (authorization, key) => authorization === `Bearer ${key}`,
  refusal: (route) => (route.includes('/api/openai/') ? 401 : 403),
  checks: () => true,
  wantsMore: false,
  refusedStatus: 422,
  storesRefused: false,
  knows: () => true,
  conflictStatus: 409,
  maxTokens: (maximum) => maximum,
  stop: cutAtFirst,
  remembersChat: false,
  sees: (conversation) => conversation,
  newId: () => crypto.randomUUID(),
  completion: (body) => body,
  chunks: (list) => list,
  models: (body) => body,
  events: (list) => list,
  response: (body) => body,
  bytes: (block) => block,
  streamType: 'text/event-stream; charset=utf-8',
  lineEnd: '\r\n',
  holdsBack: false,
  gapMs: 1,
  defaultLimit: 50,
  row: (row) => row,
  page: (page) => page,
  countsFromEnd: false,
  rows: (own) => own,
  takesKey: () => true,
  turnOf: (key) => key,
  remembers: () => true,
  repeats: (occasion) => (occasion === 'finished stream' ? 'short stream' : 'conflict'),
  created: (id, name) => ({
    data: { chat: { uuid: id, title: name, owner_id: crypto.randomUUID(), tags: [] } },
  }),
}

export function cutAtFirst(text: string, stops: readonly string[]): string {
  const positions = stops.map((stop) => text.indexOf(stop)).filter((at) => at >= 0)
  return positions.length === 0 ? text : text.slice(0, Math.min(...positions))
}
