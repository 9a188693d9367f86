import { type Document, itemsOf, type Tile, type Tone, tile } from '../document/document.ts'
import type { Chart } from '../html/markup.ts'
import { clean } from '../text/escape.ts'
import { figure } from '../text/format.ts'
import {
  hourTable,
  modelFacts,
  money,
  planAnswer,
  planBadges,
  planTable,
  reproducedTable,
  scalabilityLines,
  scalabilityTable,
} from './answer.ts'
import type { PlanReport } from './model.ts'

/** A plan: the answer, the replicas around it, the model that it follows from. */
export function planDocument(report: PlanReport): Document {
  return {
    kind: 'Capacity plan',
    target: report.measured[0]?.baseUrl ?? '',
    outcome: { ...planBadges[report.outcome], text: planAnswer(report) },
    numbers: tilesOf(report),
    sections: [
      { title: 'Replicas', blocks: [{ table: planTable(report) }] },
      {
        title: 'Charts',
        blocks: [
          {
            charts: [...report.slos.flatMap((_, at) => sloChart(report, at)), ...hourChart(report)],
          },
        ],
      },
      { title: 'Hours', blocks: [{ table: hourTable(report) }] },
      {
        title: 'Scalability',
        blocks: [
          { table: scalabilityTable(report) },
          ...scalabilityLines(report).map((text) => ({ text })),
        ],
      },
      { title: 'Model', untitled: true, blocks: [{ facts: modelFacts(report) }] },
      {
        title: 'Measured and modeled',
        detail: 'verbose',
        blocks: [{ table: reproducedTable(report) }],
      },
      { title: 'Notes', blocks: [itemsOf(report.notes)] },
    ],
  }
}

function tilesOf({ replicas, withSpare, price, outcome }: PlanReport): readonly Tile[] {
  const tone: Tone = outcome === 'provisional' ? 'unproven' : 'none'
  const noun = replicas === 1 ? 'replica' : 'replicas'
  const name = outcome === 'invalid' ? 'number of replicas' : noun
  return [
    tile(replicas ?? 'no', name, tone),
    ...(withSpare === null ? [] : [tile(withSpare, 'with one spare', tone)]),
    ...(price === null || replicas === null
      ? []
      : [tile(money(replicas * price.perHour, price.currency), 'an hour', tone)]),
  ]
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
      limits: [{ label: clean(expression), value: first.limit }],
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
      title: 'Demand and replicas by hour',
      note: 'Requests per second on average, and replicas in proportion to them.',
      x: { label: 'h', scale: 'linear', values: hours.map(({ fromMs }) => fromMs / 3_600_000) },
      y: { label: 'req/s, replicas', scale: 'linear' },
      series: [
        { name: 'requests per second', values: hours.map(({ perSecond }) => perSecond) },
        { name: 'replicas', values: hours.map(({ replicas }) => replicas) },
      ],
      table: hourTable(report),
    },
  ]
}
