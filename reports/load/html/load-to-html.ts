import type { LoadReport } from '../../../contract/report/load/report.ts'
import { chartSection } from '../../html/charts/chart.ts'
import { chartPage } from '../../html/charts/page.ts'
import { html } from '../../html/markup.ts'
import { isEdited } from '../../text/digest.ts'
import { outcomeWord, targetText } from '../outcome.ts'
import { chartsOf } from './charts.ts'
import { measuredSection } from './measured.ts'
import { findingSection, overview, sloSection } from './overview.ts'
import { trustSection } from './trust.ts'

/** A load report as one self-contained page. */
export function loadToHtml(report: LoadReport): string {
  const charts = chartsOf(report)
  return chartPage(
    {
      title: `${isEdited(report) ? 'EDITED, ' : ''}${outcomeWord(report)}: load on ${targetText(report)}`,
      skip: { to: 'slo', text: 'To the SLOs' },
      body: html`${overview(report)}
<main>
${sloSection(report)}
${findingSection(report)}
${measuredSection(report)}
${chartSection(charts)}
${trustSection(report)}
</main>`,
    },
    charts,
  )
}
