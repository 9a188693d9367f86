import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** The chart library (uPlot, MIT) as it is published, to stand in a page that fetches nothing. */
export const uPlotScript = readFileSync(require.resolve('uplot/dist/uPlot.iife.min.js'), 'utf8')
export const uPlotStyle = readFileSync(require.resolve('uplot/dist/uPlot.min.css'), 'utf8')
