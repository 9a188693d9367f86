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
    summary: 'The stream ends cleanly after the last item, without a terminal event.',
    breaks: ['V3-SSE-08'],
    seen: 'openai/codex, many reports of "stream closed before response.completed"',
    patch: onV3Blocks(async function* (blocks) {
      for await (const block of blocks) if (!isFinal(block)) yield block
    }),
  },
  {
    name: 'stream-without-terminal-event-when-cut',
    summary: 'Only an answer that max_tokens cuts ends without a terminal event.',
    breaks: ['V3-SSE-08'],
    patch: editEvents(dropEvents('response.incomplete')),
  },
  {
    name: 'stream-ends-with-response-done',
    summary: 'The last event is called response.done.',
    breaks: ['V3-SSE-08'],
    patch: editEvents(
      replaceEvents(all(completed), (event) => [{ ...event, type: 'response.done' }]),
    ),
  },
  {
    name: 'stream-completed-twice',
    summary: 'response.completed is sent twice.',
    breaks: ['V3-SSE-08'],
    patch: editEvents(replaceEvents(finalEvents, (event) => [event, event])),
  },
  {
    name: 'stream-incomplete-and-completed',
    summary: 'An answer that was cut ends with response.incomplete and then response.completed.',
    breaks: ['V3-SSE-08'],
    patch: editEvents(
      replaceEvents(all('response.incomplete'), (event) => [event, { ...event, type: completed }]),
    ),
  },
  {
    name: 'stream-failed-after-completed',
    summary: 'response.failed follows response.completed.',
    breaks: ['V3-SSE-08'],
    patch: editEvents(
      replaceEvents(all(completed), (event) => [event, { ...event, type: 'response.failed' }]),
    ),
  },
  {
    name: 'stream-event-after-the-end',
    summary: 'A vendor event with timings follows response.completed.',
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
    summary: 'The last response.output_item.done follows response.completed.',
    breaks: ['V3-SSE-08'],
    patch: editEvents((events) => {
      const last = events.findLast(({ type }) => type === itemDone)
      return last === undefined ? events : [...events.filter((event) => event !== last), last]
    }),
  },
  {
    name: 'stream-cut-before-the-end',
    summary: 'The connection is cut before the terminal event.',
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
    summary: 'The connection is cut after the twelfth event.',
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
    summary: 'The terminal event is sent, and then the connection is cut in place of a last chunk.',
    breaks: ['V3-SSE-08'],
    patch: onV3Blocks(async function* (blocks) {
      yield* blocks
      throw new DOMException('cut', 'AbortError')
    }),
  },
  {
    name: 'stream-last-block-open',
    summary: 'No empty line closes the block of the terminal event, and clients discard it.',
    breaks: ['V3-SSE-08'],
    patch: rewriteBlocks((block, original) =>
      isFinal(block) ? original.subarray(0, -1) : undefined,
    ),
  },
  {
    name: 'stream-last-line-open',
    summary: 'The stream ends behind the JSON of the terminal event, without a line end.',
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
    summary: 'data: [DONE] comes before the terminal event, and clients stop reading there.',
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
    summary: 'After data: [DONE] comes an event with the usage.',
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
    summary: 'An answer that was completed is followed by an error event.',
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
