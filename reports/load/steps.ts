import { lowerMedianOf } from '../../contract/averages.ts'
import type { SecondRow } from '../../contract/report/load/measures.ts'
import type { LoadReport } from '../../contract/report/load/report.ts'

/** One step of `--steps`, summed up over its seconds. */
export interface StepRow {
  readonly fromMs: number
  /** Planned rate. */
  readonly perSecond: number
  readonly offered: number
  readonly completedPerSecond: number
  readonly shed: number
  readonly failed: number
  readonly maxInFlight: number
  readonly ttft: StepLatency
  readonly e2e: StepLatency
}

/** Milliseconds: the median p50 and the highest p99 of the seconds; null where nothing was measured. */
export interface StepLatency {
  readonly p50: number | null
  readonly p99: number | null
}

/** One row for each step of `--steps`; empty without. A second belongs to the step in which it begins. */
export function stepsOf({ plan, series }: LoadReport): readonly StepRow[] {
  const { arrival } = plan
  if (arrival.kind !== 'steps') return []
  return arrival.steps.map(({ perSecond, forMs }, at) => {
    const fromMs = arrival.steps.slice(0, at).reduce((sum, step) => sum + step.forMs, 0)
    const own = series.filter(
      ({ second }) => 1000 * second >= fromMs && 1000 * second < fromMs + forMs,
    )
    const total = (name: 'planned' | 'completed' | 'shed' | 'failed') =>
      own.reduce((sum, row) => sum + row[name], 0)
    return {
      fromMs,
      perSecond,
      offered: total('planned'),
      completedPerSecond: own.length === 0 ? 0 : total('completed') / own.length,
      shed: total('shed'),
      failed: total('failed'),
      maxInFlight: Math.max(0, ...own.map(({ inFlight }) => inFlight)),
      ttft: latencyOf(own, 'ttft'),
      e2e: latencyOf(own, 'e2e'),
    }
  })
}

function latencyOf(rows: readonly SecondRow[], metric: 'ttft' | 'e2e'): StepLatency {
  const quantiles = rows.flatMap((row) => row[metric] ?? [])
  const p99s = quantiles.map(({ p99 }) => p99)
  return {
    p50: lowerMedianOf(quantiles.map(({ p50 }) => p50)),
    p99: p99s.length === 0 ? null : Math.max(...p99s),
  }
}
