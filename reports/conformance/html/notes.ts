import type { ConformanceReport, ObservationRow } from '../../../contract/report/conformance.ts'
import { html, type Markup } from '../../html/markup.ts'
import { shorten, withoutColours } from '../../text/escape.ts'
import { count } from '../../text/format.ts'
import { type Evidence, evidenceLimits } from './evidence.ts'
import { bodyLimits } from './exchange.ts'

/** Answers of the target to open questions; not judged. */
export function dialectCard({ observations }: ConformanceReport): Markup | null {
  if (observations.length === 0) return null
  return html`<section aria-labelledby="dialect">
<h2 id="dialect">Behavior profile</h2>
<p>How this target behaves where the interface document leaves a choice. Not judged.</p>
<dl class="dialect">
${observations.map(entry)}
</dl>
</section>`
}

const maxAnswerLength = 1_200

function entry({ id, question, answer, exchanges }: ObservationRow): Markup {
  const references = exchanges.length === 0 ? '' : `see ${exchanges.slice(0, 5).join(', ')}`
  return html`<div id="${id}"><dt><code>${id}</code> ${question}</dt><dd>${shorten(withoutColours(answer), maxAnswerLength)} <span class="ids">${references}</span></dd></div>
`
}

/** Leftovers, internal errors, and the limits of this page. */
export function footnotes(report: ConformanceReport, evidence: Evidence, recorded: number): Markup {
  return html`${faults(report)}
${residue(report)}
<section aria-labelledby="about">
<h2 id="about">Limits of this page</h2>
<p>It shows ${evidence.count} of ${count(recorded, 'recorded exchange')}: those that a requirement refers to, up to ${evidenceLimits.perViolation} for a violated requirement and ${evidenceLimits.perOther} for any other. ${evidence.left === 0 ? '' : `${evidence.left} more were omitted to keep the page below ${evidenceLimits.pageBytes / 1_000_000} MB. `}Bodies are cut at ${bodyLimits.characters} characters and ${bodyLimits.lines} lines; long streams are folded around the offending event. <code>exchanges.ndjson</code> has everything byte for byte with arrival times; keys are redacted.</p>
<p>Times are relative to the first byte of the request.</p>
</section>`
}

function faults({ faults }: ConformanceReport): Markup | null {
  if (faults.length === 0) return null
  return html`<section aria-labelledby="faults">
<h2 id="faults">Internal errors of chatgen, not violations</h2>
<dl>${faults.map(({ scenario, message }) => html`<div><dt>${scenario}</dt><dd>${message}</dd></div>`)}</dl>
</section>`
}

function residue({ residue, residueUnseen }: ConformanceReport): Markup | null {
  if (residue.length === 0 && residueUnseen === null) return null
  const groups = [...Map.groupBy(residue, ({ kind, why }) => `${kind}: ${why}`)]
  return html`<section aria-labelledby="residue">
<h2 id="residue">Not deleted from the target</h2>
<ul>${groups.map(([what, own]) => html`<li>${own.length} × ${what}</li>`)}${residueUnseen === null ? null : html`<li>Leftover check incomplete: ${residueUnseen}</li>`}</ul>
</section>`
}
