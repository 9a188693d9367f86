import { bodyJson, bodyText, type Exchange, isDeeperThan } from '../../../contract/index.ts'
import { html, type Markup } from '../../html/markup.ts'
import { count } from '../../text/escape.ts'
import { limits } from './limits.ts'

/** The body of an answer in one piece, with JSON laid out, cut to what a reader takes in. */
export function bodyMarkup(exchange: Exchange): Markup | null {
  if (exchange.response === null) return null
  const text = bodyText(exchange)
  if (text.trim() === '') return html`<p class="role">The body is empty.</p>`
  const laidOut = layOut(exchange, text)
  const shown = cut(laidOut)
  const left = laidOut.length - shown.length
  return html`<pre><code>${shown}</code></pre>
${left > 0 ? html`<p class="role">${count(left, 'character')} more of ${laidOut.length}.</p>` : null}`
}

/** Longer bodies would take a while to lay out, only to be cut. */
const longestLaidOut = 200_000
/** Each level indents all that is in it. */
const deepestLaidOut = 50

function layOut(exchange: Exchange, text: string): string {
  if (text.length > longestLaidOut || isDeeperThan(text, deepestLaidOut)) return text
  const value = bodyJson(exchange)
  return typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : text
}

function cut(text: string): string {
  const lines = text.slice(0, limits.bodyCharacters).split('\n')
  return lines.slice(0, limits.bodyLines).join('\n')
}
