import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { LoadReport } from '../../../contract/report/load.ts'
import { pageOf } from '../../html/document.ts'
import { html } from '../../html/markup.ts'
import { style } from '../../html/style.ts'
import { isEdited } from '../../text/digest.ts'
import { chartData, chartMarkup } from './chart.ts'
import { chartsOf } from './charts.ts'
import { measuredSection, otherToolSection } from './measured.ts'
import { findingSection, overview, sloSection } from './overview.ts'
import { script } from './script.ts'
import { chartStyle } from './style.ts'
import { trustSection } from './trust.ts'

const require = createRequire(import.meta.url)

/** The chart library (uPlot, MIT) as published: the page fetches nothing. */
const uPlotScript = readFileSync(require.resolve('uplot/dist/uPlot.iife.min.js'), 'utf8')
const uPlotStyle = readFileSync(require.resolve('uplot/dist/uPlot.min.css'), 'utf8')

/**
 * A load report as one self-contained page. Charts are drawn by the inlined uPlot; each has a table with
 * the same data, so nothing is lost without a script.
 */
export function loadToHtml(report: LoadReport): string {
  const charts = chartsOf(report)
  return pageOf({
    title: `${isEdited(report) ? 'EDITED, ' : ''}${report.outcome}: load on ${report.target.baseUrl}`,
    style: [uPlotStyle, style, chartStyle].join('\n'),
    script: [uPlotScript, script].join('\n'),
    skip: { to: 'slo', text: 'To the SLOs' },
    body: html`${overview(report)}
<main>
${sloSection(report)}
${findingSection(report)}
${measuredSection(report)}
<section aria-labelledby="charts-title">
<h2 id="charts-title">Charts</h2>
${charts.map(chartMarkup)}
</section>
${otherToolSection(report)}
${trustSection(report)}
</main>
${chartData(charts)}`,
  })
}
