import type { Exchange } from '../../../contract/index.ts'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import { pageOf } from '../../html/document.ts'
import { html, type Markup } from '../../html/markup.ts'
import { style } from '../../html/style.ts'
import { isEdited } from '../../text/digest.ts'
import { collectEvidence } from './evidence.ts'
import { filters } from './filters.ts'
import { dialectCard, footnotes } from './notes.ts'
import { overview } from './overview.ts'
import { requirementList } from './rows.ts'
import { script } from './script.ts'
import { violationList } from './violations.ts'

interface HtmlOptions {
  /** Shows an exchange once, and links to it from other requirements that hold. */
  readonly isCompact?: boolean
}

/**
 * The report as one self-contained page: counts, requirements that open to their evidence, and the answers
 * to open questions. It embeds the exchanges that requirements refer to, cut to a readable length;
 * `exchanges.ndjson` has them whole.
 */
export function reportToHtml(
  report: ConformanceReport,
  exchanges: ReadonlyMap<string, Exchange>,
  options: HtmlOptions = {},
): string {
  return pageOf({
    title: `${isEdited(report) ? 'EDITED, ' : ''}${report.outcome}: ${report.target.baseUrl}`,
    style,
    script,
    skip: { to: 'requirements', text: 'To the requirements' },
    body: conformanceBody(report, exchanges, options),
  })
}

/** The page without its frame. */
export function conformanceBody(
  report: ConformanceReport,
  exchanges: ReadonlyMap<string, Exchange>,
  { isCompact = false }: HtmlOptions = {},
): Markup {
  const evidence = collectEvidence(report.requirements, exchanges, isCompact)
  return html`${overview(report)}
<main>
${violationList(report)}
<section aria-labelledby="requirements">
<h2 id="requirements" tabindex="-1">Requirements</h2>
${filters(report)}
${requirementList({ report, evidence })}
</section>
${dialectCard(report)}
${footnotes(report, evidence, exchanges.size)}
</main>`
}
