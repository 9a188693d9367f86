import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { chartScript } from '../browser-files.ts'
import { type Chart, chartData } from './chart.ts'

const require = createRequire(import.meta.url)

/**
 * Parts of a page with charts beside its text: the chart library (uPlot, MIT) as published, since the page
 * fetches nothing. Each chart has a table with the same data, so nothing is lost without a script.
 */
export function chartParts(charts: readonly Chart[]) {
  return {
    style: readFileSync(require.resolve('uplot/dist/uPlot.min.css'), 'utf8'),
    scripts: [readFileSync(require.resolve('uplot/dist/uPlot.iife.min.js'), 'utf8'), chartScript],
    data: chartData(charts),
  }
}
