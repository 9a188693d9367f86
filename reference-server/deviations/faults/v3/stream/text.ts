/** Faults of the text in deltas: answer, reasoning, arguments (section 6, 3). */

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
  nth,
  replaceEvents,
  setInEvents,
  swapPairs,
} from '../../../patches/events.ts'
import { eventFaultTable } from '../../../table.ts'

const textPath = 'response.output.*.content.*.text'
const toUpperCase = (old: unknown) => (typeof old === 'string' ? old.toUpperCase() : old)

export const streamTextFaults = eventFaultTable({
  'V3-SSE-17': {
    'stream-last-delta-dropped: The last text delta is omitted.': dropEvents(nth(textDelta, -1)),
    'stream-first-delta-dropped: The first text delta is omitted.': dropEvents(nth(textDelta, 0)),
    'stream-deltas-dropped: About one in ten text deltas is omitted, as if by a full queue.': (
      events,
    ) => events.filter(({ type }, at) => type !== textDelta || at % 10 !== 7),
    'stream-deltas-missing: All text deltas are omitted.': dropEvents(textDelta),
    'stream-delta-twice: One text delta is sent twice, with different sequence numbers.':
      replaceEvents(nth(textDelta, 4), (event) => [event, event]),
    'stream-deltas-swapped: Text deltas are swapped in pairs.': swapPairs(textDelta),
    'stream-deltas-cumulative: Each text delta contains all the text so far.': mapDeltas(
      (text, before) => before + text,
    ),
    'stream-deltas-trimmed: Text deltas lose their leading and trailing spaces.': mapDeltas(
      (text) => text.trim(),
    ),
    'stream-character-replaced: Non-ASCII characters in text deltas are replaced by U+FFFD.':
      mapDeltas((text) => text.replace(/[^\0-\x7f]+/g, '\ufffd\ufffd')),
    'stream-deltas-escaped: Text deltas are JSON-escaped twice.': mapDeltas((text) =>
      JSON.stringify(text)
        .slice(1, -1)
        .replace(/[^\0-\x7f]/g, '\\u0000'),
    ),
    'stream-final-text-empty: The text of the final response is empty.': setInEvents(
      all(...terminalEvents),
      { [textPath]: '' },
    ),
    'stream-final-text-cut: The text of the final response is truncated to 20 characters.':
      setInEvents(all(...terminalEvents), { [textPath]: (old: string) => old.slice(0, 20) }),
  },
  'V3-SSE-18': {
    'stream-done-text-differs: The text of response.output_text.done differs from the deltas.': {
      precedent: 'vidaiUK/VidaiMock, templates',
      patch: setInEvents(textDone, { text: toUpperCase }),
    },
    'stream-part-text-differs: The text of response.content_part.done differs from the deltas.':
      setInEvents(partDone, { 'part.text': toUpperCase }),
    'stream-item-text-differs: The text of response.output_item.done differs from the deltas.':
      setInEvents(itemDone, { 'item.content.*.text': toUpperCase }),
    'stream-reasoning-done-differs: The text of response.reasoning_text.done differs from its deltas.':
      setInEvents(reasoningDone, { text: toUpperCase }),
    'stream-reasoning-delta-dropped: The last reasoning delta is omitted.': dropEvents(
      nth(reasoningDelta, -1),
    ),
    'stream-argument-delta-dropped: The first delta of the arguments of a function call is omitted.':
      dropEvents(nth('response.function_call_arguments.delta', 0)),
    'stream-arguments-differ: The arguments of a function call in the final response differ from the streamed ones.':
      setInEvents(all(...terminalEvents), {
        'response.output.*.arguments': () => '{"zone":"Local"}',
      }),
  },
})

/** Maps each text delta, given the text before it. */
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
