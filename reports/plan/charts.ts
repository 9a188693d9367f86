import type { PlanReport } from '../../contract/report/plan.ts'
import type { Chart } from '../html/charts/chart.ts'
import { clean } from '../text/escape.ts'
import { figure } from '../text/format.ts'
import { hourTable } from './answer.ts'

/** Predictions by the number of replicas, and replicas by the hour. */
export function planCharts(report: PlanReport): readonly Chart[] {
  return [...report.slos.flatMap((_, at) => sloChart(report, at)), ...hourChart(report)]
}

/** Prediction of an SLO by the number of replicas, with its interval. */
function sloChart({ rows, slos }: PlanReport, at: number): readonly Chart[] {
  const points = rows.flatMap(({ replicas, slo }) => {
    const row = slo[at]
    return row === undefined || row.value === null ? [] : [{ replicas, ...row }]
  })
  const [first] = points
  const expression = slos[at] ?? ''
  if (first === undefined || points.length < 2) return []
  const line = (name: 'value' | 'low' | 'high') => points.map((point) => point[name])
  return [
    {
      id: `slo-${at + 1}`,
      title: clean(expression),
      note: 'Prediction by the number of replicas, with the 95 % interval. Dashed red line: the limit.',
      x: { label: 'replicas', scale: 'whole', values: points.map(({ replicas }) => replicas) },
      y: { label: first.unit, scale: first.unit === 'ms' ? 'log' : 'linear' },
      series: [
        { name: 'predicted', values: line('value') },
        { name: 'low', values: line('low'), color: 'dim' },
        { name: 'high', values: line('high'), color: 'dim' },
      ],
      limits: first.limit === undefined ? [] : [{ label: clean(expression), value: first.limit }],
      table: {
        head: ['replicas', 'predicted', 'low', 'high'],
        rows: points.map(({ replicas, value, low, high }) => [
          String(replicas),
          ...[value, low, high].map(figure),
        ]),
      },
    },
  ]
}

function hourChart(report: PlanReport): readonly Chart[] {
  const { demand } = report
  if (demand.kind !== 'trace' || demand.hours.length < 2) return []
  const { hours } = demand
  return [
    {
      id: 'hours-chart',
      title: 'Demand and replicas by the hour',
      note: 'Requests a second on average, and replicas in proportion to them.',
      x: { label: 'h', scale: 'linear', values: hours.map(({ fromMs }) => fromMs / 3_600_000) },
      y: { label: 'req/s, replicas', scale: 'linear' },
      series: [
        { name: 'requests a second', values: hours.map(({ perSecond }) => perSecond) },
        { name: 'replicas', values: hours.map(({ replicas }) => replicas) },
      ],
      table: hourTable(report),
    },
  ]
}
