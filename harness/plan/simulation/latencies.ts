import type { Requests } from './requests.ts'

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

/** Quantile of ascending values by nearest rank, as load reports have it; NaN of none. */
export function quantile(values: Float64Array, q: number): number {
  const rank = Math.max(1, Math.ceil(q * values.length - 1e-9))
  return values[rank - 1] ?? Number.NaN
}
