import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Chart, chartData } from './charts/chart.ts'

/** Styles and scripts of pages, as a browser reads them. Pages embed them, so that they fetch nothing. */
const read = (name: string) => readFileSync(new URL(`./browser/${name}`, import.meta.url), 'utf8')

/** Light and dark theme with one set of names; text has a contrast of 4.5:1 or more (WCAG AA). */
export const style = read('page.css')

/** Filters kept in the URL, search, keys, copying and links to requirements. Without it a page shows everything. */
export const entryScript = read('entries.js')

/** Draws the charts of a page with uPlot. */
export const chartScript = read('charts.js')

const require = createRequire(import.meta.url)

/**
 * Parts of a page with charts in addition to text: the chart library (uPlot, MIT) as published, since the page
 * fetches nothing. Each chart has a table with the same data, so nothing is lost without a script.
 */
export function chartParts(charts: readonly Chart[]) {
  return {
    style: readFileSync(require.resolve('uplot/dist/uPlot.min.css'), 'utf8'),
    scripts: [readFileSync(require.resolve('uplot/dist/uPlot.iife.min.js'), 'utf8'), chartScript],
    data: chartData(charts),
  }
}
