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
import { eventFaultTable, faultTable } from '../../../table.ts'
import type { Fault } from '../../../types.ts'

const annotationAdded = 'response.output_text.annotation.added'
const outOfRange = 100_000

export const streamContentFaults: readonly Fault[] = [
  ...faultTable({
    'V3-SSE-23': {
      'stream-arguments-no-json: The arguments of a function call are a Python dict literal instead of JSON in all events.':
        editRun((run) => ({ ...run, steps: run.steps.map(withPythonQuotes) })),
    },
    'V3-SSE-24': {
      'stream-reasons-unasked: Reasoning is streamed without think.': (services) => ({
        ...services,
        model: (request) => services.model(alwaysThinking(request)),
      }),
    },
    'V3-SSE-28': {
      'stream-annotation-outside: The index of a citation exceeds the length of its text.':
        editEvents(
          setInEvents(annotationAdded, { 'annotation.index': outOfRange }),
          setInEvents(partDone, { 'part.annotations.*.index': outOfRange }),
          setInEvents(itemDone, { 'item.content.*.annotations.*.index': outOfRange }),
          setInEvents(all(...terminalEvents), {
            'response.output.*.content.*.annotations.*.index': outOfRange,
          }),
        ),
    },
  }),
  ...eventFaultTable({
    'V3-SSE-25': {
      'stream-delta-null: An event with a null delta precedes the first text delta.': replaceEvents(
        nth(textDelta, 0),
        (event) => [{ ...event, delta: null }, event],
      ),
      'stream-delta-missing: An event without delta precedes the first text delta.': replaceEvents(
        nth(textDelta, 0),
        (event) => [{ ...event, delta: undefined }, event],
      ),
      'stream-delta-an-object: Text deltas are objects instead of strings.': setInEvents(
        textDelta,
        { delta: (text: string) => ({ text }) },
      ),
      'stream-reasoning-delta-an-object: Reasoning deltas are objects instead of strings.':
        setInEvents(reasoningDelta, { delta: (text: string) => ({ text }) }),
    },
    'V3-SSE-27': {
      'stream-surrogates-halved: A surrogate pair is split across two deltas as JSON escapes.':
        replaceEvents(textDelta, splitSurrogates),
    },
    'V3-SSE-28': {
      'stream-annotation-unannounced: response.output_text.annotation.added is omitted.':
        dropEvents(annotationAdded),
      'stream-annotation-lost: response.content_part.done omits the citations that were announced.':
        setInEvents(partDone, { 'part.annotations': [] }),
    },
  }),
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
