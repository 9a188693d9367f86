import { figureColumns } from '../text/columns.ts'
import { printable } from '../text/escape.ts'

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

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

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
