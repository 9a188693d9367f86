import { areaOf, hintFor } from '../../../contract/index.ts'
import type { ConformanceReport, RequirementRow } from '../../../contract/report/conformance.ts'
import { areaTitle, standingOf, surfaceTitle } from '../../catalogue/entries.ts'
import { html, type Markup } from '../../html/markup.ts'
import { withoutColours } from '../../text/escape.ts'
import { knownText } from '../summary.ts'
import { badgeText, meanings } from '../words.ts'
import type { Evidence } from './evidence.ts'

export interface RowContext {
  readonly report: ConformanceReport
  readonly evidence: Evidence
}

/** All requirements by surface and section; each opens to its details. */
export function requirementList(context: RowContext): Markup {
  const bySurface = Map.groupBy(context.report.requirements, ({ surface }) => surface)
  return html`${[...bySurface].map(
    ([surface, rows]) => html`<section class="surface" aria-labelledby="surface-${surface}">
<h3 id="surface-${surface}">${surfaceTitle(surface)}</h3>
${[...Map.groupBy(rows, sectionOf)].map(([title, own]) => section(title, own, context))}
</section>
`,
  )}`
}

/** Messages of assertions carry colours of their own. */
export function messageOf({ message }: RequirementRow): string | null {
  return message === null ? null : withoutColours(message).trim()
}

function sectionOf({ id, section }: RequirementRow): string {
  return `Section ${section}: ${areaTitle(areaOf(id))}`
}

/** Passed requirements are folded: a reader looks for the others. */
function section(title: string, rows: readonly RequirementRow[], context: RowContext): Markup {
  const passed = rows.filter(({ verdict }) => verdict === 'pass')
  const others = rows.filter(({ verdict }) => verdict !== 'pass')
  return html`<div class="section">
<h4>${title}</h4>
${others.map((row) => rowMarkup(row, context))}${
  passed.length === 0
    ? null
    : html`<details class="passes"><summary><span class="count">${passed.length}</span> passed</summary>
${passed.map((row) => rowMarkup(row, context))}</details>
`
}</div>
`
}

function rowMarkup(row: RequirementRow, context: RowContext): Markup {
  const { id, verdict, surface, level, title } = row
  const note = knownText(context.report, id)
  return html`<details class="row" id="${id}" data-verdict="${verdict}" data-surface="${surface}" data-level="${level}">
<summary><span class="badge ${verdict}">${badgeText(row)}</span> <code>${id}</code> <span class="sentence">${title}</span>${level === 'expected' ? html` <span class="level">expected</span>` : null}</summary>
<div class="opened">
${found(row)}
${hintMarkup(row)}
${context.evidence.of(row)}
<dl>
<div><dt>Verdict</dt><dd>${badgeText(row)}. ${meanings[verdict]}</dd></div>
<div><dt>Level</dt><dd>${standingOf(row)}, section ${row.section}</dd></div>
${row.blockedBy === null ? null : html`<div><dt>Depends on</dt><dd><a href="#${row.blockedBy}">${row.blockedBy}</a>, which is violated</dd></div>`}
${note === null ? null : html`<div><dt>Baseline</dt><dd>${note}</dd></div>`}
${scenarios(row)}
</dl>
</div>
</details>
`
}

function found(row: RequirementRow): Markup | null {
  const message = messageOf(row)
  if (message === null) return null
  const lead = row.verdict === 'fail' || row.verdict === 'warn' ? 'Found: ' : ''
  return html`<p class="message">${lead}${message}</p>`
}

/** The usual cause and its fix; null for what is not violated. */
export function hintMarkup({ id, verdict }: RequirementRow): Markup | null {
  const hint = verdict === 'fail' || verdict === 'warn' ? hintFor(id) : null
  return hint === null ? null : html`<p class="hint"><span>Likely cause and fix:</span> ${hint}</p>`
}

function scenarios({ scenarios, brokenBy }: RequirementRow): Markup | null {
  if (scenarios.length === 0) return null
  const others = scenarios.filter((name) => !brokenBy.includes(name))
  return html`${names('Violated in', brokenBy)}${names(brokenBy.length > 0 ? 'Other scenarios' : 'Scenarios', others)}`
}

/** Judges read every exchange, so a requirement may have a hundred scenarios. */
const maxNames = 8

function names(title: string, list: readonly string[]): Markup | null {
  if (list.length === 0) return null
  const more = list.length - maxNames
  return html`<div><dt>${title}</dt><dd>${list.slice(0, maxNames).join(', ')}${more > 0 ? ` and ${more} more` : ''}</dd></div>
`
}
