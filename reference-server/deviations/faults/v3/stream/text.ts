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
import type { Fault } from '../../../types.ts'

const textPath = 'response.output.*.content.*.text'
const toUpperCase = (old: unknown) => (typeof old === 'string' ? old.toUpperCase() : old)

export const streamTextFaults: readonly Fault[] = [
  {
    name: 'stream-last-delta-dropped',
    summary: 'The last text delta is omitted.',
    breaks: ['V3-SSE-17'],
    patch: editEvents(replaceEvents(nth(textDelta, -1), () => [])),
  },
  {
    name: 'stream-first-delta-dropped',
    summary: 'The first text delta is omitted.',
    breaks: ['V3-SSE-17'],
    patch: editEvents(replaceEvents(nth(textDelta, 0), () => [])),
  },
  {
    name: 'stream-deltas-dropped',
    summary: 'About one in ten text deltas is omitted, as if by a full queue.',
    breaks: ['V3-SSE-17'],
    patch: editEvents((events) =>
      events.filter(({ type }, at) => type !== textDelta || at % 10 !== 7),
    ),
  },
  {
    name: 'stream-deltas-missing',
    summary: 'All text deltas are omitted.',
    breaks: ['V3-SSE-17'],
    patch: editEvents(dropEvents(textDelta)),
  },
  {
    name: 'stream-delta-twice',
    summary: 'One text delta is sent twice, with different sequence numbers.',
    breaks: ['V3-SSE-17'],
    patch: editEvents(replaceEvents(nth(textDelta, 4), (event) => [event, event])),
  },
  {
    name: 'stream-deltas-swapped',
    summary: 'Text deltas are swapped in pairs.',
    breaks: ['V3-SSE-17'],
    patch: editEvents(swapPairs(textDelta)),
  },
  {
    name: 'stream-deltas-cumulative',
    summary: 'Each text delta contains all the text so far.',
    breaks: ['V3-SSE-17'],
    patch: editEvents(mapDeltas((text, before) => before + text)),
  },
  {
    name: 'stream-deltas-trimmed',
    summary: 'Text deltas lose their leading and trailing spaces.',
    breaks: ['V3-SSE-17'],
    patch: editEvents(mapDeltas((text) => text.trim())),
  },
  {
    name: 'stream-character-replaced',
    summary: 'Non-ASCII characters in text deltas are replaced by U+FFFD.',
    breaks: ['V3-SSE-17'],
    patch: editEvents(mapDeltas((text) => text.replace(/[^\0-\x7f]+/g, '\ufffd\ufffd'))),
  },
  {
    name: 'stream-deltas-escaped',
    summary: 'Text deltas are JSON-escaped twice.',
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
    summary: 'The text of the final response is empty.',
    breaks: ['V3-SSE-17'],
    patch: editEvents(setInEvents(all(...terminalEvents), textPath, '')),
  },
  {
    name: 'stream-final-text-cut',
    summary: 'The text of the final response is truncated to 20 characters.',
    breaks: ['V3-SSE-17'],
    patch: editEvents(
      setInEvents(all(...terminalEvents), textPath, (old: string) => old.slice(0, 20)),
    ),
  },
  {
    name: 'stream-done-text-differs',
    summary: 'The text of response.output_text.done differs from the deltas.',
    breaks: ['V3-SSE-18'],
    precedent: 'vidaiUK/VidaiMock, templates',
    patch: editEvents(setInEvents(all(textDone), 'text', toUpperCase)),
  },
  {
    name: 'stream-part-text-differs',
    summary: 'The text of response.content_part.done differs from the deltas.',
    breaks: ['V3-SSE-18'],
    patch: editEvents(setInEvents(all(partDone), 'part.text', toUpperCase)),
  },
  {
    name: 'stream-item-text-differs',
    summary: 'The text of response.output_item.done differs from the deltas.',
    breaks: ['V3-SSE-18'],
    patch: editEvents(setInEvents(all(itemDone), 'item.content.*.text', toUpperCase)),
  },
  {
    name: 'stream-reasoning-done-differs',
    summary: 'The text of response.reasoning_text.done differs from its deltas.',
    breaks: ['V3-SSE-18'],
    patch: editEvents(setInEvents(all(reasoningDone), 'text', toUpperCase)),
  },
  {
    name: 'stream-reasoning-delta-dropped',
    summary: 'The last reasoning delta is omitted.',
    breaks: ['V3-SSE-18'],
    patch: editEvents(replaceEvents(nth(reasoningDelta, -1), () => [])),
  },
  {
    name: 'stream-argument-delta-dropped',
    summary: 'The first delta of the arguments of a function call is omitted.',
    breaks: ['V3-SSE-18'],
    patch: editEvents(replaceEvents(nth('response.function_call_arguments.delta', 0), () => [])),
  },
  {
    name: 'stream-arguments-differ',
    summary:
      'The arguments of a function call in the final response differ from the streamed ones.',
    breaks: ['V3-SSE-18'],
    patch: editEvents(
      setInEvents(all(...terminalEvents), 'response.output.*.arguments', () => '{"zone":"Local"}'),
    ),
  },
]

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
