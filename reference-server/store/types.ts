/** Storage interfaces: asynchronous, and keyed by the caller that owns the data. */
import type { RunItem } from '../events/response-object.ts'
import type { ResponseRun } from '../events/run.ts'
import type { KnowledgeDocument } from '../retrieval/types.ts'

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

/** Mutable fields of a chat. */
export type ChatChange = Partial<Pick<Chat, 'name' | 'favorite' | 'updatedAt'>>

export interface ChatStore {
  create(chat: Chat): Promise<void>
  /** Undefined for a chat of another caller, as for one that does not exist. */
  find(owner: string, id: string): Promise<Chat | undefined>
  /** Newest first. */
  list(owner: string, page: ChatPageRequest): Promise<Page<Chat>>
  /** @returns undefined if the chat does not exist */
  update(owner: string, id: string, change: ChatChange): Promise<Chat | undefined>
  /** Deletes history, messages and the links of attachments as well. */
  delete(owner: string, id: string): Promise<boolean>
}

export interface PageRequest {
  readonly limit: number
  /** Position of the last row of the page before. */
  readonly before?: number | undefined
  /** Matches anywhere in the name, ignoring case. */
  readonly search?: string | undefined
}

export interface ChatPageRequest extends PageRequest {
  readonly version: ChatVersion
  /** True for favorites only, false for the others; without it, both. */
  readonly favorite?: boolean | undefined
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
}

export interface HistoryRow {
  readonly runId: string
  readonly createdAt: number
  readonly item: RunItem
}

export interface HistoryStore {
  /**
   * Adds the whole run or nothing; its rows are contiguous. Nothing is stored for a deleted chat. A persistent
   * store finishes the key of the turn in the same transaction.
   *
   * @throws StoreFailure if another request has taken over the key; nothing is stored then
   */
  append(chatId: string, run: StoredRun, turn?: FinishedTurn): Promise<void>
  /** Oldest first, the rows after position `after` (0: from the start). */
  page(chatId: string, after: number, limit: number): Promise<Page<HistoryRow>>
  /** Oldest first. */
  runs(chatId: string): Promise<readonly StoredRun[]>
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

export interface MessageStore {
  /** Adds a message; nothing is stored for a deleted chat. */
  append(message: Message): Promise<void>
  find(chatId: string, id: string): Promise<Message | undefined>
  /** The chain of messages up to this one, oldest first; empty if it does not exist. */
  chain(chatId: string, id: string): Promise<readonly Message[]>
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

export interface AttachmentStore {
  add(attachment: Attachment): Promise<void>
  find(owner: string, id: string): Promise<Attachment | undefined>
  /** An attachment may belong to several chats; linking to a deleted chat has no effect. */
  link(chatId: string, id: string): Promise<void>
  /** Newest first; with `chatId`, those that are linked to that chat. */
  list(owner: string, page: AttachmentPageRequest): Promise<Page<Attachment>>
}

export interface AttachmentPageRequest extends PageRequest {
  readonly chatId?: string | undefined
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

export interface KnowledgeStore {
  /** Oldest first. */
  bases(owner: string, page: PageRequest): Promise<Page<KnowledgeBase>>
  find(owner: string, id: string): Promise<KnowledgeBase | undefined>
  create(owner: string, base: KnowledgeBase): Promise<void>
  delete(owner: string, id: string): Promise<boolean>
  /** Oldest first. */
  documentPage(owner: string, baseId: string, page: PageRequest): Promise<Page<KnowledgeDocument>>
  /** Oldest first, the same array until its content changes; empty if the base does not exist. */
  documents(owner: string, baseId: string): Promise<readonly KnowledgeDocument[]>
  /** False if the base does not exist. */
  addDocument(owner: string, baseId: string, document: KnowledgeDocument): Promise<boolean>
  deleteDocument(owner: string, baseId: string, id: string): Promise<boolean>
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
  /** The key was used with another payload. */
  | { readonly state: 'mismatch' }

export interface IdempotencyStore {
  /** Atomic: exactly one of any number of concurrent claims is the first. `now` in Unix milliseconds. */
  reserve(scope: IdempotencyScope, fingerprint: string, now: number): Promise<Reservation>
  finish(scope: IdempotencyScope, run: ResponseRun): Promise<void>
  /** Releases an unused key; the next claim is the first again. */
  release(scope: IdempotencyScope): Promise<void>
}

export interface StoreOptions {
  /** Time after which the key of a run is free if its server has died, in milliseconds. Default 10,000. */
  readonly leaseMs?: number
}

/** State of a server. Methods throw StoreFailure while a database is unavailable or its disk is full. */
export interface Store {
  readonly chats: ChatStore
  readonly history: HistoryStore
  readonly messages: MessageStore
  readonly attachments: AttachmentStore
  readonly knowledge: KnowledgeStore
  readonly idempotency: IdempotencyStore
  /** True if data outlives the server, so that callers must have the same names in the next one. */
  readonly durable: boolean
  /** Resolves if the store is available. */
  ready(): Promise<void>
  close(): Promise<void>
}
