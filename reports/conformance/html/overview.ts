import type { ConformanceReport, Verdict } from '../../../contract/report/conformance.ts'
import { doubtMarkup } from '../../document/html.ts'
import { html, type Markup } from '../../html/markup.ts'
import { containerText } from '../../text/container.ts'
import { costText, count, exploredText, seconds } from '../../text/format.ts'
import { checkOutcome, summarize } from '../summary.ts'
import { networkPhrases, trafficText } from '../traffic.ts'

/** The ten-second summary: outcome, target and counts. */
export function overview(report: ConformanceReport): Markup {
  const { passed, violated, known, undecided, required, warnings } = summarize(report)
  const traffic = trafficText(report)
  const beside = [
    ...(known > 0 ? [`${count(known, 'violation')} named in the baseline`] : []),
    ...(warnings > 0
      ? [
          `${count(warnings, 'warning')}${report.strict ? ', counted as violations (--strict)' : ''}`,
        ]
      : []),
    ...(report.interrupted ? ['interrupted: partial results'] : []),
    ...(report.stopped === undefined ? [] : [report.stopped]),
  ]
  const network = networkPhrases(report.target)
  const { container } = report.target
  const log = container?.log ?? []
  return html`<header>
<p class="kind">Conformance report</p>
${doubtMarkup(report)}
<h1><span class="outcome ${report.outcome}">${checkOutcome(report).word}</span> <span class="target">${report.target.baseUrl}</span></h1>
<ul class="numbers">
${number(passed, 'passed', 'pass', ['pass'])}
${number(violated, 'violated', violated > 0 ? 'fail' : 'none', ['fail'])}
${number(undecided, 'undecided', undecided > 0 ? 'unproven' : 'none', ['inconclusive', 'unproven', 'error'])}
<li class="of">of ${count(required, 'required requirement')}</li>
</ul>
${container === undefined ? null : html`<p>Container: ${containerText(container)}.</p>`}
${log.length === 0 ? null : html`<details><summary>Last lines of the container</summary><pre>${log.join('\n')}</pre></details>`}
${network.length > 0 ? html`<p>Network: ${network.join('; ')}.</p>` : null}
${beside.length > 0 ? html`<p>${beside.join('; ')}.</p>` : null}
${traffic === null ? null : html`<p>Errors and retries: ${traffic}.</p>`}
<details class="facts"><summary>About this run</summary>
<dl>${facts(report).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
</details>
</header>`
}

/** A count of required requirements that leads to them: the script reads the filters from the URL. */
function number(value: number, name: string, kind: string, verdicts: readonly Verdict[]): Markup {
  const count = html`<strong>${value}</strong> ${name}`
  if (value === 0) return html`<li class="${kind}">${count}</li>`
  return html`<li class="${kind}"><a href="#verdict=${verdicts.join(',')}&amp;level=required">${count}</a></li>`
}

function facts(report: ConformanceReport): readonly (readonly [string, string])[] {
  const { target, suite, cost, exploration, recording } = report
  const declared = Object.entries(target.capabilities).map(
    ([name, has]) => `${has ? '' : 'no '}${name}`,
  )
  return [
    ['Profile', target.profile],
    ['Capabilities', declared.join(', ') || 'none declared'],
    ['Requests sent', costText(cost)],
    ...(exploration ? [['Explored', exploredText(exploration)] as const] : []),
    [recording ? 'Rejudged' : 'Started', report.startedAt],
    ...(recording
      ? [['Recorded', `${recording.startedAt}, by chatgen ${recording.suite.version}`] as const]
      : []),
    ['Duration', seconds(report.durationMs)],
    ['chatgen', `${suite.version}, interface ${suite.interface}`],
    ['Seed', report.seed],
  ]
}
