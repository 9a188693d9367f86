import { readFileSync } from 'node:fs'

/** Styles and scripts of pages, as a browser reads them. Pages embed them, so that they fetch nothing. */
const read = (name: string) => readFileSync(new URL(`./browser/${name}`, import.meta.url), 'utf8')

/** Light and dark from one set of names; every pair of text and ground keeps 4.5:1 (WCAG AA). */
export const style = read('page.css')

/** Filters kept in the URL, search, keys, copying and links to requirements. Without it a page shows everything. */
export const entryScript = read('entries.js')

/** Draws the charts of a page with uPlot. */
export const chartScript = read('charts.js')
