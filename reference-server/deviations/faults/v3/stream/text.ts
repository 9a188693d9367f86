/** Faults of what deltas bring: the text of the answer, reasoning, annotations (section 6, 3). */

import {
  itemDone,
  partDone,
  reasoningDelta,
  reasoningDone,
  terminalEvents,
  textDelta,
  textDone,
} from '../../../patches/event-names.ts'
import {
  all,
  dropEvents,
  type Edit,
  editEvents,
  nth,
  replaceEvents,
  setInEvents,
  swapPairs,
} from '../../../patches/events.ts'
import type { Fault } from '../../../types.ts'

const textPath = 'response.output.*.content.*.text'
const toUpperCase = (old: unknown) => (typeof old === 'string' ? old.toUpperCase() : old)

export const streamTextFaults: readonly Fault[] = [
  {
    name: 'stream-last-delta-dropped',
    summary: 'The last delta of the text is dropped; all that follows is right.',
    breaks: ['V3-SSE-17'],
    patch: editEvents(replaceEvents(nth(textDelta, -1), () => [])),
  },
  {
    name: 'stream-first-delta-dropped',
    summary: 'The first delta of the text is dropped; all that follows is right.',
    breaks: ['V3-SSE-17'],
    patch: editEvents(replaceEvents(nth(textDelta, 0), () => [])),
  },
  {
    name: 'stream-deltas-dropped',
    summary: 'Every tenth delta is dropped, as by a queue that is full.',
    breaks: ['V3-SSE-17'],
    patch: editEvents((events) =>
      events.filter(({ type }, at) => type !== textDelta || at % 10 !== 7),
    ),
  },
  {
    name: 'stream-deltas-missing',
    summary: 'No delta is sent; the text stands in the final response alone.',
    breaks: ['V3-SSE-17'],
    patch: editEvents(dropEvents(textDelta)),
  },
  {
    name: 'stream-delta-twice',
    summary: 'One delta in the middle is sent twice, with numbers of its own.',
    breaks: ['V3-SSE-17'],
    patch: editEvents(replaceEvents(nth(textDelta, 4), (event) => [event, event])),
  },
  {
    name: 'stream-deltas-swapped',
    summary: 'Deltas overtake each other in pairs.',
    breaks: ['V3-SSE-17'],
    patch: editEvents(swapPairs(textDelta)),
  },
  {
    name: 'stream-deltas-cumulative',
    summary: 'Each delta is the whole text so far.',
    breaks: ['V3-SSE-17'],
    patch: editEvents(mapDeltas((text, before) => before + text)),
  },
  {
    name: 'stream-deltas-trimmed',
    summary: 'The spaces around each delta are trimmed.',
    breaks: ['V3-SSE-17'],
    patch: editEvents(mapDeltas((text) => text.trim())),
  },
  {
    name: 'stream-character-replaced',
    summary: 'A character that was cut between two deltas has become U+FFFD in them.',
    breaks: ['V3-SSE-17'],
    patch: editEvents(mapDeltas((text) => text.replace(/[^\0-\x7f]+/g, '\ufffd\ufffd'))),
  },
  {
    name: 'stream-deltas-escaped',
    summary: 'Quotation marks in deltas are escaped twice.',
    breaks: ['V3-SSE-17'],
    patch: editEvents(
      mapDeltas((text) =>
        JSON.stringify(text)
          .slice(1, -1)
          .replace(/[^\0-\x7f]/g, '\\u0000'),
      ),
    ),
  },
  {
    name: 'stream-final-text-empty',
    summary: 'The deltas are right, and the text of the final response is empty.',
    breaks: ['V3-SSE-17'],
    patch: editEvents(setInEvents(all(...terminalEvents), textPath, '')),
  },
  {
    name: 'stream-final-text-cut',
    summary: 'The final response holds the beginning of what was streamed.',
    breaks: ['V3-SSE-17'],
    patch: editEvents(
      setInEvents(all(...terminalEvents), textPath, (old: string) => old.slice(0, 20)),
    ),
  },
  {
    name: 'stream-done-text-differs',
    summary: 'The text of response.output_text.done is not that of the deltas.',
    breaks: ['V3-SSE-18'],
    seen: 'vidaiUK/VidaiMock, templates',
    patch: editEvents(setInEvents(all(textDone), 'text', toUpperCase)),
  },
  {
    name: 'stream-part-text-differs',
    summary: 'The text of content_part.done is not that of the deltas.',
    breaks: ['V3-SSE-18'],
    patch: editEvents(setInEvents(all(partDone), 'part.text', toUpperCase)),
  },
  {
    name: 'stream-item-text-differs',
    summary: 'The text of output_item.done is not that of the deltas.',
    breaks: ['V3-SSE-18'],
    patch: editEvents(setInEvents(all(itemDone), 'item.content.*.text', toUpperCase)),
  },
  {
    name: 'stream-reasoning-done-differs',
    summary: 'The text of response.reasoning_text.done is not that of its deltas.',
    breaks: ['V3-SSE-18'],
    patch: editEvents(setInEvents(all(reasoningDone), 'text', toUpperCase)),
  },
  {
    name: 'stream-reasoning-delta-dropped',
    summary: 'The last delta of the reasoning is dropped; all that follows is right.',
    breaks: ['V3-SSE-18'],
    patch: editEvents(replaceEvents(nth(reasoningDelta, -1), () => [])),
  },
  {
    name: 'stream-argument-delta-dropped',
    summary: 'The first delta of the arguments of a call is dropped; all that follows is right.',
    breaks: ['V3-SSE-18'],
    patch: editEvents(replaceEvents(nth('response.function_call_arguments.delta', 0), () => [])),
  },
  {
    name: 'stream-arguments-differ',
    summary: 'The arguments of the final call are not those that were streamed.',
    breaks: ['V3-SSE-18'],
    patch: editEvents(
      setInEvents(all(...terminalEvents), 'response.output.*.arguments', () => '{"zone":"Local"}'),
    ),
  },
]

/** Each delta is what a function makes of it and of the text before it. */
function mapDeltas(make: (text: string, before: string) => string): Edit {
  return (events) => {
    let before = ''
    return events.map((event) => {
      const text = event['delta']
      if (event.type !== textDelta || typeof text !== 'string') return event
      const other = make(text, before)
      before += text
      return { ...event, delta: other }
    })
  }
}
