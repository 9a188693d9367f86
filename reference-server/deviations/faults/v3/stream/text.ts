/** Faults of the text and content of deltas and annotations (section 6, 3). */
import type { RunStep } from '../../../../events/run.ts'
import type { ResponseEvent } from '../../../../events/sequence.ts'
import type { ModelRequest } from '../../../../model/types.ts'
import {
  dropEvents,
  type Edit,
  editEvents,
  editRun,
  finalEvents,
  itemDone,
  nth,
  partDone,
  reasoningDone,
  replaceEvents,
  setInEvents,
  textDelta,
  textDone,
} from '../../../patches/events.ts'
import { eventFaultTable, type Fault, faultTable } from '../../../table.ts'

const textPath = 'response.output.*.content.*.text'

const toUpperCase = (old: unknown) => (typeof old === 'string' ? old.toUpperCase() : old)

const annotationAdded = 'response.output_text.annotation.added'

const outOfRange = 100_000
export const streamTextFaults: readonly Fault[] = [
  ...faultTable({
    'V3-SSE-23 stream-arguments-no-json: The arguments of a function call are a Python dict literal instead of JSON in all events.':
      editRun((run) => ({ ...run, steps: run.steps.map(withPythonQuotes) })),
    'V3-SSE-24 stream-reasons-unasked: Reasoning is streamed without think.': (services) => ({
      ...services,
      model: (request) => services.model(alwaysThinking(request)),
    }),
    'V3-SSE-28 stream-annotation-outside: The index of a citation exceeds the length of its text.':
      editEvents(
        setInEvents(annotationAdded, { 'annotation.index': outOfRange }),
        setInEvents(partDone, { 'part.annotations.*.index': outOfRange }),
        setInEvents(itemDone, { 'item.content.*.annotations.*.index': outOfRange }),
        setInEvents(finalEvents, {
          'response.output.*.content.*.annotations.*.index': outOfRange,
        }),
      ),
  }),
  ...eventFaultTable({
    'V3-SSE-17 stream-last-delta-dropped: The last text delta is omitted.': dropEvents(
      nth(textDelta, -1),
    ),
    'V3-SSE-17 stream-deltas-cumulative: Each text delta contains all the text so far.': mapDeltas(
      (text, before) => before + text,
    ),
    'V3-SSE-17 stream-character-replaced: Non-ASCII characters in text deltas are replaced by U+FFFD.':
      mapDeltas((text) => text.replace(/[^\0-\x7f]+/g, '\ufffd\ufffd')),
    'V3-SSE-17 stream-final-text-cut: The text of the final response is truncated to 20 characters.':
      setInEvents(finalEvents, { [textPath]: (old: string) => old.slice(0, 20) }),
    // vidaiUK/VidaiMock, templates
    'V3-SSE-18 stream-done-text-differs: The text of response.output_text.done differs from the deltas.':
      setInEvents(textDone, { text: toUpperCase }),
    'V3-SSE-18 stream-part-text-differs: The text of response.content_part.done differs from the deltas.':
      setInEvents(partDone, { 'part.text': toUpperCase }),
    'V3-SSE-18 stream-item-text-differs: The text of response.output_item.done differs from the deltas.':
      setInEvents(itemDone, { 'item.content.*.text': toUpperCase }),
    'V3-SSE-18 stream-reasoning-done-differs: The text of response.reasoning_text.done differs from its deltas.':
      setInEvents(reasoningDone, { text: toUpperCase }),
    'V3-SSE-18 stream-argument-delta-dropped: The first delta of the arguments of a function call is omitted.':
      dropEvents(nth('response.function_call_arguments.delta', 0)),
    'V3-SSE-18 stream-arguments-differ: The arguments of a function call in the final response differ from the streamed ones.':
      setInEvents(finalEvents, {
        'response.output.*.arguments': () => '{"zone":"Local"}',
      }),
    'V3-SSE-25 stream-delta-null: An event with a null delta precedes the first text delta.':
      replaceEvents(nth(textDelta, 0), (event) => [{ ...event, delta: null }, event]),
    'V3-SSE-27 stream-surrogates-halved: A surrogate pair is split across two deltas as JSON escapes.':
      replaceEvents(textDelta, splitSurrogates),
    'V3-SSE-28 stream-annotation-unannounced: response.output_text.annotation.added is omitted.':
      dropEvents(annotationAdded),
    'V3-SSE-28 stream-annotation-lost: response.content_part.done omits the citations that were announced.':
      setInEvents(partDone, { 'part.annotations': [] }),
  }),
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
