/** Faults of the end of a stream (section 6, 3: response.completed marks it). */
import type { SseBlock } from '../../../../events/sse.ts'
import { completed, itemDone, terminalEvents } from '../../../patches/event-names.ts'
import {
  all,
  dropEvents,
  editEvents,
  replaceEvents,
  isCompleted as unCut,
  when,
} from '../../../patches/events.ts'
import { onV3Blocks, rewriteBlocks } from '../../../patches/framing.ts'
import type { Fault } from '../../../types.ts'

const finalEvents = all(...terminalEvents)
const isFinal = (block: SseBlock) => terminalEvents.includes(block.event ?? '')
const doneMarker: SseBlock = { data: '[DONE]' }

export const streamEndingFaults: readonly Fault[] = [
  {
    name: 'stream-without-terminal-event',
    summary: 'The stream ends without a terminal event.',
    breaks: ['V3-SSE-08'],
    precedent: 'openai/codex, many reports of "stream closed before response.completed"',
    patch: onV3Blocks(async function* (blocks) {
      for await (const block of blocks) if (!isFinal(block)) yield block
    }),
  },
  {
    name: 'stream-without-terminal-event-when-cut',
    summary: 'Only streams truncated by max_tokens end without a terminal event.',
    breaks: ['V3-SSE-08'],
    patch: editEvents(dropEvents('response.incomplete')),
  },
  {
    name: 'stream-ends-with-response-done',
    summary: 'The terminal event is response.done instead of response.completed.',
    breaks: ['V3-SSE-08'],
    patch: editEvents(
      replaceEvents(all(completed), (event) => [{ ...event, type: 'response.done' }]),
    ),
  },
  {
    name: 'stream-completed-twice',
    summary: 'The terminal event is sent twice.',
    breaks: ['V3-SSE-08'],
    patch: editEvents(replaceEvents(finalEvents, (event) => [event, event])),
  },
  {
    name: 'stream-incomplete-and-completed',
    summary: 'A truncated answer ends with response.incomplete followed by response.completed.',
    breaks: ['V3-SSE-08'],
    patch: editEvents(
      replaceEvents(all('response.incomplete'), (event) => [event, { ...event, type: completed }]),
    ),
  },
  {
    name: 'stream-failed-after-completed',
    summary: 'response.failed is sent after response.completed.',
    breaks: ['V3-SSE-08'],
    patch: editEvents(
      replaceEvents(all(completed), (event) => [event, { ...event, type: 'response.failed' }]),
    ),
  },
  {
    name: 'stream-event-after-the-end',
    summary: 'A vendor event is sent after the terminal event.',
    breaks: ['V3-SSE-08'],
    patch: editEvents(
      replaceEvents(finalEvents, (event) => [
        event,
        { type: 'svc:timings', sequence_number: 0, total_ms: 1 },
      ]),
    ),
  },
  {
    name: 'stream-item-done-after-the-end',
    summary: 'The last response.output_item.done is sent after the terminal event.',
    breaks: ['V3-SSE-08'],
    patch: editEvents((events) => {
      const last = events.findLast(({ type }) => type === itemDone)
      return last === undefined ? events : [...events.filter((event) => event !== last), last]
    }),
  },
  {
    name: 'stream-cut-before-the-end',
    summary: 'The connection is aborted before the terminal event.',
    breaks: ['V3-SSE-08'],
    patch: onV3Blocks(async function* (blocks) {
      for await (const block of blocks) {
        if (isFinal(block)) throw new DOMException('cut', 'AbortError')
        yield block
      }
    }),
  },
  {
    name: 'stream-cut-in-the-middle',
    summary: 'The connection is aborted after the twelfth event.',
    breaks: ['V3-SSE-08'],
    patch: onV3Blocks(async function* (blocks) {
      let sent = 0
      for await (const block of blocks) {
        if (sent === 12) throw new DOMException('cut', 'AbortError')
        yield block
        sent += 1
      }
    }),
  },
  {
    name: 'stream-cut-after-the-end',
    summary: 'The connection is aborted after the terminal event, without the terminating chunk.',
    breaks: ['V3-SSE-08'],
    patch: onV3Blocks(async function* (blocks) {
      yield* blocks
      throw new DOMException('cut', 'AbortError')
    }),
  },
  {
    name: 'stream-last-block-open',
    summary: 'The block of the terminal event is not terminated by an empty line.',
    breaks: ['V3-SSE-08'],
    patch: rewriteBlocks((block, original) =>
      isFinal(block) ? original.subarray(0, -1) : undefined,
    ),
  },
  {
    name: 'stream-last-line-open',
    summary: 'The data: line of the terminal event is not terminated by a line ending.',
    breaks: ['V3-SSE-08'],
    patch: rewriteBlocks((block, original) =>
      isFinal(block) ? original.subarray(0, -2) : undefined,
    ),
  },
  {
    name: 'stream-done-marker-twice',
    summary: 'data: [DONE] is sent twice.',
    breaks: ['V3-SSE-29'],
    patch: onV3Blocks(async function* (blocks) {
      yield* blocks
      yield doneMarker
      yield doneMarker
    }),
  },
  {
    name: 'stream-done-marker-early',
    summary: 'data: [DONE] is sent before the terminal event.',
    breaks: ['V3-SSE-29'],
    patch: onV3Blocks(async function* (blocks) {
      for await (const block of blocks) {
        if (isFinal(block)) yield doneMarker
        yield block
      }
    }),
  },
  {
    name: 'stream-event-after-the-done-marker',
    summary: 'An event is sent after data: [DONE].',
    breaks: ['V3-SSE-08', 'V3-SSE-29'],
    patch: onV3Blocks(async function* (blocks) {
      yield* blocks
      yield doneMarker
      const type = 'response.usage'
      yield { event: type, data: { type, sequence_number: 1000, usage: { total_tokens: 1 } } }
    }),
  },
  {
    name: 'stream-error-after-success',
    summary: 'An error event is sent after response.completed.',
    breaks: ['V3-SSE-08'],
    patch: editEvents(
      when(
        unCut,
        replaceEvents(finalEvents, (event) => [
          event,
          { type: 'error', sequence_number: 0, code: 'gone', message: 'gone', param: null },
        ]),
      ),
    ),
  },
]
