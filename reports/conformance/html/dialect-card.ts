import type { ConformanceReport, ObservationRow } from '../../../contract/report/conformance.ts'
import { html, type Markup } from '../../html/markup.ts'
import { shorten, withoutColours } from '../../text/escape.ts'

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

const longestAnswer = 1_200

function entry({ id, question, answer, exchanges }: ObservationRow): Markup {
  const seen = exchanges.length === 0 ? '' : `seen in ${exchanges.slice(0, 5).join(', ')}`
  return html`<div id="${id}"><dt><code>${id}</code> ${question}</dt><dd>${shorten(withoutColours(answer), longestAnswer)} <span class="ids">${seen}</span></dd></div>
`
}
