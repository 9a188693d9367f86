import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import { html, type Markup } from '../../html/markup.ts'
import { doubtText, isEdited } from '../../text/digest.ts'
import { costText, count, seconds } from '../../text/format.ts'
import { summarize } from '../summary.ts'
import { networkPhrases, trafficText } from '../traffic.ts'

const outcomes: Readonly<Record<ConformanceReport['outcome'], string>> = {
  conforms: 'Conforms',
  violated: 'Violated',
  incomplete: 'Incomplete',
}

/** For a reader who has ten seconds: the outcome, the target and the three numbers. */
export function overview(report: ConformanceReport): Markup {
  const { proven, violated, known, undecided, required, warnings } = summarize(report)
  const trouble = trafficText(report)
  const beside = [
    ...(known > 0 ? [`${known} of the violated known to the baseline`] : []),
    ...(warnings > 0
      ? [`${count(warnings, 'warning')}${report.strict ? ', counted (strict)' : ''}`]
      : []),
    ...(report.interrupted ? ['interrupted: only what was found so far'] : []),
  ]
  const network = networkPhrases(report.target)
  return html`<header>
<p class="kind">Conformance report</p>
${doubtMarkup(report)}
<h1><span class="outcome ${report.outcome}">${outcomes[report.outcome]}</span> <span class="target">${report.target.baseUrl}</span></h1>
<ul class="numbers">
${number(proven, 'proven', 'pass')}
${number(violated, 'violated', violated > 0 ? 'fail' : 'none')}
${number(undecided, 'undecided', undecided > 0 ? 'unproven' : 'none')}
<li class="of">of ${count(required, 'required row')}</li>
</ul>
${network.length > 0 ? html`<p>Network: ${network.join('; ')}.</p>` : null}
${beside.length > 0 ? html`<p>${beside.join('; ')}.</p>` : null}
${trouble === null ? null : html`<p>Trouble on the way: ${trouble}.</p>`}
<details class="facts"><summary>About this run</summary>
<dl>${facts(report).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
</details>
</header>`
}

/** Above the outcome, so that nobody reads that alone; nothing for a report as its run wrote it. */
export function doubtMarkup(report: Pick<ConformanceReport, 'digest'>): Markup | null {
  const text = doubtText(report)
  if (text === null) return null
  return html`<p class="doubt" role="alert"><strong>${isEdited(report) ? 'Edited' : 'Without digest'}</strong> ${text}.</p>`
}

function number(value: number, name: string, kind: string): Markup {
  return html`<li class="${kind}"><strong>${value}</strong> ${name}</li>`
}

function facts(report: ConformanceReport): readonly (readonly [string, string])[] {
  const { target, suite, cost, recording } = report
  const declared = Object.entries(target.capabilities).map(
    ([name, has]) => `${has ? '' : 'no '}${name}`,
  )
  return [
    ['Profile', target.profile],
    ['Declared', declared.join(', ') || 'nothing'],
    ['Asked of the target', costText(cost)],
    [recording ? 'Judged again' : 'Started', report.startedAt],
    ...(recording
      ? [['Recorded', `${recording.startedAt}, by kit ${recording.suite.version}`] as const]
      : []),
    ['Duration', seconds(report.durationMs)],
    ['Kit', `${suite.version}, interface ${suite.interface}`],
    ['Seed', report.seed],
  ]
}
