import type { Exchange, StreamEvent } from '../../contract/index.ts'
import { html, type Markup } from '../html/markup.ts'
import { shorten } from '../text/escape.ts'
import { count, milliseconds } from '../text/format.ts'
import { endingText, foldEvents, foldText, type TimelineEntry, time } from '../text/timeline.ts'

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
  return eventLine(entry.event, entry.at === offending)
}

function eventLine({ atMs, name, data }: StreamEvent, isOffending: boolean): Markup {
  return html`<li${isOffending ? html` class="offending"` : null}><span class="time">${time(atMs)}</span> ${isOffending ? html`<strong>here:</strong> ` : null}${name === null ? null : html`<b>${name}</b> `}<code>${shorten(data, isOffending ? maxOffendingLength : maxDataLength)}</code></li>
`
}
