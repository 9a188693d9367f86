/** Faults of the end of a stream (section 6, 3: response.completed marks it). */
import type { SseBlock } from '../../../../events/sse.ts'
import { completed, itemDone, terminalEvents } from '../../../patches/event-names.ts'
import {
  all,
  dropEvents,
  replaceEvents,
  isCompleted as unCut,
  when,
} from '../../../patches/events.ts'
import { onV3Blocks, rewriteBlocks } from '../../../patches/framing.ts'
import { eventFaultTable, faultTable } from '../../../table.ts'
import type { Fault } from '../../../types.ts'

const finalEvents = all(...terminalEvents)
const isFinal = (block: SseBlock) => terminalEvents.includes(block.event ?? '')
const doneMarker: SseBlock = { data: '[DONE]' }

export const streamEndingFaults: readonly Fault[] = [
  ...faultTable({
    'V3-SSE-08': {
      'stream-without-terminal-event: The stream ends without a terminal event.': {
        precedent: 'openai/codex, many reports of "stream closed before response.completed"',
        patch: onV3Blocks(async function* (blocks) {
          for await (const block of blocks) if (!isFinal(block)) yield block
        }),
      },
      'stream-cut-before-the-end: The connection is aborted before the terminal event.': onV3Blocks(
        async function* (blocks) {
          for await (const block of blocks) {
            if (isFinal(block)) throw new DOMException('cut', 'AbortError')
            yield block
          }
        },
      ),
      'stream-cut-in-the-middle: The connection is aborted after the twelfth event.': onV3Blocks(
        async function* (blocks) {
          let sent = 0
          for await (const block of blocks) {
            if (sent === 12) throw new DOMException('cut', 'AbortError')
            yield block
            sent += 1
          }
        },
      ),
      'stream-cut-after-the-end: The connection is aborted after the terminal event, without the terminating chunk.':
        onV3Blocks(async function* (blocks) {
          yield* blocks
          throw new DOMException('cut', 'AbortError')
        }),
      'stream-last-block-open: The block of the terminal event is not terminated by an empty line.':
        rewriteBlocks((block, original) => (isFinal(block) ? original.subarray(0, -1) : undefined)),
      'stream-last-line-open: The data: line of the terminal event is not terminated by a line ending.':
        rewriteBlocks((block, original) => (isFinal(block) ? original.subarray(0, -2) : undefined)),
      'stream-event-after-the-done-marker: An event is sent after data: [DONE].': {
        also: ['V3-SSE-29'],
        patch: onV3Blocks(async function* (blocks) {
          yield* blocks
          yield doneMarker
          const type = 'response.usage'
          yield { event: type, data: { type, sequence_number: 1000, usage: { total_tokens: 1 } } }
        }),
      },
    },
    'V3-SSE-29': {
      'stream-done-marker-twice: data: [DONE] is sent twice.': onV3Blocks(async function* (blocks) {
        yield* blocks
        yield doneMarker
        yield doneMarker
      }),
      'stream-done-marker-early: data: [DONE] is sent before the terminal event.': onV3Blocks(
        async function* (blocks) {
          for await (const block of blocks) {
            if (isFinal(block)) yield doneMarker
            yield block
          }
        },
      ),
    },
  }),
  ...eventFaultTable({
    'V3-SSE-08': {
      'stream-without-terminal-event-when-cut: Only streams truncated by max_tokens end without a terminal event.':
        dropEvents('response.incomplete'),
      'stream-ends-with-response-done: The terminal event is response.done instead of response.completed.':
        replaceEvents(completed, (event) => [{ ...event, type: 'response.done' }]),
      'stream-completed-twice: The terminal event is sent twice.': replaceEvents(
        finalEvents,
        (event) => [event, event],
      ),
      'stream-incomplete-and-completed: A truncated answer ends with response.incomplete followed by response.completed.':
        replaceEvents('response.incomplete', (event) => [event, { ...event, type: completed }]),
      'stream-failed-after-completed: response.failed is sent after response.completed.':
        replaceEvents(completed, (event) => [event, { ...event, type: 'response.failed' }]),
      'stream-event-after-the-end: A vendor event is sent after the terminal event.': replaceEvents(
        finalEvents,
        (event) => [event, { type: 'svc:timings', sequence_number: 0, total_ms: 1 }],
      ),
      'stream-item-done-after-the-end: The last response.output_item.done is sent after the terminal event.':
        (events) => {
          const last = events.findLast(({ type }) => type === itemDone)
          return last === undefined ? events : [...events.filter((event) => event !== last), last]
        },
      'stream-error-after-success: An error event is sent after response.completed.': when(
        unCut,
        replaceEvents(finalEvents, (event) => [
          event,
          { type: 'error', sequence_number: 0, code: 'gone', message: 'gone', param: null },
        ]),
      ),
    },
  }),
]
