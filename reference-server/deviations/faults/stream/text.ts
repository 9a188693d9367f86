/** Faults of what deltas bring: the text of the answer, reasoning, annotations (section 6, 3). */

import type { RunStep } from '../../../events/run.ts'
import type { ResponseEvent } from '../../../events/sequence.ts'
import type { ModelRequest } from '../../../model/types.ts'
import {
  become,
  type Edit,
  every,
  set,
  stream,
  streamOf,
  swapped,
  the,
  without,
} from '../../streams.ts'
import type { Fault } from '../../types.ts'
import { delta, done, ends, partDone, textDone, thought, thoughtDone } from './names.ts'

const announced = 'response.output_text.annotation.added'
const far = 100_000
const textIn = 'response.output.*.content.*.text'
const upper = (old: unknown) => (typeof old === 'string' ? old.toUpperCase() : old)

export const textFaults: readonly Fault[] = [
  {
    name: 'stream-last-delta-dropped',
    summary: 'The last delta of the text is dropped; all that follows is right.',
    breaks: ['V3-SSE-17'],
    refit: stream(become(the(delta, -1), () => [])),
  },
  {
    name: 'stream-first-delta-dropped',
    summary: 'The first delta of the text is dropped; all that follows is right.',
    breaks: ['V3-SSE-17'],
    refit: stream(become(the(delta, 0), () => [])),
  },
  {
    name: 'stream-deltas-dropped',
    summary: 'Every tenth delta is dropped, as by a queue that is full.',
    breaks: ['V3-SSE-17'],
    refit: stream((events) => events.filter(({ type }, at) => type !== delta || at % 10 !== 7)),
  },
  {
    name: 'stream-deltas-missing',
    summary: 'No delta is sent; the text stands in the final response alone.',
    breaks: ['V3-SSE-17'],
    refit: stream(without(delta)),
  },
  {
    name: 'stream-delta-twice',
    summary: 'One delta in the middle is sent twice, with numbers of its own.',
    breaks: ['V3-SSE-17'],
    refit: stream(become(the(delta, 4), (event) => [event, event])),
  },
  {
    name: 'stream-deltas-swapped',
    summary: 'Deltas overtake each other in pairs.',
    breaks: ['V3-SSE-17'],
    refit: stream(swapped(delta)),
  },
  {
    name: 'stream-deltas-cumulative',
    summary: 'Each delta is the whole text so far.',
    breaks: ['V3-SSE-17'],
    refit: stream(eachDelta((text, before) => before + text)),
  },
  {
    name: 'stream-deltas-trimmed',
    summary: 'The spaces around each delta are trimmed.',
    breaks: ['V3-SSE-17'],
    refit: stream(eachDelta((text) => text.trim())),
  },
  {
    name: 'stream-character-replaced',
    summary: 'A character that was cut between two deltas has become U+FFFD in them.',
    breaks: ['V3-SSE-17'],
    refit: stream(eachDelta((text) => text.replace(/[^\0-\x7f]+/g, '\ufffd\ufffd'))),
  },
  {
    name: 'stream-deltas-escaped',
    summary: 'Quotation marks in deltas are escaped twice.',
    breaks: ['V3-SSE-17'],
    refit: stream(
      eachDelta((text) =>
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
    refit: stream(set(every(...ends), textIn, '')),
  },
  {
    name: 'stream-final-text-cut',
    summary: 'The final response holds the beginning of what was streamed.',
    breaks: ['V3-SSE-17'],
    refit: stream(set(every(...ends), textIn, (old: string) => old.slice(0, 20))),
  },
  {
    name: 'stream-done-text-differs',
    summary: 'The text of response.output_text.done is not that of the deltas.',
    breaks: ['V3-SSE-18'],
    seen: 'vidaiUK/VidaiMock, templates',
    refit: stream(set(every(textDone), 'text', upper)),
  },
  {
    name: 'stream-part-text-differs',
    summary: 'The text of content_part.done is not that of the deltas.',
    breaks: ['V3-SSE-18'],
    refit: stream(set(every(partDone), 'part.text', upper)),
  },
  {
    name: 'stream-item-text-differs',
    summary: 'The text of output_item.done is not that of the deltas.',
    breaks: ['V3-SSE-18'],
    refit: stream(set(every(done), 'item.content.*.text', upper)),
  },
  {
    name: 'stream-reasoning-done-differs',
    summary: 'The text of response.reasoning_text.done is not that of its deltas.',
    breaks: ['V3-SSE-18'],
    refit: stream(set(every(thoughtDone), 'text', upper)),
  },
  {
    name: 'stream-reasoning-delta-dropped',
    summary: 'The last delta of the reasoning is dropped; all that follows is right.',
    breaks: ['V3-SSE-18'],
    refit: stream(become(the(thought, -1), () => [])),
  },
  {
    name: 'stream-argument-delta-dropped',
    summary: 'The first delta of the arguments of a call is dropped; all that follows is right.',
    breaks: ['V3-SSE-18'],
    refit: stream(become(the('response.function_call_arguments.delta', 0), () => [])),
  },
  {
    name: 'stream-arguments-differ',
    summary: 'The arguments of the final call are not those that were streamed.',
    breaks: ['V3-SSE-18'],
    refit: stream(set(every(...ends), 'response.output.*.arguments', () => '{"zone":"Local"}')),
  },
  {
    name: 'stream-arguments-no-json',
    summary: 'The arguments of a call are written as Python writes them, everywhere alike.',
    breaks: ['V3-SSE-23'],
    refit: streamOf((run) => ({ ...run, steps: run.steps.map(withQuotes) })),
  },
  {
    name: 'stream-reasons-unasked',
    summary: 'The reasoning is streamed without think, too.',
    breaks: ['V3-SSE-24'],
    refit: (parts) => ({ ...parts, model: (request) => parts.model(alwaysThinking(request)) }),
  },
  {
    name: 'stream-delta-null',
    summary: 'The first delta is null.',
    breaks: ['V3-SSE-25'],
    refit: stream(become(the(delta, 0), (event) => [{ ...event, delta: null }, event])),
  },
  {
    name: 'stream-delta-missing',
    summary: 'One event without a delta comes before the first.',
    breaks: ['V3-SSE-25'],
    refit: stream(become(the(delta, 0), (event) => [{ ...event, delta: undefined }, event])),
  },
  {
    name: 'stream-delta-an-object',
    summary: 'Each delta is an object that holds the text.',
    breaks: ['V3-SSE-25'],
    refit: stream(set(every(delta), 'delta', (text: string) => ({ text }))),
  },
  {
    name: 'stream-reasoning-delta-an-object',
    summary: 'Each delta of the reasoning is an object; those of the text are strings.',
    breaks: ['V3-SSE-25'],
    refit: stream(set(every(thought), 'delta', (text: string) => ({ text }))),
  },
  {
    name: 'stream-surrogates-halved',
    summary: 'A character outside the basic plane is cut in two deltas, as JSON escapes.',
    breaks: ['V3-SSE-27'],
    refit: stream(become(every(delta), halves)),
  },
  {
    name: 'stream-annotation-outside',
    summary: 'A citation stands behind the end of its text.',
    breaks: ['V3-SSE-28'],
    refit: stream(
      set(every(announced), 'annotation.index', far),
      set(every(partDone), 'part.annotations.*.index', far),
      set(every(done), 'item.content.*.annotations.*.index', far),
      set(every(...ends), 'response.output.*.content.*.annotations.*.index', far),
    ),
  },
  {
    name: 'stream-annotation-unannounced',
    summary: 'Citations stand in the text when it is done, and were not announced.',
    breaks: ['V3-SSE-28'],
    refit: stream(without(announced)),
  },
  {
    name: 'stream-annotation-lost',
    summary: 'Citations are announced, and the part that is done has none.',
    breaks: ['V3-SSE-28'],
    refit: stream(set(every(partDone), 'part.annotations', [])),
  },
]

/** Each delta is what a function makes of it and of the text before it. */
function eachDelta(make: (text: string, before: string) => string): Edit {
  return (events) => {
    let before = ''
    return events.map((event) => {
      const text = event['delta']
      if (event.type !== delta || typeof text !== 'string') return event
      const other = make(text, before)
      before += text
      return { ...event, delta: other }
    })
  }
}

function halves(event: ResponseEvent): readonly ResponseEvent[] {
  const text = String(event['delta'])
  const at = text.search(/[\ud800-\udbff][\udc00-\udfff]/)
  if (at < 0) return [event]
  return [
    { ...event, delta: text.slice(0, at + 1) },
    { ...event, delta: text.slice(at + 1) },
  ]
}

function withQuotes(step: RunStep): RunStep {
  if (step.type !== 'function_call') return step
  return { ...step, fragments: step.fragments.map((text) => text.replaceAll('"', "'")) }
}

/** Of the native surfaces, whose tools the service runs by itself. */
function alwaysThinking(request: ModelRequest): ModelRequest {
  return request.toolsRunBy === 'service' ? { ...request, think: true } : request
}
