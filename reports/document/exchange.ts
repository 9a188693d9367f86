import {
  bodyJson,
  bodyText,
  type Exchange,
  isDeeperThan,
  type Role,
  sentPath,
} from '../../contract/index.ts'
import { html, type Markup } from '../html/markup.ts'
import { shorten } from '../text/escape.ts'
import { count, milliseconds } from '../text/format.ts'
import {
  endingText,
  foldEvents,
  foldText,
  statusLine,
  type TimelineEntry,
  time,
} from '../text/timeline.ts'
import type { Shown } from './document.ts'
import { commandText } from './evidence.ts'

const roles: Readonly<Record<Role, string>> = {
  arrange: 'setup',
  act: 'the tested request',
  control: 'control: differs from the invalid request in one field, must be accepted',
  negative: 'invalid, must be rejected',
  liveness: 'after an invalid request, the server must still respond',
  probe: 'reads the resulting state',
  cleanup: 'cleanup',
}

/** One exchange: the request as a command that repeats it, and the response. */
export function exchangeMarkup(
  exchange: Exchange,
  item: Pick<Shown, 'event' | 'chat' | 'script'>,
): Markup {
  const { id, request, labels, response } = exchange
  return html`<div class="exchange">
<h5>${id}: ${request.method} ${pathOf(exchange)}</h5>
<p class="role">Request ${labels.ordinal} of ${labels.scenario}${labels.attempt > 0 ? `, attempt ${labels.attempt + 1}` : ''}: ${roles[labels.role]}. ${exchange.startedAt}</p>
<div class="sent"><p class="lead">Request</p><button type="button" class="copy" aria-label="Copy the command of ${id}">Copy</button></div>
<pre><code>${commandText(exchange, item)}</code></pre>
<p class="lead">Response: <span class="answer">${statusLine(exchange)}</span></p>
${response === null ? null : headers(response.headers)}
${exchange.events.length > 0 ? streamMarkup(exchange, item.event) : bodyMarkup(exchange)}
</div>
`
}

/** A recorded URL may be malformed. */
function pathOf(exchange: Exchange): string {
  try {
    return shorten(sentPath(exchange), 200)
  } catch {
    return shorten(exchange.request.url, 200)
  }
}

const maxHeaders = 40
const maxHeaderLength = 300

function headers(list: readonly (readonly [name: string, value: string])[]): Markup {
  const more = list.length - maxHeaders
  const lines = list
    .slice(0, maxHeaders)
    .map(([name, value]) => shorten(`${name}: ${value}`, maxHeaderLength))
  return html`<details class="headers"><summary>${count(list.length, 'header')}</summary>
<pre><code>${lines.join('\n')}${more > 0 ? `\n… ${count(more, 'more header')}` : ''}</code></pre></details>
`
}

/** Maximum shown of a body. */
export const bodyLimits = { characters: 4_000, lines: 120 } as const

/** The body of a response that is not a stream; JSON is formatted, long bodies are cut. */
function bodyMarkup(exchange: Exchange): Markup | null {
  if (exchange.response === null) return null
  const text = bodyText(exchange)
  if (text.trim() === '') return html`<p class="role">The body is empty.</p>`
  const laidOut = layOut(exchange, text)
  const excerpt = cut(laidOut)
  const left = laidOut.length - excerpt.length
  return html`<pre><code>${excerpt}</code></pre>
${left > 0 ? html`<p class="role">${count(left, 'more character')} of ${laidOut.length}.</p>` : null}`
}

/** Longer bodies take long to format, only to be cut. */
const maxFormattedLength = 200_000
/** Each level adds indentation. */
const maxFormattedDepth = 50

function layOut(exchange: Exchange, text: string): string {
  if (text.length > maxFormattedLength || isDeeperThan(text, maxFormattedDepth)) return text
  const value = bodyJson(exchange)
  return typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : text
}

function cut(text: string): string {
  const lines = text.slice(0, bodyLimits.characters).split('\n')
  return lines.slice(0, bodyLimits.lines).join('\n')
}

/** A stream as a timeline and a list of its events; the offending event is marked. */
export function streamMarkup(exchange: Exchange, offending: number | null): Markup {
  const { events, ending } = exchange
  return html`${picture(exchange, offending)}
<ol class="events">
${foldEvents(events, offending).map((entry) => line(entry, offending))}
<li class="end"><span class="time">${time(ending.atMs)}</span> ${endingText(ending)}</li>
</ol>
`
}

/** Units of the drawing, which is stretched to the width of the page. */
const width = 1_000
const height = 32
const tickWidth = 2

/** One tick for each event, from the first byte of the request to the end. */
function picture({ events, ending, response }: Exchange, offending: number | null): Markup {
  const endMs = Math.max(ending.atMs, events.at(-1)?.atMs ?? 0, 1)
  const xOf = (atMs: number) => Math.round((atMs / endMs) * (width - tickWidth))
  // Events at the same position share a tick.
  const ticks = [...new Set(events.map(({ atMs }) => xOf(atMs)))]
  const bad = offending === null ? undefined : events[offending]
  const label = `${count(events.length, 'event')} within ${milliseconds(endMs)}${bad ? `; event ${(offending ?? 0) + 1}, at ${milliseconds(bad.atMs)}, shows the violation` : ''}`
  return html`<figure><svg role="img" aria-label="${label}" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none">
<rect class="axis" x="0" y="${height / 2 - 1}" width="${width}" height="2"/>
${ticks.map((x) => html`<rect class="tick" x="${x}" y="8" width="${tickWidth}" height="16"/>`)}
${response === null ? null : html`<rect class="head" x="${xOf(response.headersAtMs)}" y="4" width="${tickWidth}" height="24"/>`}
${bad === undefined ? null : html`<rect class="bad" x="${Math.max(0, xOf(bad.atMs) - tickWidth)}" y="0" width="${3 * tickWidth}" height="${height}"/>`}
</svg>
<figcaption><span>0 ms</span> <span>${response === null ? '' : `headers after ${milliseconds(response.headersAtMs)}, `}${count(events.length, 'event')}</span> <span>${milliseconds(endMs)}</span></figcaption></figure>`
}

/** The offending event is shown longer than the others. */
const maxDataLength = 160
const maxOffendingLength = 1_000

function line(entry: TimelineEntry, offending: number | null): Markup {
  if ('folded' in entry)
    return html`<li class="fold">… ${foldText(entry.folded)}</li>
`
  const { atMs, name, data } = entry.event
  const isOffending = entry.at === offending
  return html`<li${isOffending ? html` class="offending"` : null}><span class="time">${time(atMs)}</span> ${isOffending ? html`<strong>here:</strong> ` : null}${name === null ? null : html`<b>${name}</b> `}<code>${shorten(data, isOffending ? maxOffendingLength : maxDataLength)}</code></li>
`
}
