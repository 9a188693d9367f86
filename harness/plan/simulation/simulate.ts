import { rankOf } from '../../../contract/averages.ts'
import type { Draw } from '../../load/plan/random.ts'
import type { RequestLength, ServiceModel } from '../service-model.ts'
import { type Balance, Cluster } from './cluster.ts'
import { NumberHeap } from './replica.ts'
import { Requests } from './requests.ts'

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
  { replicas, balance }: ClusterOptions,
  arrivals: Iterable<Arrival>,
): Requests {
  const requests = new Requests()
  const cluster = new Cluster(model, replicas, balance, requests)
  for (const arrival of arrivals) {
    cluster.arrive(requests.add(arrival.atMs, arrival), arrival.atMs)
  }
  while (cluster.nextEventMs < Number.POSITIVE_INFINITY) cluster.runNextEvent()
  return requests
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
  { replicas, balance }: ClusterOptions,
  { users, untilMs, nextLength, rampMs, draw }: ClosedLoop,
): Requests {
  const next = new NumberHeap()
  for (let user = 0; user < users; user++) next.push(draw() * rampMs)
  const requests = new Requests((endMs) => next.push(endMs + model.overheadMs))
  const cluster = new Cluster(model, replicas, balance, requests)
  for (;;) {
    while (cluster.nextEventMs < next.min) cluster.runNextEvent()
    const ms = next.pop()
    if (ms >= untilMs) break
    const isAccepted = cluster.arrive(requests.add(ms, nextLength()), ms)
    if (!isAccepted) next.push(ms + retryMs)
  }
  while (cluster.nextEventMs < Number.POSITIVE_INFINITY) cluster.runNextEvent()
  return requests
}

/** Retry-After of most busy servers. */
const retryMs = 1000

/** Arrivals at given times, with drawn lengths. */
export function* withLengths(
  times: Iterable<number>,
  nextLength: () => RequestLength,
): Generator<Arrival> {
  for (const atMs of times) {
    const { promptTokens, outputTokens } = nextLength()
    yield { atMs, promptTokens, outputTokens }
  }
}

/** Metrics that a simulation predicts. */
export const predictedMetrics = ['ttft', 'tpot', 'e2e'] as const
export type PredictedMetric = (typeof predictedMetrics)[number]

/** Latencies of the requests that arrived in a window, milliseconds. */
export interface Latencies extends Readonly<Record<PredictedMetric, Float64Array>> {
  /** Requests that arrived, and those of them that were refused. */
  readonly arrived: number
  readonly refused: number
  readonly outputTokens: number
  readonly windowMs: number
}

export function latenciesOf(
  requests: Requests,
  overheadMs: number,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Latencies {
  const [ttft, tpot, e2e]: [number[], number[], number[]] = [[], [], []]
  let [arrived, refused, tokens] = [0, 0, 0]
  for (let id = 0; id < requests.count; id++) {
    const at = requests.arrivalMs[id] ?? 0
    if (at < fromMs || at >= toMs) continue
    arrived += 1
    const first = requests.firstTokenMs[id] ?? Number.NaN
    const end = requests.endMs[id] ?? Number.NaN
    if (Number.isNaN(end)) {
      refused += 1
      continue
    }
    const output = requests.outputTokens[id] ?? 1
    tokens += output
    ttft.push(first - at + overheadMs)
    e2e.push(end - at + overheadMs)
    if (output > 1) tpot.push((end - first) / (output - 1))
  }
  return {
    ttft: Float64Array.from(ttft).sort(),
    tpot: Float64Array.from(tpot).sort(),
    e2e: Float64Array.from(e2e).sort(),
    arrived,
    refused,
    outputTokens: tokens,
    windowMs: toMs - fromMs,
  }
}

/** Quantile of ascending values by nearest rank, as in load reports; NaN if there are none. */
export function quantile(values: Float64Array, q: number): number {
  return values[rankOf(q, values.length) - 1] ?? Number.NaN
}
