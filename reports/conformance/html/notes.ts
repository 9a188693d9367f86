import type { ConformanceReport, ObservationRow } from '../../../contract/report/conformance.ts'
import { html, type Markup } from '../../html/markup.ts'
import { shorten, withoutColours } from '../../text/escape.ts'
import { count } from '../../text/format.ts'
import { type Evidence, evidenceLimits } from './evidence.ts'
import { bodyLimits } from './exchange.ts'

/** What the target does where the document leaves it free: no judgement, but good to know. */
export function dialectCard({ observations }: ConformanceReport): Markup | null {
  if (observations.length === 0) return null
  return html`<section aria-labelledby="dialect">
<h2 id="dialect">Dialect card</h2>
<p>What this target does at the points that the document leaves open. None of it is judged.</p>
<dl class="dialect">
${observations.map(entry)}
</dl>
</section>`
}

const maxAnswerLength = 1_200

function entry({ id, question, answer, exchanges }: ObservationRow): Markup {
  const seen = exchanges.length === 0 ? '' : `seen in ${exchanges.slice(0, 5).join(', ')}`
  return html`<div id="${id}"><dt><code>${id}</code> ${question}</dt><dd>${shorten(withoutColours(answer), maxAnswerLength)} <span class="ids">${seen}</span></dd></div>
`
}

/** What the run left behind, where the kit itself failed, and what this page leaves out. */
export function footnotes(report: ConformanceReport, evidence: Evidence, recorded: number): Markup {
  return html`${faults(report)}
${residue(report)}
<section aria-labelledby="about">
<h2 id="about">What this page leaves out</h2>
<p>It shows ${evidence.shown} of ${count(recorded, 'recorded exchange')}: those that a row refers to, up to ${evidenceLimits.perViolation} for a broken row and ${evidenceLimits.perOther} for another. ${evidence.left === 0 ? '' : `${evidence.left} more were left out to keep it below ${evidenceLimits.pageBytes / 1_000_000} MB. `}Bodies are cut at ${bodyLimits.characters} characters and ${bodyLimits.lines} lines, and long streams are folded around the event that matters. <code>exchanges.ndjson</code> holds everything, byte for byte and with the time of each arrival, but for keys: a mark stands in their place.</p>
<p>Times count from the first byte of the request.</p>
</section>`
}

function faults({ faults }: ConformanceReport): Markup | null {
  if (faults.length === 0) return null
  return html`<section aria-labelledby="faults">
<h2 id="faults">Faults of the kit itself, not of the target</h2>
<dl>${faults.map(({ scenario, message }) => html`<div><dt>${scenario}</dt><dd>${message}</dd></div>`)}</dl>
</section>`
}

function residue({ residue, residueUnseen }: ConformanceReport): Markup | null {
  if (residue.length === 0 && residueUnseen === null) return null
  const groups = [...Map.groupBy(residue, ({ kind, why }) => `${kind}: ${why}`)]
  return html`<section aria-labelledby="residue">
<h2 id="residue">Left on the target</h2>
<ul>${groups.map(([what, own]) => html`<li>${own.length} × ${what}</li>`)}${residueUnseen === null ? null : html`<li>Not looked for to the end: ${residueUnseen}</li>`}</ul>
</section>`
}
