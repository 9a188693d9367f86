import { closeSync, existsSync, openSync, readSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Surface } from '../../contract/catalog/requirement.ts'
import { messageOf } from '../../contract/text.ts'
import { type ErrorCounter, type ErrorRow, errorRow } from '../../reports/load/model/integrity.ts'
import type { RequestLine } from '../../reports/load/model/requests.ts'
import { milliseconds } from './metrics/samples/histogram.ts'

/**
 * The record of one request. All times are monotonic nanoseconds after the start of the run, on one
 * clock for all workers; null if the event never happened.
 */
export interface RequestRecord {
  /** Index of the arrival in the plan. */
  readonly index: number
  /** Position in a transaction of several requests, from 0. */
  readonly step: number
  /** Name of the transaction in the mix. */
  readonly transaction: string
  readonly surface: Surface
  /** Index of the endpoint that it went to; absent for a target with one. */
  readonly endpoint?: number
  readonly operation: string
  readonly form: 'stream' | 'json'
  readonly timestamps: Timestamps
  /** Nanoseconds between fragments of generated content; 0 for fragments of one read. */
  readonly gapsNs: readonly number[]
  readonly counts: Counts
  /** Null without a status line. */
  readonly status: number | null
  readonly outcome: RequestOutcome
  /** First requirement that the answer violates, a required one before an expected one. */
  readonly finding?: string
  /** Worst outcome of the earlier requests of its transaction; absent if none failed or is open. */
  readonly earlier?: 'failed' | 'open'
  /** Rate-limit headers of a 429 response, in lower case. */
  readonly rateLimit?: Readonly<Record<string, string>>
}

/**
 * True if a request only prepared its transaction, e.g. created a chat because no prepared one was left. It is not
 * a user's request: unless it fails, it counts only in its transaction.
 */
export function isPreparation({ operation, outcome }: RequestRecord): boolean {
  return operation === preparingOperation && outcome.kind === 'ok'
}

/** Operation that only prepares its transaction. */
export const preparingOperation = 'v3.createChat'

/** Timestamps of a request of which nothing but its planned send time, and that of its dispatch, is known. */
export function timestampsOf(planned: number, dispatched: number) {
  const never = null as number | null
  return {
    planned,
    /** Time at which the scheduler issued it. */
    dispatched,
    /** Time at which its connection was ready. */
    connected: never,
    /** Time of its first written byte. */
    sent: never,
    headers: never,
    firstEvent: never,
    /** First generated delta that is not empty: reasoning, text or tool arguments. */
    firstGenerated: never,
    /** First delta of answer text that is not empty. */
    firstText: never,
    lastGenerated: never,
    /** The event that ends a stream, or the last byte of an unstreamed body. */
    terminal: never,
    /** End of the body or of the connection; for `open` and `timeout`, the end of the wait. */
    ended: never,
  }
}
export type Timestamps = Readonly<ReturnType<typeof timestampsOf>>

export interface Counts {
  readonly bytes: number
  readonly events: number
  /** Deltas with generated content. */
  readonly generated: number
  /** Output tokens by the usage of the answer; null without one. */
  readonly outputTokens: number | null
  /** Output tokens without hidden reasoning: the tokens that were streamed. */
  readonly streamedTokens: number | null
  readonly inputTokens: number | null
  /** True if a connection was opened for the request. */
  readonly newConnection: boolean
}

/**
 * `ok`: a complete answer without a violation; only such an answer can be good.
 * `abandoned`: not a user's request: a client that misbehaved on purpose, or a duplicate in a race of
 * idempotency keys. Its times are not the target's.
 * `open`: in flight when the run ended, so its latencies are known only as lower bounds. `isStalled`: its answer had
 * begun, and brought no byte in the last ten seconds.
 */
export type RequestOutcome =
  | { readonly kind: 'ok' }
  | { readonly kind: 'open'; readonly isStalled?: boolean }
  | { readonly kind: 'abandoned'; readonly why: 'abort' | 'churn' | 'slow-reader' | 'race' }
  | Failure

/** `counter`: the counter of the report that counts it. */
export interface Failure {
  readonly kind: FailureKind
  readonly counter: ErrorCounter
  readonly detail: string
}

export const failureKinds = errorRow.shape.kind.options
export type FailureKind = ErrorRow['kind']

/** The usual counter of each kind. */
const counters: Readonly<Record<FailureKind, ErrorCounter>> = {
  connect: 'unanswered',
  status: 'otherErrors',
  shed: 'tooManyRequests',
  truncated: 'droppedConnections',
  unreadable: 'unreadable',
  'in-band-error': 'errorEvents',
  integrity: 'violations',
  timeout: 'timeouts',
  limit: 'unreadable',
}

export function failure(
  kind: FailureKind,
  detail: string,
  counter: ErrorCounter = counters[kind],
): Failure {
  return { kind, counter, detail }
}

/** A settled request, as its transaction sees it. */
export interface RequestResult {
  readonly record: RequestRecord
  /** Body of an unstreamed answer; undefined for streams and for bodies that are not JSON. */
  readonly json: unknown
  /** Id of the completion or response. */
  readonly id: string | undefined
}

/** A line for each request of a run, written while it runs. */
export const requestsName = 'requests.ndjson'

/**
 * Writes the requests of a run on the main thread, which takes no timestamps: a slow disk delays the reading of
 * records but not the load, and no line is kept in memory. A failure to write ends the file, not the run.
 * @param redact removes secrets from a text of the target
 */
export function requestsFile(file: string, redact: (text: string) => string) {
  let flag = 'w'
  let problem: string | undefined
  return {
    add(records: readonly RequestRecord[]): void {
      if (records.length === 0 || problem !== undefined) return
      const lines = records.map((record) => `${JSON.stringify(lineOf(record, redact))}\n`)
      try {
        writeFileSync(file, lines.join(''), { flag })
        flag = 'a'
      } catch (error) {
        problem = `${requestsName} is incomplete: ${messageOf(error)}`
      }
    },
    /** Returns the reason why the file is incomplete, as a sentence; none if it is whole. */
    problems: (): readonly string[] => (problem === undefined ? [] : [problem]),
  }
}

function lineOf(record: RequestRecord, redact: (text: string) => string): RequestLine {
  const { index, step, transaction, operation, endpoint, timestamps, counts, outcome } = record
  return {
    index,
    step,
    transaction,
    operation,
    ...(endpoint === undefined ? {} : { endpoint }),
    planned: timestamps.planned / 1e6,
    sent: milliseconds(timestamps.sent),
    firstEvent: milliseconds(timestamps.firstEvent),
    firstText: milliseconds(timestamps.firstText),
    end: milliseconds(timestamps.ended),
    bytes: counts.bytes,
    events: counts.events,
    promptTokens: counts.inputTokens,
    tokens: counts.outputTokens,
    status: record.status,
    outcome: outcome.kind,
    detail: 'detail' in outcome ? redact(outcome.detail) : 'why' in outcome ? outcome.why : null,
    finding: record.finding ?? null,
  }
}

const pieceBytes = 1 << 20

/**
 * Joins the lines of shards in one file, piece by piece; shards without such a file are left out.
 * @throws the error of the file system
 */
export function joinRequests(folders: readonly string[], out: string): void {
  const parts = folders.map((folder) => join(folder, requestsName)).filter(existsSync)
  if (parts.length === 0) return
  const whole = join(out, requestsName)
  // The folder of a shard may be the output folder.
  const unfinished = `${whole}.part`
  const to = openSync(unfinished, 'w')
  try {
    const piece = Buffer.allocUnsafe(pieceBytes)
    for (const part of parts) {
      const from = openSync(part, 'r')
      try {
        for (let read = readSync(from, piece); read > 0; read = readSync(from, piece)) {
          writeFileSync(to, piece.subarray(0, read))
        }
      } finally {
        closeSync(from)
      }
    }
  } finally {
    closeSync(to)
  }
  renameSync(unfinished, whole)
}
