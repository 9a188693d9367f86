import { hash } from 'node:crypto'
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
  // A run without a reachable target ends before it writes anything.
  const text = existsSync(exchangesFile) ? readFileSync(exchangesFile, 'utf8') : ''
  // The lines are written by chatgen, so they are not validated.
  const exchanges = text.split('\n').flatMap((line): StoredExchange[] => {
    return line === '' ? [] : [JSON.parse(line)]
  })
  return {
    digests: new Map(exchanges.map((exchange) => [placeOf(exchange), digestOf(exchange)])),
    chunks: sum(exchanges.map(({ response }) => response?.chunks.length ?? 0)),
    busyMs: sum(exchanges.map(({ ending }) => ending.atMs)),
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
  return [...other.digests.keys()].filter((place) => {
    const before = plain.digests.get(place)
    return before !== undefined && before !== other.digests.get(place)
  })
}

/** The part that does not change from run to run. */
export function stablePart(first: Fingerprint, second: Fingerprint): Fingerprint {
  const digests = [...first.digests].filter(
    ([place, digest]) => second.digests.get(place) === digest,
  )
  return { ...first, digests: new Map(digests) }
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
  return hash('sha256', JSON.stringify(facts), 'base64')
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
