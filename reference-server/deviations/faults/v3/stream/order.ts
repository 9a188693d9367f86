import type { SseBlock } from '../../../../events/sse.ts'
import {
  completed,
  dropEvents,
  finalEvents,
  isCompleted,
  isThinking,
  itemAdded,
  moveEvents,
  nth,
  partAdded,
  partDone,
  replaceEvents,
  setInEvents,
  terminalEvents,
  textDelta,
  textDone,
  when,
} from '../../../patches/events.ts'
import { rewriteBlocks } from '../../../patches/framing.ts'
import { onBlocks } from '../../../patches/replies.ts'
import { ofV3 } from '../../../patches/routes.ts'
import { eventFaultTable, type Fault, faultTable } from '../../../table.ts'

const isFinal = (block: SseBlock) => terminalEvents.includes(block.event ?? '')

export const streamOrderFaults: readonly Fault[] = [
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
  }),
  ...eventFaultTable({
    'V3-SSE-05 stream-created-second: response.in_progress is sent before response.created.':
      moveEvents('response.in_progress', 'before', 'response.created'),
    'V3-SSE-12 stream-of-thought-adds-its-answer-late: Only streams with reasoning send response.output_item.added of the answer after its first delta.':
      when(isThinking, moveEvents(nth(itemAdded, -1), 'after', textDelta)),
    // vllm-project/guidellm, mock server
    'V3-SSE-13 stream-part-not-done: response.content_part.done is omitted.': dropEvents(partDone),
    'V3-SSE-13 stream-text-not-done: response.output_text.done is omitted.': dropEvents(textDone),
    'V3-SSE-13 stream-item-null: The item of response.output_item.added is null.': setInEvents(
      itemAdded,
      {
        item: null,
      },
    ),
    'V3-SSE-13 stream-in-progress-late: response.in_progress is sent after the first part and resets the output in clients.':
      moveEvents('response.in_progress', 'after', partAdded),
    // diegosouzapw/OmniRoute#13964
    'V3-SSE-13 stream-in-progress-without-output: The response object of response.in_progress omits output.':
      setInEvents('response.in_progress', { 'response.output': undefined }),
    'V3-SSE-13 stream-reasoning-part-not-added: response.content_part.added is omitted for the reasoning part only.':
      when(isThinking, dropEvents(nth(partAdded, 0))),
    'V3-SSE-13 stream-delta-after-its-text: An empty delta is sent after response.output_text.done.':
      when(
        isCompleted,
        replaceEvents(textDone, (event, events) => {
          const first = events.find(({ type }) => type === textDelta)
          return first === undefined ? [event] : [event, { ...first, delta: '' }]
        }),
      ),
    'V3-SSE-13 V3-SSE-18 stream-delta-of-another-item: With reasoning, text deltas have the item_id and output_index of the reasoning item.':
      when(
        isThinking,
        replaceEvents(textDelta, (event, events) => {
          const { item_id, output_index } = { ...events.find(({ type }) => type === partAdded) }
          return [{ ...event, item_id, output_index }]
        }),
      ),
    'V3-SSE-13 stream-of-search-in-reverse: response.file_search_call.completed is sent before response.file_search_call.in_progress.':
      moveEvents(
        'response.file_search_call.in_progress',
        'after',
        'response.file_search_call.completed',
      ),
    'V3-SSE-08 stream-without-terminal-event-when-cut: Only streams truncated by max_tokens end without a terminal event.':
      dropEvents('response.incomplete'),
    'V3-SSE-08 stream-ends-with-response-done: The terminal event is response.done instead of response.completed.':
      replaceEvents(completed, (event) => [{ ...event, type: 'response.done' }]),
    'V3-SSE-08 stream-completed-twice: The terminal event is sent twice.': replaceEvents(
      finalEvents,
      (event) => [event, event],
    ),
    'V3-SSE-08 stream-event-after-the-end: A vendor event is sent after the terminal event.':
      replaceEvents(finalEvents, (event) => [
        event,
        { type: 'svc:timings', sequence_number: 0, total_ms: 1 },
      ]),
    'V3-SSE-08 stream-error-after-success: An error event is sent after response.completed.': when(
      isCompleted,
      replaceEvents(finalEvents, (event) => [
        event,
        { type: 'error', sequence_number: 0, code: 'gone', message: 'gone', param: null },
      ]),
    ),
  }),
]
