import { rankOf } from '../../../contract/averages.ts'
import { type Draw, drawsOf } from '../../load/plan/random.ts'
import { NumberQueue, Replica, type ServiceModel } from './replica.ts'
import type { RequestLength, SimulatedRequest } from './requests.ts'

export interface ClusterOptions {
  readonly replicas: number
  readonly balance: Balance
}

/** A request, and when it arrives in milliseconds. */
export interface Arrival extends RequestLength {
  readonly atMs: number
}

/** Simulates requests that arrive independently of others: an open loop, or a recorded workload. */
export function simulateOpen(
  model: ServiceModel,
  options: ClusterOptions,
  arrivals: Iterable<Arrival>,
): readonly SimulatedRequest[] {
  const cluster = new Cluster(model, options)
  for (const arrival of arrivals) cluster.arrive(arrival.atMs, arrival)
  cluster.runUntil(() => Number.POSITIVE_INFINITY)
  return cluster.requests
}

interface ClosedLoop {
  /** Users, each with one request in flight; a refused one retries after `retryMs`. */
  readonly users: number
  readonly untilMs: number
  readonly nextLength: () => RequestLength
  /** The first requests start within this time. */
  readonly rampMs: number
  readonly draw: Draw
}

/** Simulates users who send the next request as soon as the last one is answered. */
export function simulateClosed(
  model: ServiceModel,
  options: ClusterOptions,
  { users, untilMs, nextLength, rampMs, draw }: ClosedLoop,
): readonly SimulatedRequest[] {
  const next = new NumberQueue()
  for (let user = 0; user < users; user++) next.push(draw() * rampMs)
  const cluster = new Cluster(model, options, (endMs) => next.push(endMs + model.overheadMs))
  for (;;) {
    cluster.runUntil(() => next.min)
    const ms = next.pop()
    if (ms >= untilMs) break
    if (!cluster.arrive(ms, nextLength())) next.push(ms + retryMs)
  }
  cluster.runUntil(() => Number.POSITIVE_INFINITY)
  return cluster.requests
}

/** Retry-After of most busy servers. */
const retryMs = 1000

/** Arrivals at given times, with drawn lengths. */
export function* withLengths(
  times: Iterable<number>,
  nextLength: () => RequestLength,
): Generator<Arrival> {
  for (const atMs of times) yield { atMs, ...nextLength() }
}

/** Metrics that a simulation predicts. */
export const predictedMetrics = ['ttft', 'tpot', 'e2e'] as const
export type PredictedMetric = (typeof predictedMetrics)[number]

/** Latencies of the requests that arrived in a window, milliseconds. */
export function latenciesOf(
  requests: readonly SimulatedRequest[],
  overheadMs: number,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
) {
  const arrived = requests.filter(({ atMs }) => atMs >= fromMs && atMs < toMs)
  const answered = arrived.filter(({ endMs }) => !Number.isNaN(endMs))
  const answers = answered.map(({ atMs, firstTokenMs, endMs, outputTokens }) => ({
    ttft: firstTokenMs - atMs + overheadMs,
    tpot: outputTokens > 1 ? (endMs - firstTokenMs) / (outputTokens - 1) : Number.NaN,
    e2e: endMs - atMs + overheadMs,
  }))
  const column = (metric: PredictedMetric) =>
    ascending(answers.map((answer) => answer[metric]).filter((ms) => !Number.isNaN(ms)))
  return {
    /** Latencies by request, in order of arrival; `tpot` of a single token is NaN. */
    answers,
    ...{ ttft: column('ttft'), tpot: column('tpot'), e2e: column('e2e') },
    /** Requests that arrived, and those of them that were refused. */
    arrived: arrived.length,
    refused: arrived.length - answered.length,
    outputTokens: answered.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
    windowMs: toMs - fromMs,
  }
}

export function ascending(values: readonly number[]): Float64Array {
  return Float64Array.from(values).sort()
}

/** Quantile of ascending values by nearest rank, as in load reports; NaN if there are none. */
export function quantile(values: Float64Array, q: number): number {
  return values[rankOf(q, values.length) - 1] ?? Number.NaN
}

export type Balance = 'round-robin' | 'least-connections'

/** Replicas behind a load balancer that learns of each request and its end immediately. */
class Cluster {
  /** Requests in order of arrival. */
  readonly requests: SimulatedRequest[] = []
  readonly #replicas: readonly Replica[]
  readonly #balance: Balance
  readonly #nextEventMs: number[]
  #last = -1

  constructor(
    model: ServiceModel,
    { replicas, balance }: ClusterOptions,
    onEnd: (ms: number) => void = () => {},
  ) {
    this.#replicas = Array.from(
      { length: replicas },
      (_, at) => new Replica(model, this.requests, drawsOf(1, at), onEnd),
    )
    this.#nextEventMs = this.#replicas.map(() => Number.POSITIVE_INFINITY)
    this.#balance = balance
  }

  /** Passes a request on; false if it is refused. */
  arrive(atMs: number, { promptTokens, outputTokens }: RequestLength): boolean {
    this.runUntil(() => atMs)
    const at = this.#choose(atMs)
    this.#last = at
    const never = { firstTokenMs: Number.NaN, endMs: Number.NaN }
    const id = this.requests.push({ atMs, promptTokens, outputTokens, ...never }) - 1
    const isAccepted = this.#replicas[at]?.arrive(id, atMs) ?? false
    this.#update(at)
    return isAccepted
  }

  /** Runs every event before a time, in order; an event may bring the time forward. */
  runUntil(time: () => number): void {
    for (;;) {
      const at = this.#earliest
      // Also true for NaN, which never becomes due.
      if (!((this.#nextEventMs[at] ?? Number.POSITIVE_INFINITY) < time())) return
      this.#replicas[at]?.advance(Number.POSITIVE_INFINITY)
      this.#update(at)
    }
  }

  get #earliest(): number {
    let earliest = 0
    for (let at = 1; at < this.#nextEventMs.length; at++) {
      if ((this.#nextEventMs[at] ?? 0) < (this.#nextEventMs[earliest] ?? 0)) earliest = at
    }
    return earliest
  }

  #update(at: number): void {
    this.#nextEventMs[at] = this.#replicas[at]?.nextEventMs ?? Number.POSITIVE_INFINITY
  }

  /** Picks a replica; ties of least connections are broken in turn. */
  #choose(ms: number): number {
    const { length } = this.#replicas
    const next = (this.#last + 1) % length
    if (this.#balance === 'round-robin' || length === 1) return next
    let best = next
    let minInFlight = Number.POSITIVE_INFINITY
    for (let step = 0; step < length; step++) {
      const at = (next + step) % length
      const inFlight = this.#replicas[at]?.inFlightAt(ms) ?? 0
      if (inFlight < minInFlight) {
        best = at
        minInFlight = inFlight
      }
    }
    return best
  }
}
