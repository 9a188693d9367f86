import { html, type Markup } from '../../html/markup.ts'

export interface Table {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** So many columns are words, at the left; the others are figures. */
  readonly words?: number
}

/** A table that scrolls by itself where it is wider than the page, also with a keyboard. */
export function tableMarkup({ head, rows, words = 1 }: Table, name: string): Markup {
  const kind = (at: number) => (at < words ? 'word' : 'figure')
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
