/** Faults of the content of deltas and annotations: types, arguments, characters (section 6, 3). */

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
    summary:
      'The arguments of a function call are a Python dict literal instead of JSON in all events.',
    breaks: ['V3-SSE-23'],
    patch: editRun((run) => ({ ...run, steps: run.steps.map(withPythonQuotes) })),
  },
  {
    name: 'stream-reasons-unasked',
    summary: 'Reasoning is streamed without think.',
    breaks: ['V3-SSE-24'],
    patch: (services) => ({
      ...services,
      model: (request) => services.model(alwaysThinking(request)),
    }),
  },
  {
    name: 'stream-delta-null',
    summary: 'An event with a null delta precedes the first text delta.',
    breaks: ['V3-SSE-25'],
    patch: editEvents(
      replaceEvents(nth(textDelta, 0), (event) => [{ ...event, delta: null }, event]),
    ),
  },
  {
    name: 'stream-delta-missing',
    summary: 'An event without delta precedes the first text delta.',
    breaks: ['V3-SSE-25'],
    patch: editEvents(
      replaceEvents(nth(textDelta, 0), (event) => [{ ...event, delta: undefined }, event]),
    ),
  },
  {
    name: 'stream-delta-an-object',
    summary: 'Text deltas are objects instead of strings.',
    breaks: ['V3-SSE-25'],
    patch: editEvents(setInEvents(all(textDelta), 'delta', (text: string) => ({ text }))),
  },
  {
    name: 'stream-reasoning-delta-an-object',
    summary: 'Reasoning deltas are objects instead of strings.',
    breaks: ['V3-SSE-25'],
    patch: editEvents(setInEvents(all(reasoningDelta), 'delta', (text: string) => ({ text }))),
  },
  {
    name: 'stream-surrogates-halved',
    summary: 'A surrogate pair is split across two deltas as JSON escapes.',
    breaks: ['V3-SSE-27'],
    patch: editEvents(replaceEvents(all(textDelta), splitSurrogates)),
  },
  {
    name: 'stream-annotation-outside',
    summary: 'The index of a citation exceeds the length of its text.',
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
    summary: 'response.output_text.annotation.added is omitted.',
    breaks: ['V3-SSE-28'],
    patch: editEvents(dropEvents(annotationAdded)),
  },
  {
    name: 'stream-annotation-lost',
    summary: 'response.content_part.done omits the citations that were announced.',
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
