import type { CapacityProbe } from '../../../contract/report/capacity/probe.ts'
import type { CapacityReport } from '../../../contract/report/capacity/report.ts'
import { doubtMarkup } from '../../conformance/html/overview.ts'
import { chartSection } from '../../html/charts/chart.ts'
import { chartPage } from '../../html/charts/page.ts'
import { html, type Markup } from '../../html/markup.ts'
import { isEdited } from '../../text/digest.ts'
import { clean } from '../../text/escape.ts'
import { count, figure, interval, percent, seconds } from '../../text/format.ts'
import { answerText, capacityWord, detailLines } from '../answer.ts'
import { capacityCharts } from './charts.ts'

/** The report of a capacity search as one self-contained page. */
export function capacityToHtml(report: CapacityReport): string {
  const charts = capacityCharts(report)
  return chartPage(
    {
      title: `${isEdited(report) ? 'EDITED, ' : ''}${capacityWord(report)}: capacity of ${report.target.baseUrl}`,
      skip: { to: 'probes', text: 'To the probes' },
      body: html`${overview(report)}
<main>
${chartSection(charts)}
${probeSection(report)}
${noteSection(report)}
</main>`,
    },
    charts,
  )
}

const classes: Readonly<Record<CapacityReport['outcome'], string>> = {
  found: 'met',
  'above max': 'met',
  'below min': 'missed',
  violated: 'missed',
  undecided: 'undecided',
  invalid: 'invalid',
  unreachable: 'invalid',
}

function overview(report: CapacityReport): Markup {
  const { result, loop, target, config, seed, startedAt, durationMs, probes } = report
  const [low = null, high = null] = result.interval ?? []
  const unit = loop === 'closed' ? 'clients' : 'requests a second'
  return html`<header>
<p class="kind">Capacity report</p>
${doubtMarkup(report)}
<h1><span class="outcome ${classes[report.outcome]}">${capacityWord(report)}</span> <span class="target">${target.baseUrl}</span></h1>
<ul class="numbers ${report.outcome === 'invalid' ? 'untrusted' : ''}">
<li class="none"><strong>${interval(result.rate, low, high)}</strong> <span class="of">${unit}</span></li>
${result.headroom === null ? '' : html`<li class="none"><strong>${figure(result.headroom.rate)}</strong> <span class="of">at ${percent(result.headroom.share)} headroom</span></li>`}
<li class="none"><strong>${probes.length}</strong> <span class="of">probes</span></li>
</ul>
<p>${answerText(report)}.</p>
${detailLines(report).map((line) => html`<p class="found">${line}</p>`)}
<details class="facts"><summary>About this search</summary>
<dl>${(
    [
      ['SLOs', config.slos.map(clean).join(', ')],
      ['Mix', clean(config.mixName)],
      ['Range', `${config.min} to ${config.max}`],
      ['Precision', `±${percent(config.precision)}`],
      ['Seed', clean(seed)],
      ['Started', startedAt],
      ['Length', seconds(durationMs)],
      ['Version', report.suite.version],
    ] as const
  ).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
</details>
</header>`
}

const badges = { met: 'pass', missed: 'fail', undecided: 'unproven', invalid: 'none' } as const

function probeSection({ probes, loop }: CapacityReport): Markup {
  return html`<section aria-labelledby="probes">
<h2 id="probes" tabindex="-1">Probes</h2>
<ul class="violations">${probes.map((probe) => probeMarkup(probe, loop))}</ul>
</section>`
}

function probeMarkup(probe: CapacityProbe, loop: CapacityReport['loop']): Markup {
  const { index, purpose, rate, clients, verdict, atMs, durationMs, stopped, slo } = probe
  const load = loop === 'closed' ? count(clients ?? 1, 'client') : `${figure(rate)} req/s`
  const reasons = [stopped, ...(probe.valid ? [] : probe.generator.reasons)].filter(
    (reason) => reason !== null,
  )
  return html`<li>
<span class="badge ${badges[verdict]}">${verdict}</span> <strong>${load}</strong> probe ${index}, ${purpose}, ${seconds(durationMs)} at ${seconds(atMs)} ${linkOf(probe)}
${slo.map((row) => html`<p class="found"><code>${row.expression}</code> ${row.observed === null ? 'n/a' : `${row.unit === 'share' ? percent(row.observed) : `${figure(row.observed)} ${row.unit}`}`}, ${row.verdict}</p>`)}
${reasons.map((reason) => html`<p class="found">${clean(reason)}</p>`)}</li>
`
}

/** Link to a load report; only a path that a search writes becomes one. */
function linkOf({ report, index }: CapacityProbe): Markup | null {
  if (report === null || !/^probes\/\d+\/report\.json$/.test(report)) return null
  return html`<a href="${report}">load report of probe ${index}</a>`
}

function noteSection({ notes, faults, generator }: CapacityReport): Markup | null {
  const lines = [
    ...generator.reasons.map((reason) => `Generator ${generator.verdict}: ${reason}`),
    ...notes,
    ...faults.map((fault) => `Internal error: ${fault}`),
  ]
  if (lines.length === 0) return null
  return html`<section aria-labelledby="notes">
<h2 id="notes">Notes</h2>
<ul>${lines.map((line) => html`<li>${clean(line)}</li>`)}</ul>
</section>`
}
