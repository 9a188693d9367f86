import type { LoadReport } from '../../../contract/report/load/report.ts'
import { html, type Markup, tableMarkup } from '../../html/markup.ts'
import { figure, interval, percent } from '../../text/format.ts'
import {
  clocked,
  endpointHead,
  endpointTableRows,
  meanings,
  type QuantileRow,
  quantileName,
  rateRows,
  turnRows,
} from '../measures.ts'
import { stepsOf } from '../steps.ts'
import { connectionText, deliveryText, lumpText } from '../traffic.ts'

/** Rates, quantiles and stalls of the measured window. */
export function measuredSection(report: LoadReport): Markup {
  const { metrics, outcome, stalls, transactions, turns } = report
  const byTurn = turnRows(turns).map((row) => ({ ...row, name: `${row.metric}, ${row.turn}` }))
  return html`<section aria-labelledby="measured" class="${outcome === 'invalid' ? 'untrusted' : ''}">
<h2 id="measured">Measured</h2>
<h3>Rates</h3>
${tableMarkup(
  {
    head: ['requests', 'count', 'per second'],
    rows: rateRows(report).map(([name, count, perSecond]) => [
      name,
      String(count),
      figure(perSecond),
    ]),
  },
  'Rates',
)}
${endpointPart(report)}${stepsPart(report)}<h3>Latency</h3>
<p class="found">Milliseconds with 95 % intervals. <em>Response</em> time counts from the planned send time, <em>service</em> time from the actual one.</p>
${quantileTable(clocked(metrics), 'Latency')}
${stalls === null ? null : html`<p>${stalls.stalled} of ${stalls.streams} streams stalled for more than ${stalls.overMs} ms, for ${percent(stalls.share)} of their time; the longest gap was ${figure(stalls.longestMs)} ms. ${percent(stalls.coalesced)} of ${stalls.gaps} gaps are 0 ms, because several chunks arrived in one read.</p>`}
${deliveryPart(report)}<p>${connectionText(report)}.</p>
<details><summary>Definitions of the metrics</summary>
<dl>${metrics.map(({ name }) => html`<div><dt><code>${name}</code></dt><dd>${meanings[name]}</dd></div>`)}</dl>
</details>
${
  byTurn.length === 0
    ? null
    : html`<details><summary>Growing chats, by turn</summary>
${quantileTable(byTurn, 'Latency of growing chats by turn')}</details>
`
}${transactions.map(
  ({
    name,
    planned,
    completed,
    failed,
    open,
    metrics: own,
  }) => html`<details><summary>Transaction ${name}: ${planned} planned, ${completed} completed, ${failed} failed, ${open} in flight at the end</summary>
${quantileTable(clocked(own), `Latency of ${name}`)}</details>
`,
)}
</section>`
}

/** Null for a target with one endpoint. */
function endpointPart(report: LoadReport): Markup | null {
  const rows = endpointTableRows(report)
  if (rows.length === 0) return null
  return html`<h3>Endpoints</h3>
${tableMarkup(
  {
    words: 2,
    head: ['endpoint', 'URL', ...endpointHead],
    rows: rows.map(({ name, baseUrl, figures }) => [name, baseUrl, ...figures]),
  },
  'Endpoints',
)}
`
}

/** Rates and latencies by step of `--steps`; null for other loads. */
function stepsPart(report: LoadReport): Markup | null {
  const steps = stepsOf(report)
  if (steps.length === 0) return null
  return html`<h3>By step</h3>
<p class="found">p50: median of the seconds of a step; p99: its worst second.</p>
${tableMarkup(
  {
    head: [
      'step',
      'from, s',
      'planned per second',
      'offered',
      'completed per second',
      'shed',
      'failed',
      'max in flight',
      'ttft p50, ms',
      'ttft p99, ms',
      'e2e p50, ms',
      'e2e p99, ms',
    ],
    rows: steps.map((step, at) => [
      String(at + 1),
      figure(step.fromMs / 1000),
      figure(step.perSecond),
      String(step.offered),
      figure(step.completedPerSecond),
      String(step.shed),
      String(step.failed),
      String(step.maxInFlight),
      figure(step.ttft.p50),
      figure(step.ttft.p99),
      figure(step.e2e.p50),
      figure(step.e2e.p99),
    ]),
  },
  'By step',
)}
`
}

function deliveryPart(report: LoadReport): Markup | null {
  const text = deliveryText(report)
  if (text === undefined) return null
  return html`<p>Delivery: ${text}.</p>
${lumpText(report).map(
  (line) => html`<p><span class="badge warn">note</span> ${line}.</p>
`,
)}`
}

function quantileTable(rows: readonly QuantileRow[], name: string): Markup {
  const names = rows[0]?.distribution.quantiles.map(quantileName) ?? []
  if (rows.length === 0) return html`<p>Nothing was measured.</p>`
  return tableMarkup(
    {
      words: 2,
      head: ['metric', 'clock', 'n', 'in flight', 'mean', ...names, 'max'],
      rows: rows.map(({ name, clock, distribution }) => [
        name,
        clock,
        String(distribution.count),
        String(distribution.censored),
        figure(distribution.mean),
        ...distribution.quantiles.map(({ value, low, high }) => interval(value, low, high)),
        figure(distribution.max),
      ]),
    },
    name,
  )
}
