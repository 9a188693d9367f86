/** Faults of the events of v3 streams (section 6; wire contract R5 to R18) that need more than a sentence. */

import type { RunStep } from '../../../events/run.ts'
import type { ResponseEvent } from '../../../events/sequence.ts'
import type { SseBlock } from '../../../events/sse.ts'
import {
  all,
  completed,
  editEvents,
  editRawEvents,
  editRun,
  finalEvents,
  isThinking,
  itemDone,
  nth,
  partAdded,
  partDone,
  replaceEvents,
  setInEvents,
  terminalEvents,
  textDelta,
  textDone,
  when,
} from '../../patches/events.ts'
import { rewriteBlocks } from '../../patches/framing.ts'
import { onBlocks } from '../../patches/replies.ts'
import { ofV3 } from '../../patches/routes.ts'
import { eventFaultTable, type Fault, faultTable } from '../../table.ts'

const isFinal = (block: SseBlock) => terminalEvents.includes(block.event ?? '')
const partEvents = all(partAdded, textDelta, textDone, partDone)
const outOfRange = 100_000

export const streamEventFaults: readonly Fault[] = [
  ...faultTable({
    'V3-SSE-08 stream-cut-after-the-end: The connection is aborted after the terminal event, without the terminating chunk.':
      onBlocks(ofV3, async function* (blocks) {
        yield* blocks
        throw new DOMException('cut', 'AbortError')
      }),
    'V3-SSE-08 stream-last-block-open: The block of the terminal event is not terminated by an empty line.':
      rewriteBlocks((block, original) => (isFinal(block) ? original.subarray(0, -1) : undefined)),
    'V3-SSE-08 stream-last-line-open: The data: line of the terminal event is not terminated by a line ending.':
      rewriteBlocks((block, original) => (isFinal(block) ? original.subarray(0, -2) : undefined)),
    'V3-SSE-29 stream-done-marker-twice: data: [DONE] is sent twice.': onBlocks(
      ofV3,
      async function* (blocks) {
        yield* blocks
        yield { data: '[DONE]' } as const
        yield { data: '[DONE]' } as const
      },
    ),
    'V3-SSE-29 stream-done-marker-early: data: [DONE] is sent before the terminal event.': onBlocks(
      ofV3,
      async function* (blocks) {
        for await (const block of blocks) {
          if (isFinal(block)) yield { data: '[DONE]' } as const
          yield block
        }
      },
    ),
    'V3-SSE-23 stream-arguments-no-json: The arguments of a function call are a Python dict literal instead of JSON in all events.':
      editRun((run) => ({ ...run, steps: run.steps.map(withPythonQuotes) })),
    'V3-SSE-28 stream-annotation-outside: The index of a citation exceeds the length of its text.':
      editEvents(
        setInEvents('response.output_text.annotation.added', { 'annotation.index': outOfRange }),
        setInEvents(partDone, { 'part.annotations.*.index': outOfRange }),
        setInEvents(itemDone, { 'item.content.*.annotations.*.index': outOfRange }),
        setInEvents(finalEvents, {
          'response.output.*.content.*.annotations.*.index': outOfRange,
        }),
      ),
    'V3-SSE-07 stream-number-repeated-once: One event repeats the sequence_number of the previous event.':
      editRawEvents((events) =>
        events.map((event, at) => ({ ...event, sequence_number: at > 6 ? at - 1 : at })),
      ),
  }),
  ...eventFaultTable({
    'V3-SSE-13 V3-SSE-18 stream-delta-of-another-item: With reasoning, text deltas have the item_id and output_index of the reasoning item.':
      when(
        isThinking,
        replaceEvents(textDelta, (event, events) => {
          const { item_id, output_index } = { ...events.find(({ type }) => type === partAdded) }
          return [{ ...event, item_id, output_index }]
        }),
      ),
    'V3-SSE-08 stream-completed-twice: The terminal event is sent twice.': replaceEvents(
      finalEvents,
      (event) => [event, event],
    ),
    // 7836246/cursor2api#116
    'V3-SSE-09 stream-response-not-nested: The members of the final response are next to type instead of in response.':
      replaceEvents(completed, ({ response, ...event }) => [{ ...Object(response), ...event }]),
    // llm-d-inference-sim, whose Go struct fields are omitempty
    'V3-SSE-15 stream-zero-indexes-left-out: Indexes with the value 0 are omitted.': (events) =>
      events.map(dropZeroIndexes),
    // vllm-project/vllm#45742
    'V3-SSE-16 stream-parts-counted-on: content_index continues from the reasoning item to the answer item.':
      when(
        isThinking,
        replaceEvents(partEvents, (event) => [
          Number(event['output_index']) > 0 ? { ...event, content_index: 1 } : event,
        ]),
      ),
    'V3-SSE-17 stream-deltas-cumulative: Each text delta contains all the text so far.': joinDeltas,
    'V3-SSE-25 stream-delta-null: An event with a null delta precedes the first text delta.':
      replaceEvents(nth(textDelta, 0), (event) => [{ ...event, delta: null }, event]),
    'V3-SSE-27 stream-surrogates-halved: A surrogate pair is split across two deltas as JSON escapes.':
      replaceEvents(textDelta, splitSurrogates),
  }),
]

/** Each delta contains those before it. */
function joinDeltas(events: readonly ResponseEvent[]): readonly ResponseEvent[] {
  let text = ''
  return events.map((event) => {
    if (event.type !== textDelta) return event
    text += event['delta']
    return { ...event, delta: text }
  })
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

function dropZeroIndexes(event: ResponseEvent): ResponseEvent {
  const zeros = Object.entries(event).filter(
    ([name, value]) => value === 0 && name.endsWith('_index'),
  )
  return { ...event, ...Object.fromEntries(zeros.map(([name]) => [name, undefined])) }
}
