import type { MetricName, TurnRow } from '../../../contract/report/load-measures.ts'
import type { RunMetrics } from '../metrics/run-metrics.ts'
import { turnRanges } from '../metrics/turn-tracker.ts'
import type { Independence } from './independence.ts'
import { metricRows } from './metric-rows.ts'
import type { MeasuredWindow } from './window.ts'

const shown: readonly MetricName[] = ['ttft', 'tpot', 'e2e']

/** Empty where no chat grew in the window. */
export function turnRows(
  run: RunMetrics,
  { from, to }: Pick<MeasuredWindow, 'from' | 'to'>,
  independence: Independence,
): TurnRow[] {
  return turnRanges.flatMap((turns, span) => {
    const group = run.group(from, to, { span })
    const { requests } = group.outcomes
    if (requests === 0) return []
    const metrics = metricRows(group, independence).filter(({ name }) => shown.includes(name))
    return [{ ...turns, requests, metrics }]
  })
}
