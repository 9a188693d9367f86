import { createHash } from 'node:crypto'
import type { LoadReport } from '../../../reports/load/model/report.ts'
import { arrivalTimes, type OpenArrival, type TraceLine } from './arrival-times.ts'
import type { Mix, MixEntry } from './mix.ts'
import { type Draw, drawCount, drawsOf, drawValue, hashText } from './random.ts'

/** Determines what is sent and when; structured-cloneable. */
export interface PlanSpec {
  readonly seed: string
  readonly mix: Mix
  readonly arrival:
    | OpenArrival
    /** A fixed number of clients; each starts a transaction when its previous one ends, up to a maximum. */
    | { readonly kind: 'closed'; readonly concurrency: number; readonly maxTransactions: number }
    | { readonly kind: 'trace'; readonly file: string; readonly lines: readonly TraceLine[] }
  readonly durationNs: number
  readonly misbehavior: Misbehavior
  /** Share of v3 generations that are sent twice concurrently with one Idempotency-Key. */
  readonly idempotencyRaces: number
}

/** Shares of the requests, 0 to 1. */
export type Misbehavior = LoadReport['config']['misbehavior']

export type ClientBehavior = 'normal' | 'slow-reader' | 'abort' | 'churn'

export type Arrival = Readonly<ReturnType<typeof buildArrival>>

/** Generates the arrivals of a plan in the order of their index: a pure function of the spec. */
export function* arrivals(spec: PlanSpec): Generator<Arrival, void> {
  const seed = hashText(spec.seed)
  const choose = weightedChoice(spec.mix.entries)
  let index = 0
  for (const planned of plannedTimes(spec)) {
    const draw = drawsOf(seed, index)
    yield buildArrival(spec, index, planned, draw, choose(draw))
    index += 1
  }
}

/** Part of a plan that one process or one worker sends: 0 ≤ index < of. */
export interface Part {
  readonly index: number
  readonly of: number
}

export const wholePlan: Part = { index: 0, of: 1 }

/** True for arrivals of this part; a session is never split. */
export function isOwnArrival({ session }: Arrival, { index, of }: Part): boolean {
  return session % of === index
}

/** A worker's part of a shard: the shard first, so that the number of workers changes no shard. */
export function partOfWorker(shard: Part, worker: Part): Part {
  return { index: shard.index + shard.of * worker.index, of: shard.of * worker.of }
}

/** Integer share of a total; all shares add up to it. */
export function shareOf(total: number, { index, of }: Part): number {
  return Math.floor(total / of) + (index < total % of ? 1 : 0)
}

/** SHA-256 of all arrivals; of a closed loop, of its first thousand. */
export function planHash(spec: PlanSpec): string {
  const hash = createHash('sha256')
  hash.update(JSON.stringify([spec.seed, spec.mix.entries, spec.durationNs]))
  for (const arrival of arrivals(spec)) {
    if (arrival.plannedNs === null && arrival.index >= 1000) break
    hash.update(JSON.stringify(Object.values(arrival)))
  }
  return hash.digest('hex')
}

/** A time, and the line of the trace that it is from. */
type PlannedTime = readonly [plannedNs: number | null, line?: TraceLine]

function* plannedTimes({ arrival, durationNs, seed }: PlanSpec): Generator<PlannedTime, void> {
  if (arrival.kind === 'closed') {
    for (let count = 0; count < arrival.maxTransactions; count += 1) yield [null]
  } else if (arrival.kind === 'trace') {
    for (const line of arrival.lines) if (line.atNs < durationNs) yield [line.atNs, line]
  } else {
    for (const plannedNs of arrivalTimes(arrival, durationNs, seed)) yield [plannedNs]
  }
}

/** @param chosen index of the drawn entry of the mix, unless the line names another */
function buildArrival(
  spec: PlanSpec,
  index: number,
  [plannedNs, line]: PlannedTime,
  draw: Draw,
  chosen: number,
) {
  const named = spec.mix.entries.findIndex(({ name }) => name === line?.transaction)
  const place = named < 0 ? chosen : named
  const entry = spec.mix.entries[place] ?? never(place)
  const promptWords = drawCount(entry.prompt, draw, 1)
  const answer = entry.answer === null ? null : drawCount(entry.answer, draw, 1)
  const drawnTurns = drawCount(entry.turns, draw, 1)
  const turns = entry.kind === 'v3-chat' ? drawnTurns : 1
  const clientBehavior = drawClientBehavior(spec.misbehavior, draw())
  const [intensity, racing] = [draw(), draw()]
  return {
    index,
    /** Nanoseconds after the start of the run; null in a closed loop. */
    plannedNs,
    /** Index in the mix. */
    entry: place,
    /** Part of this prompt and of no other prompt of the run. */
    nonce: nonceOf(noncePrefix(spec.seed), index),
    promptWords: line?.promptWords ?? promptWords,
    answerTokens: line?.answerTokens ?? answer,
    /** Arrivals of one session are sent by the same worker. */
    session: line?.session ?? index,
    turns,
    /** Think time before each turn except the first. */
    thinkNs: Array.from({ length: turns - 1 }, () =>
      Math.round(drawValue(entry.thinkTime, draw) * 1e6),
    ),
    clientBehavior,
    /** Strength of the behavior: 1 is the latest abort, or the slowest reader. */
    intensity,
    race: racing < spec.idempotencyRaces,
  }
}

/** Common prefix of all nonces of a run, by which any of them is found; no word contains it. */
export function noncePrefix(seed: string): string {
  return `zq${hashText(`${seed}/nonce`).toString(36).padStart(7, '0')}x`
}

const checkLength = 3

/** Nonce of letters and digits only, which models repeat unchanged; its end is a checksum of the rest. */
function nonceOf(prefix: string, index: number): string {
  const text = prefix + index.toString(36).padStart(5, '0')
  return text + checksumOf(text)
}

/** False for a nonce that a model misspelled. */
export function isNonce(text: string): boolean {
  return text.slice(-checkLength) === checksumOf(text.slice(0, -checkLength))
}

function checksumOf(text: string): string {
  return hashText(text).toString(36).padStart(checkLength, '0').slice(-checkLength)
}

function drawClientBehavior(
  { slowReader, abort, churn }: Misbehavior,
  drawn: number,
): ClientBehavior {
  if (drawn < slowReader) return 'slow-reader'
  if (drawn < slowReader + abort) return 'abort'
  return drawn < slowReader + abort + churn ? 'churn' : 'normal'
}

function weightedChoice(entries: readonly MixEntry[]): (draw: Draw) => number {
  const total = entries.reduce((sum, { weight }) => sum + weight, 0)
  let sum = 0
  const bounds = entries.map(({ weight }) => {
    sum += weight
    return sum / total
  })
  return (draw) => {
    const drawn = draw()
    return bounds.findIndex((end) => drawn < end)
  }
}

function never(place: number): never {
  throw new RangeError(`the mix has no entry ${place}`)
}

/** Chats that a part of a plan needs before it starts. */
export type ChatNeeds = Readonly<ReturnType<typeof partSize>['needs']>

/** Upper bound of prepared chats; further ones are created by the transactions that need them. */
const maxPrepared = 20_000
const sharedV2 = 4
const sharedHistories = 2

/** Size of a part of the plan, as sent by one shard or worker. */
export function partSize(spec: PlanSpec, part: Part) {
  const count = { transactions: 0, v3: 0, v2: 0, history: 0 }
  const maxChats = Math.ceil(maxPrepared / part.of)
  for (const arrival of arrivals(spec)) {
    if (arrival.plannedNs === null && arrival.index >= closedLoopSample) break
    if (!isOwnArrival(arrival, part)) continue
    count.transactions += 1
    const chat = chatOf(spec, arrival)
    if (chat !== undefined) count[chat] += 1
  }
  return {
    transactions: count.transactions,
    needs: {
      /** One for each transaction that needs its own chat. */
      v3: Math.min(count.v3, maxChats),
      v2: Math.min(count.v2, sharedV2),
      /** Chats with some turns, for transactions that read a history. */
      history: Math.min(count.history, sharedHistories),
    },
  }
}

/** Sampled transactions of a closed loop, whose number is unknown. */
const closedLoopSample = 200

function chatOf({ mix }: PlanSpec, { entry }: Arrival): 'v3' | 'v2' | 'history' | undefined {
  const kind = mix.entries[entry]?.kind
  if (kind === 'v3-stream' || kind === 'v3-json' || kind === 'v3-chat') return 'v3'
  if (kind === 'v2-turn') return 'v2'
  return kind === 'v3-history' ? 'history' : undefined
}

/** Minimum number of requests of a transaction without failures. */
export function minRequests({ kind }: MixEntry, { turns, race }: Arrival): number {
  if (kind === 'v2-turn') return 2
  if (kind === 'v3-chat') return turns
  // Both requests of the race, and the history that shows which of them was stored.
  return race && (kind === 'v3-stream' || kind === 'v3-json') ? 3 : 1
}
