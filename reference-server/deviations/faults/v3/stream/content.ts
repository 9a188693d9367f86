/** Faults of what deltas and annotations are: their types, arguments, characters (section 6, 3). */

import type { RunStep } from '../../../../events/run.ts'
import type { ResponseEvent } from '../../../../events/sequence.ts'
import type { ModelRequest } from '../../../../model/types.ts'
import {
  itemDone,
  partDone,
  reasoningDelta,
  terminalEvents,
  textDelta,
} from '../../../patches/event-names.ts'
import {
  all,
  dropEvents,
  editEvents,
  editRun,
  nth,
  replaceEvents,
  setInEvents,
} from '../../../patches/events.ts'
import type { Fault } from '../../../types.ts'

const annotationAdded = 'response.output_text.annotation.added'
const outOfRange = 100_000

export const streamContentFaults: readonly Fault[] = [
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

/** Turns reasoning on for the native surfaces, whose tools the service runs itself. */
function alwaysThinking(request: ModelRequest): ModelRequest {
  return request.toolsRunBy === 'service' ? { ...request, think: true } : request
}
