import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import type { StoredExchange } from '../../../contract/index.ts'

/**
 * Content on the wire in a run, without parts that differ between runs: identifiers, times, ports. Two runs
 * with the same seed against the same server have equal fingerprints of almost every exchange; an effective
 * deviation changes some.
 */
export interface Fingerprint {
  /** Digests by scenario, ordinal and attempt. */
  readonly digests: ReadonlyMap<string, string>
  /** Number of chunks of all bodies. */
  readonly chunks: number
  /** Total duration of all responses, in milliseconds. */
  readonly busyMs: number
}

export function fingerprintOf(exchangesFile: string): Fingerprint {
  const exchanges = [...storedIn(exchangesFile)]
  return {
    digests: new Map(exchanges.map((exchange) => [placeOf(exchange), digestOf(exchange)])),
    ...effortOf(exchanges),
  }
}

/** Tests if a deviation has an effect on content, segmentation or timing. */
export function differs(plain: Fingerprint, other: Fingerprint): boolean {
  return (
    differingPlaces(plain, other).length > 0 ||
    apart(plain.chunks, other.chunks) ||
    apart(plain.busyMs, other.busyMs)
  )
}

/** Requests that two servers answered differently. */
export function differingPlaces(plain: Fingerprint, other: Fingerprint): readonly string[] {
  return [...other.digests.entries()].flatMap(([place, digest]) => {
    const before = plain.digests.get(place)
    return before !== undefined && before !== digest ? [place] : []
  })
}

/** The part that does not change from run to run. */
export function stablePart(first: Fingerprint, second: Fingerprint): Fingerprint {
  const digests = [...first.digests].filter(([place, digest]) => {
    return second.digests.get(place) === digest
  })
  return { ...first, digests: new Map(digests) }
}

/** The lines are written by chatgen, so they are not validated. */
function* storedIn(exchangesFile: string): Iterable<StoredExchange> {
  // A run without a reachable target ends before it writes anything.
  if (!existsSync(exchangesFile)) return
  for (const line of readFileSync(exchangesFile, 'utf8').split('\n')) {
    if (line !== '') yield JSON.parse(line) as StoredExchange
  }
}

function effortOf(exchanges: readonly StoredExchange[]) {
  return {
    chunks: sum(exchanges.map((exchange) => exchange.response?.chunks.length ?? 0)),
    busyMs: sum(exchanges.map((exchange) => exchange.ending.atMs)),
  }
}

/** Tests if values differ by half or more; less may be chance. */
function apart(a: number, b: number): boolean {
  return Math.max(a, b) > 1.5 * Math.min(a, b)
}

function placeOf({ labels }: StoredExchange): string {
  return JSON.stringify([labels.scenario, labels.ordinal, labels.attempt])
}

function digestOf({ response, ending }: StoredExchange): string {
  const headers = (response?.headers ?? [])
    .filter(([name]) => !['date', 'content-length', 'x-request-id', 'etag'].includes(name))
    .map(([name, value]) => `${name}: ${plain(value)}`)
    .sort()
  const body = Buffer.concat((response?.chunks ?? []).map(bytesOf)).toString()
  const facts = [response?.status, ending.kind, ...headers, plain(body)]
  return createHash('sha256').update(JSON.stringify(facts)).digest('base64')
}

function bytesOf(chunk: { readonly text: string } | { readonly base64: string }): Buffer {
  return 'text' in chunk ? Buffer.from(chunk.text) : Buffer.from(chunk.base64, 'base64')
}

/** Replaces identifiers and times by placeholders. */
function plain(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, '<uuid>')
    .replaceAll(/\b[a-z]{2,8}[_-][0-9A-Za-z]{12,}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, '<time>')
    .replaceAll(/\b1[6-9]\d{8}(\d{3})?\b/g, '<time>')
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
