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
  editEvents,
  nth,
  replaceEvents,
  setInEvents,
  swapPairs,
} from '../../../patches/events.ts'
import { faultTable } from '../../../table.ts'

const textPath = 'response.output.*.content.*.text'
const toUpperCase = (old: unknown) => (typeof old === 'string' ? old.toUpperCase() : old)

export const streamTextFaults = faultTable({
  'V3-SSE-17': {
    'stream-last-delta-dropped: The last text delta is omitted.': editEvents(
      replaceEvents(nth(textDelta, -1), () => []),
    ),
    'stream-first-delta-dropped: The first text delta is omitted.': editEvents(
      replaceEvents(nth(textDelta, 0), () => []),
    ),
    'stream-deltas-dropped: About one in ten text deltas is omitted, as if by a full queue.':
      editEvents((events) => events.filter(({ type }, at) => type !== textDelta || at % 10 !== 7)),
    'stream-deltas-missing: All text deltas are omitted.': editEvents(dropEvents(textDelta)),
    'stream-delta-twice: One text delta is sent twice, with different sequence numbers.':
      editEvents(replaceEvents(nth(textDelta, 4), (event) => [event, event])),
    'stream-deltas-swapped: Text deltas are swapped in pairs.': editEvents(swapPairs(textDelta)),
    'stream-deltas-cumulative: Each text delta contains all the text so far.': editEvents(
      mapDeltas((text, before) => before + text),
    ),
    'stream-deltas-trimmed: Text deltas lose their leading and trailing spaces.': editEvents(
      mapDeltas((text) => text.trim()),
    ),
    'stream-character-replaced: Non-ASCII characters in text deltas are replaced by U+FFFD.':
      editEvents(mapDeltas((text) => text.replace(/[^\0-\x7f]+/g, '\ufffd\ufffd'))),
    'stream-deltas-escaped: Text deltas are JSON-escaped twice.': editEvents(
      mapDeltas((text) =>
        JSON.stringify(text)
          .slice(1, -1)
          .replace(/[^\0-\x7f]/g, '\\u0000'),
      ),
    ),
    'stream-final-text-empty: The text of the final response is empty.': editEvents(
      setInEvents(all(...terminalEvents), textPath, ''),
    ),
    'stream-final-text-cut: The text of the final response is truncated to 20 characters.':
      editEvents(setInEvents(all(...terminalEvents), textPath, (old: string) => old.slice(0, 20))),
  },
  'V3-SSE-18': {
    'stream-done-text-differs: The text of response.output_text.done differs from the deltas.': {
      precedent: 'vidaiUK/VidaiMock, templates',
      patch: editEvents(setInEvents(all(textDone), 'text', toUpperCase)),
    },
    'stream-part-text-differs: The text of response.content_part.done differs from the deltas.':
      editEvents(setInEvents(all(partDone), 'part.text', toUpperCase)),
    'stream-item-text-differs: The text of response.output_item.done differs from the deltas.':
      editEvents(setInEvents(all(itemDone), 'item.content.*.text', toUpperCase)),
    'stream-reasoning-done-differs: The text of response.reasoning_text.done differs from its deltas.':
      editEvents(setInEvents(all(reasoningDone), 'text', toUpperCase)),
    'stream-reasoning-delta-dropped: The last reasoning delta is omitted.': editEvents(
      replaceEvents(nth(reasoningDelta, -1), () => []),
    ),
    'stream-argument-delta-dropped: The first delta of the arguments of a function call is omitted.':
      editEvents(replaceEvents(nth('response.function_call_arguments.delta', 0), () => [])),
    'stream-arguments-differ: The arguments of a function call in the final response differ from the streamed ones.':
      editEvents(
        setInEvents(
          all(...terminalEvents),
          'response.output.*.arguments',
          () => '{"zone":"Local"}',
        ),
      ),
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
