import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** The chart library (uPlot, MIT) as it is published, to stand in a page that fetches nothing. */
export const uPlotScript = read('uplot/dist/uPlot.iife.min.js')
export const uPlotStyle = read('uplot/dist/uPlot.min.css')

function read(file: string): string {
  return readFileSync(createRequire(import.meta.url).resolve(file), 'utf8')
}
