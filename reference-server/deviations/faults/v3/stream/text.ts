/** Faults of what deltas bring: the text of the answer, reasoning, annotations (section 6, 3). */

import type { RunStep } from '../../../../events/run.ts'
import type { ResponseEvent } from '../../../../events/sequence.ts'
import type { ModelRequest } from '../../../../model/types.ts'
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
  editRun,
  nth,
  replaceEvents,
  setInEvents,
  swapPairs,
} from '../../../patches/events.ts'
import type { Fault } from '../../../types.ts'

const annotationAdded = 'response.output_text.annotation.added'
const outOfRange = 100_000
const textPath = 'response.output.*.content.*.text'
const toUpperCase = (old: unknown) => (typeof old === 'string' ? old.toUpperCase() : old)

export const textFaults: readonly Fault[] = [
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
  {
    name: 'stream-arguments-no-json',
    summary: 'The arguments of a call are written as Python writes them, everywhere alike.',
    breaks: ['V3-SSE-23'],
    patch: editRun((run) => ({ ...run, steps: run.steps.map(withPythonQuotes) })),
  },
  {
    name: 'stream-reasons-unasked',
    summary: 'The reasoning is streamed without think, too.',
    breaks: ['V3-SSE-24'],
    patch: (services) => ({
      ...services,
      model: (request) => services.model(alwaysThinking(request)),
    }),
  },
  {
    name: 'stream-delta-null',
    summary: 'The first delta is null.',
    breaks: ['V3-SSE-25'],
    patch: editEvents(
      replaceEvents(nth(textDelta, 0), (event) => [{ ...event, delta: null }, event]),
    ),
  },
  {
    name: 'stream-delta-missing',
    summary: 'One event without a delta comes before the first.',
    breaks: ['V3-SSE-25'],
    patch: editEvents(
      replaceEvents(nth(textDelta, 0), (event) => [{ ...event, delta: undefined }, event]),
    ),
  },
  {
    name: 'stream-delta-an-object',
    summary: 'Each delta is an object that holds the text.',
    breaks: ['V3-SSE-25'],
    patch: editEvents(setInEvents(all(textDelta), 'delta', (text: string) => ({ text }))),
  },
  {
    name: 'stream-reasoning-delta-an-object',
    summary: 'Each delta of the reasoning is an object; those of the text are strings.',
    breaks: ['V3-SSE-25'],
    patch: editEvents(setInEvents(all(reasoningDelta), 'delta', (text: string) => ({ text }))),
  },
  {
    name: 'stream-surrogates-halved',
    summary: 'A character outside the basic plane is cut in two deltas, as JSON escapes.',
    breaks: ['V3-SSE-27'],
    patch: editEvents(replaceEvents(all(textDelta), splitSurrogates)),
  },
  {
    name: 'stream-annotation-outside',
    summary: 'A citation stands behind the end of its text.',
    breaks: ['V3-SSE-28'],
    patch: editEvents(
      setInEvents(all(annotationAdded), 'annotation.index', outOfRange),
      setInEvents(all(partDone), 'part.annotations.*.index', outOfRange),
      setInEvents(all(itemDone), 'item.content.*.annotations.*.index', outOfRange),
      setInEvents(
        all(...terminalEvents),
        'response.output.*.content.*.annotations.*.index',
        outOfRange,
      ),
    ),
  },
  {
    name: 'stream-annotation-unannounced',
    summary: 'Citations stand in the text when it is done, and were not announced.',
    breaks: ['V3-SSE-28'],
    patch: editEvents(dropEvents(annotationAdded)),
  },
  {
    name: 'stream-annotation-lost',
    summary: 'Citations are announced, and the part that is done has none.',
    breaks: ['V3-SSE-28'],
    patch: editEvents(setInEvents(all(partDone), 'part.annotations', [])),
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

function splitSurrogates(event: ResponseEvent): readonly ResponseEvent[] {
  const text = String(event['delta'])
  const at = text.search(/[\ud800-\udbff][\udc00-\udfff]/)
  if (at < 0) return [event]
  return [
    { ...event, delta: text.slice(0, at + 1) },
    { ...event, delta: text.slice(at + 1) },
  ]
}

function withPythonQuotes(step: RunStep): RunStep {
  if (step.type !== 'function_call') return step
  return { ...step, fragments: step.fragments.map((text) => text.replaceAll('"', "'")) }
}

/** Of the native surfaces, whose tools the service runs by itself. */
function alwaysThinking(request: ModelRequest): ModelRequest {
  return request.toolsRunBy === 'service' ? { ...request, think: true } : request
}
