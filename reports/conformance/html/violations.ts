import type { ConformanceReport, RequirementRow } from '../../../contract/report/conformance.ts'
import { isKnownViolation } from '../../../contract/report/conformance.ts'
import { html, type Markup } from '../../html/markup.ts'
import { causeText, type Findings, foldFindings, saysTheSame } from '../../text/fold.ts'
import { knownText } from '../summary.ts'
import { badgeText } from '../words.ts'
import { hintMarkup, messageOf } from './rows.ts'

/**
 * Violations and warnings in one list on top, each with a link to its evidence; those that share a cause
 * are grouped.
 */
export function violationList(report: ConformanceReport): Markup | null {
  const { requirements, baseline } = report
  const problems = baseline?.problems ?? []
  const rows = [
    ...requirements.filter(({ verdict, known }) => verdict === 'fail' && !known),
    ...requirements.filter(isKnownViolation),
    ...requirements.filter(({ verdict }) => verdict === 'warn'),
  ]
  if (rows.length === 0 && problems.length === 0) return null
  return html`<section aria-labelledby="violations">
<h2 id="violations">Violations and warnings</h2>
<ul class="violations">
${foldFindings(rows).map((findings) => entry(findings, report))}
${problems.map(({ message }) => html`<li><span class="badge fail">baseline</span> Stale entry in ${baseline?.file ?? ''}: ${message}</li>`)}
</ul>
</section>`
}

function entry(findings: Findings, report: ConformanceReport): Markup {
  const cause = causeText(findings)
  if (cause === null)
    return html`<li>${line(findings.rows[0], report, true)}</li>
`
  const apart = !saysTheSame(findings)
  return html`<li><strong>${cause}</strong>
<ul>${findings.rows.map((row) => html`<li>${line(row, report, apart)}</li>`)}</ul></li>
`
}

function line(row: RequirementRow, report: ConformanceReport, withMessage: boolean): Markup {
  const found = withMessage ? messageOf(row) : null
  const note = knownText(report, row.id)
  return html`<span class="badge ${row.verdict}">${badgeText(row)}</span> <a href="#${row.id}">${row.id}</a> ${row.title}${found === null ? null : html`<br><span class="found">${found}</span>`}${note === null ? null : html`<br><span class="found">${note}</span>`}${row.known ? null : hintMarkup(row)}`
}
