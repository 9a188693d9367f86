import type { PlanReport } from '../../contract/report/plan.ts'
import { type Chart, chartSection } from '../html/charts/chart.ts'
import { chartPage } from '../html/charts/page.ts'
import { html, type Markup, tableMarkup } from '../html/markup.ts'
import { clean } from '../text/escape.ts'
import { figure } from '../text/format.ts'
import {
  hourTable,
  modelLines,
  money,
  planAnswer,
  planTable,
  planWord,
  reproducedTable,
  scalabilityLines,
  scalabilityTable,
  traceLine,
} from './answer.ts'

/** A plan as one self-contained page. */
export function planToHtml(report: PlanReport): string {
  const charts = planCharts(report)
  const [first] = report.measured
  return chartPage(
    {
      title: `${planWord(report)}: replicas of ${first?.baseUrl ?? ''}`,
      skip: { to: 'replicas', text: 'To the replicas' },
      body: html`${overview(report)}
<main>
${section('replicas', 'Replicas', planTable(report))}
${chartSection(charts)}
${section('hours', 'Hours', hourTable(report))}
${section('scalability', 'Scalability', scalabilityTable(report), scalabilityLines(report))}
${section('model', 'Measured and modelled', reproducedTable(report), [...modelLines(report), ...traceLine(report)])}
${section('notes', 'Notes', [], report.notes)}
</main>`,
    },
    charts,
  )
}

const classes: Readonly<Record<PlanReport['outcome'], string>> = {
  found: 'met',
  provisional: 'undecided',
  unattainable: 'missed',
  unreliable: 'undecided',
  invalid: 'invalid',
}

function overview(report: PlanReport): Markup {
  const { replicas, withSpare, price, outcome } = report
  const cost =
    price === null || replicas === null ? null : money(replicas * price.perHour, price.currency)
  const kind = outcome === 'provisional' ? 'unproven' : 'none'
  return html`<header>
<p class="kind">Capacity plan</p>
<h1><span class="outcome ${classes[outcome]}">${planWord(report)}</span></h1>
<ul class="numbers">
<li class="${kind}"><strong>${replicas ?? 'no'}</strong> <span class="of">${outcome === 'invalid' ? 'number of replicas' : replicas === 1 ? 'replica' : 'replicas'}</span></li>
${withSpare === null ? null : html`<li class="${kind}"><strong>${withSpare}</strong> <span class="of">with one spare</span></li>`}
${cost === null ? null : html`<li class="${kind}"><strong>${cost}</strong> <span class="of">an hour</span></li>`}
</ul>
<p>${planAnswer(report)}.</p>
</header>`
}

function section(
  id: string,
  title: string,
  [head = [], ...rows]: readonly (readonly string[])[],
  lines: readonly string[] = [],
): Markup | null {
  if (rows.length === 0 && lines.length === 0) return null
  return html`<section aria-labelledby="${id}">
<h2 id="${id}" tabindex="-1">${title}</h2>
${lines.map((line) => html`<p>${clean(line)}</p>`)}
${rows.length === 0 ? null : tableMarkup({ head, rows, words: 2 }, title)}
</section>`
}

function planCharts(report: PlanReport): readonly Chart[] {
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
  const [head = [], ...rows] = hourTable(report)
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
      table: { head, rows },
    },
  ]
}
