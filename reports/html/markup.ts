import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { entities, printable } from '../text/escape.ts'
import { figureColumns } from '../text/format.ts'

/** Text that is already HTML. Only {@link html} creates it, so everything else is escaped. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type Child = Markup | string | number | null | readonly Child[]

/**
 * A template of HTML. Values are escaped for text and for attributes in double quotes; markup and
 * lists of markup are unchanged; null is empty. Characters that are invisible or change the direction
 * of text become visible escapes.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Child[]): Markup {
  const [first = '', ...rest] = strings
  return new Markup(first + rest.map((text, at) => textOf(values[at] ?? null) + text).join(''))
}

function textOf(value: Child): string {
  if (value === null) return ''
  if (value instanceof Markup) return value.text
  if (typeof value === 'object') return value.map(textOf).join('')
  return escapeHtml(String(value))
}

function escapeHtml(text: string): string {
  // Most text is plain: testing first makes a page of thousands of exchanges fast.
  const printed = odd.test(text) ? text.split('\n').map(printable).join('\n') : text
  return printed.replace(/[&<>"']/g, (character) => entities[character] ?? character)
}

const odd = /[^\n\x20-\x7e]/

export interface Table {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** A table that scrolls by itself if it is wider than the page, also with a keyboard. */
export function tableMarkup({ head, rows }: Table, name: string): Markup {
  const figures = figureColumns([head, ...rows])
  const kind = (at: number) => (at > 0 && figures[at] ? 'figure' : 'word')
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${name}">
<table><thead><tr>${head.map((text, at) =>
    text === '' ? html`<td></td>` : html`<th scope="col" class="${kind(at)}">${text}</th>`,
  )}</tr></thead>
<tbody>
${rows.map(
  ([first = '', ...rest]) =>
    html`<tr><th scope="row">${first}</th>${rest.map((text, at) => html`<td class="${kind(at + 1)}">${text}</td>`)}</tr>
`,
)}</tbody></table></div>`
}

/** A chart as the script draws it, and its data as a table. */
export interface Chart {
  readonly id: string
  readonly title: string
  /** Reading instructions. */
  readonly note: string
  readonly x: Axis & { readonly values: readonly number[] }
  readonly y: Axis
  readonly series: readonly Series[]
  /** Cells instead of lines: the lower bounds of rows and the last upper bound, counts by column. */
  readonly heat?: {
    readonly edges: readonly number[]
    readonly counts: readonly (readonly number[])[]
    /** Width of a column on the x axis. */
    readonly width: number
  }
  /** Horizontal lines, such as an SLO. */
  readonly limits?: readonly Limit[]
  /** Ranges of the x axis outside the measured window. */
  readonly shaded?: readonly (readonly [from: number, to: number])[]
  readonly table: Table
}

export interface Limit {
  readonly label: string
  /** Value in the unit of the y axis. */
  readonly value: number
}

interface Axis {
  /** Label of the axis; of an x axis, the unit after each value. */
  readonly label: string
  /**
   * `rarity` is 1 / (1 - q): a quantile axis on which each further nine takes the same width. `whole` has
   * marks at whole numbers only, and its label beneath them.
   */
  readonly scale: 'linear' | 'log' | 'rarity' | 'whole'
}

export interface Series {
  readonly name: string
  readonly values: readonly (number | null)[]
  /** Single points instead of a line. */
  readonly points?: boolean
  /** Color of the page; by default by position in the list. */
  readonly color?: 'pass' | 'fail' | 'open' | 'dim'
}

/** The script draws into the plot; the table has the same data without a script. */
export function chartMarkup({ id, title, note, table }: Chart): Markup {
  return html`<figure class="chart" id="${id}">
<figcaption id="${id}-title">${title}</figcaption>
<p class="found" id="${id}-note">${note}</p>
<div class="plot" tabindex="0" role="group" aria-labelledby="${id}-title" aria-describedby="${id}-note ${id}-keys" hidden></div>
<p class="readout" aria-live="polite"></p>
<div class="keys" role="group" aria-label="Lines of: ${title}"></div>
<p class="unseen" id="${id}-keys">Arrow keys step through the values.</p>
<details><summary>${title} as a table</summary>
${tableMarkup(table, `${title} as a table`)}
</details>
</figure>`
}

/** Styles and scripts of pages, as a browser reads them. Pages embed them, so that they fetch nothing. */
const read = (name: string) => readFileSync(new URL(`./browser/${name}`, import.meta.url), 'utf8')

/** Light and dark theme with one set of names; text has a contrast of 4.5:1 or more (WCAG AA). */
export const style = read('page.css')

/** Filters kept in the URL, search, keys, copying and links to requirements. Without it a page shows everything. */
export const entryScript = read('entries.js')

const require = createRequire(import.meta.url)

/**
 * Parts of a page with charts in addition to text: the chart library (uPlot, MIT) as published, since the page
 * fetches nothing. Each chart has a table with the same data, so nothing is lost without a script.
 */
export function chartParts(charts: readonly Chart[]) {
  const drawn = charts.map(({ table: _, note: __, ...chart }) => chart)
  const json = JSON.stringify(drawn).replaceAll('<', '\\u003c')
  return {
    style: readFileSync(require.resolve('uplot/dist/uPlot.min.css'), 'utf8'),
    scripts: [
      readFileSync(require.resolve('uplot/dist/uPlot.iife.min.js'), 'utf8'),
      read('charts.js'),
    ],
    /** Script element that browsers do not execute. */
    data: html`<script type="application/json" id="charts">${new Markup(json)}</script>`,
  }
}
