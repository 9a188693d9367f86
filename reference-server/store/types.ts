/** What the service remembers. Everything is asynchronous, and keyed by the caller that owns it. */
import type { RunItem } from '../events/items.ts'
import type { Run } from '../events/run.ts'

export type ChatVersion = 'v2' | 'v3'

/** Times in Unix milliseconds. */
export interface Chat {
  readonly id: string
  readonly owner: string
  readonly name: string
  /** Fixed at creation (section 3). */
  readonly version: ChatVersion
  readonly favorite: boolean
  readonly createdAt: number
  readonly updatedAt: number
}

export interface ChatStore {
  create(chat: Chat): Promise<void>
  /** A chat of another caller is as unknown as one that never was. */
  find(owner: string, id: string): Promise<Chat | undefined>
  /** Newest first; `before` is the position of the last chat of the page before. */
  list(owner: string, page: ChatPageRequest): Promise<Page<Chat>>
  /** Takes the history with it. */
  delete(owner: string, id: string): Promise<boolean>
}

export interface ChatPageRequest {
  readonly version: ChatVersion
  readonly limit: number
  readonly before?: number | undefined
  readonly search?: string | undefined
}

export interface Page<Row> {
  readonly rows: readonly Row[]
  /** Position to go on from; null when nothing more is there. */
  readonly next: number | null
}

/** A turn that is over: what was asked and what was answered, in one piece. */
export interface StoredRun {
  readonly id: string
  /** The run whose conversation this one went on from. */
  readonly parentId: string | null
  readonly createdAt: number
  readonly input: readonly RunItem[]
  readonly output: readonly RunItem[]
}

export interface HistoryRow {
  readonly runId: string
  readonly createdAt: number
  readonly item: RunItem
}

export interface HistoryStore {
  /** The whole run or nothing: its rows stand together. Of a deleted chat, nothing is kept. */
  append(chatId: string, run: StoredRun): Promise<void>
  /** Oldest first, the rows after position `after` (0: from the start). */
  page(chatId: string, after: number, limit: number): Promise<Page<HistoryRow>>
  /** Oldest first. */
  runs(chatId: string): Promise<readonly StoredRun[]>
}

/** One key of one caller at one endpoint. */
export interface LedgerScope {
  readonly owner: string
  readonly endpoint: string
  readonly key: string
}

export type Claim =
  /** The caller of `claim` now owns the key and must `finish` or `release` it. */
  | { readonly state: 'first' }
  | { readonly state: 'running' }
  | { readonly state: 'finished'; readonly run: Run }
  /** The key was used with another payload. */
  | { readonly state: 'mismatch' }

export interface IdempotencyLedger {
  /** Atomic: of any number of racing claims, one is the first. `now` in Unix milliseconds. */
  claim(scope: LedgerScope, fingerprint: string, now: number): Promise<Claim>
  finish(scope: LedgerScope, run: Run): Promise<void>
  /** The key was not used after all; the next claim is the first again. */
  release(scope: LedgerScope): Promise<void>
}

export interface Store {
  readonly chats: ChatStore
  readonly history: HistoryStore
  readonly ledger: IdempotencyLedger
}
