import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import { html, type Markup } from '../../html/markup.ts'
import { count } from '../../text/escape.ts'
import type { Evidence } from './evidence.ts'
import { limits } from './limits.ts'

/** What the run left behind, where the kit itself failed, and what this page leaves out. */
export function footnotes(report: ConformanceReport, evidence: Evidence, recorded: number): Markup {
  return html`${faults(report)}
${residue(report)}
<section aria-labelledby="about">
<h2 id="about">What this page leaves out</h2>
<p>It shows ${evidence.shown} of ${count(recorded, 'recorded exchange')}: those that a row refers to, up to ${limits.ofViolation} for a broken row and ${limits.ofOther} for another. ${evidence.left === 0 ? '' : `${evidence.left} more were left out to keep it below ${limits.pageBytes / 1_000_000} MB. `}Bodies are cut at ${limits.bodyCharacters} characters and ${limits.bodyLines} lines, and long streams are folded around the event that matters. <code>exchanges.ndjson</code> holds everything, byte for byte and with the time of each arrival, but for keys: a mark stands in their place.</p>
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
