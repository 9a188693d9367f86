/** Objects of the store, whose methods are asynchronous, and keyed by the caller that owns the data. */
import type { RunItem } from '../events/response-object.ts'
import type { ResponseRun } from '../events/run.ts'
import type { KnowledgeDocument } from '../retrieval/retrieval.ts'

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

/** Changes of a chat; fields that are absent or undefined stay as they are. */
export type ChatChange = {
  readonly [Field in 'name' | 'favorite' | 'updatedAt']?: Chat[Field] | undefined
}

export interface PageRequest {
  readonly limit: number
  /** Position of the last row of the page before. */
  readonly before?: number | undefined
  /** Matches anywhere in the name, ignoring case. */
  readonly search?: string | undefined
}

export interface Page<Row> {
  readonly rows: readonly Row[]
  /** Position of the next page; null at the end. */
  readonly next: number | null
}

/** A finished turn: input and output together. */
export interface StoredRun {
  readonly id: string
  /** The run that this one continues. */
  readonly parentId: string | null
  readonly createdAt: number
  readonly input: readonly RunItem[]
  readonly output: readonly RunItem[]
}

/** The key of a turn and the run that it identifies from now on. */
export interface FinishedTurn {
  readonly scope: IdempotencyScope
  readonly run: ResponseRun
  /** Time of this change of its chat. */
  readonly updatedAt: number
}

export interface HistoryRow {
  readonly runId: string
  readonly createdAt: number
  readonly item: RunItem
}

/** A v2 message (section 2.3), with the parameters for the generation of its reply. */
export interface Message {
  readonly id: string
  readonly chatId: string
  readonly modelId: string
  readonly role: 'user' | 'assistant'
  readonly content: string
  readonly createdAt: number
  readonly parentId: string | null
  readonly assistantId: string | null
  readonly think: boolean
  readonly rag: boolean | 'agent'
  readonly attachmentIds: readonly string[]
}

/** Section 2.4. */
export interface Attachment {
  readonly id: string
  readonly owner: string
  readonly filename: string
  readonly contentType: string
  /** Bytes. */
  readonly size: number
  /** Text for the model; null for files without text. */
  readonly text: string | null
  readonly createdAt: number
}

export interface KnowledgeBase {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly createdAt: number
  /** Every caller has it from the start, and it cannot be deleted. */
  readonly seeded: boolean
}

/** A base that every caller has from the start. */
export interface SeededBase {
  readonly base: KnowledgeBase
  readonly documents: readonly KnowledgeDocument[]
}

/** One key of one caller at one endpoint. */
export interface IdempotencyScope {
  readonly owner: string
  readonly endpoint: string
  readonly key: string
}

export type Reservation =
  /** The caller now owns the key and must `finish` or `release` it. */
  | { readonly state: 'first' }
  | { readonly state: 'running' }
  | { readonly state: 'finished'; readonly run: ResponseRun }
  /** The key was used with a different payload. */
  | { readonly state: 'mismatch' }

export interface StoreOptions {
  /** Time, in milliseconds, after which the key of a run is free if its server died; 10,000 by default. */
  readonly leaseMs?: number
}

const failures = {
  /** The next request may succeed. */
  store_unavailable: 'The database of the server does not answer',
  /** Stored data can be read, nothing can be added. */
  store_full: 'The disk of the database is full',
  /** The lease of the first request had expired. */
  idempotency_key_in_use: 'Another request with this Idempotency-Key has taken over',
}

/** A failure that leaves nothing of a turn in the store. */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure'
  readonly code: keyof typeof failures

  constructor(code: StoreFailure['code'], cause?: unknown) {
    super(failures[code], { cause })
    this.code = code
  }
}

/** A store that cannot be opened: unknown, in use, of a newer server, or not a store. */
export class StoreOpenError extends Error {
  override readonly name = 'StoreOpenError'
  readonly code = 'store_open'
}
