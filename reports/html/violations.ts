import type { ConformanceReport, RequirementRow } from '../model.ts'
import { html, type Markup } from './markup.ts'
import { messageOf } from './rows.ts'
import { badgeText } from './words.ts'

/** What is wrong, in one list on top; each entry leads to its evidence. */
export function violationList({ requirements }: ConformanceReport): Markup | null {
  const rows = [
    ...requirements.filter(({ verdict, known }) => verdict === 'fail' && !known),
    ...requirements.filter(({ verdict, known }) => verdict === 'fail' && known),
    ...requirements.filter(({ verdict }) => verdict === 'warn'),
  ]
  if (rows.length === 0) return null
  return html`<section aria-labelledby="violations">
<h2 id="violations">What is wrong</h2>
<ul class="violations">
${rows.map(entry)}
</ul>
</section>`
}

function entry(row: RequirementRow): Markup {
  const found = messageOf(row)
  return html`<li><span class="badge ${row.verdict}">${badgeText(row)}</span> <a href="#${row.id}">${row.id}</a> ${row.title}${found === null ? null : html`<br><span class="found">${found}</span>`}</li>
`
}
