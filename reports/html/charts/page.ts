import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Document, pageOf } from '../document.ts'
import { html } from '../markup.ts'
import { style } from '../style.ts'
import { type Chart, chartData } from './chart.ts'
import { script } from './script.ts'
import { chartStyle } from './style.ts'

const require = createRequire(import.meta.url)

/** The chart library (uPlot, MIT) as published: the page fetches nothing. */
const uPlotScript = readFileSync(require.resolve('uplot/dist/uPlot.iife.min.js'), 'utf8')
const uPlotStyle = readFileSync(require.resolve('uplot/dist/uPlot.min.css'), 'utf8')

/**
 * One self-contained page with charts, drawn by the inlined uPlot; each has a table with the same data, so
 * nothing is lost without a script.
 */
export function chartPage(
  { title, skip, body }: Pick<Document, 'title' | 'skip' | 'body'>,
  charts: readonly Chart[],
): string {
  return pageOf({
    title,
    style: [uPlotStyle, style, chartStyle].join('\n'),
    script: [uPlotScript, script].join('\n'),
    skip,
    body: html`${body}
${chartData(charts)}`,
  })
}
