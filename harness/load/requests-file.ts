/** `requests.ndjson`: a line for each request of a run, written while it runs. */
import { closeSync, existsSync, openSync, readSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../../contract/error-message.ts'
import type { RequestLine } from '../../contract/report/load/requests.ts'
import type { RequestRecord } from './record.ts'

export const requestsName = 'requests.ndjson'

/**
 * Writes the requests of a run on the main thread, which takes no stamps: a slow disk delays the reading of
 * records but not the load, and no line is kept in memory. A failure to write ends the file, not the run.
 */
export class RequestsFile {
  /** Reason why the file is incomplete, as a sentence; undefined if it is whole. */
  problem: string | undefined
  readonly #file: string
  readonly #redact: (text: string) => string
  #descriptor: number | undefined

  /** @param redact removes secrets from a text of the target */
  constructor(file: string, redact: (text: string) => string) {
    this.#file = file
    this.#redact = redact
  }

  add(records: readonly RequestRecord[]): void {
    if (records.length === 0 || this.problem !== undefined) return
    const lines = records.map((record) => `${JSON.stringify(lineOf(record, this.#redact))}\n`)
    try {
      this.#descriptor ??= openSync(this.#file, 'w')
      writeWhole(this.#descriptor, Buffer.from(lines.join('')))
    } catch (error) {
      this.problem = `${requestsName} is incomplete: ${messageOf(error)}`
    }
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    this.#descriptor = undefined
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
    sent: inMs(timestamps.sent),
    firstEvent: inMs(timestamps.firstEvent),
    firstText: inMs(timestamps.firstText),
    end: inMs(timestamps.ended),
    bytes: counts.bytes,
    events: counts.events,
    tokens: counts.outputTokens,
    status: record.status,
    outcome: outcome.kind,
    detail: 'detail' in outcome ? redact(outcome.detail) : 'why' in outcome ? outcome.why : null,
    finding: record.finding ?? null,
  }
}

function inMs(ns: number | null): number | null {
  return ns === null ? null : ns / 1e6
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
    for (const part of parts) copyInto(to, part, piece)
  } finally {
    closeSync(to)
  }
  renameSync(unfinished, whole)
}

function copyInto(to: number, part: string, piece: Buffer): void {
  const from = openSync(part, 'r')
  try {
    for (let read = readSync(from, piece); read > 0; read = readSync(from, piece)) {
      writeWhole(to, piece.subarray(0, read))
    }
  } finally {
    closeSync(from)
  }
}

function writeWhole(descriptor: number, bytes: Uint8Array): void {
  for (let from = 0; from < bytes.length; ) from += writeSync(descriptor, bytes, from)
}
