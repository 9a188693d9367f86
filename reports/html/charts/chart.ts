import { html, Markup, type Table, tableMarkup } from '../markup.ts'

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

/** Data of the charts, in a script element that browsers do not execute. */
export function chartData(charts: readonly Chart[]): Markup {
  const data = charts.map(({ table: _, note: __, ...chart }) => chart)
  const json = JSON.stringify(data).replaceAll('<', '\\u003c')
  return html`<script type="application/json" id="charts">${new Markup(json)}</script>`
}
