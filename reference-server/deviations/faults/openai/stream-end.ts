/** Faults of a streamed completion as a whole: its end, its text, its arrival (section 4.1). */
import { setTimeout as timeout } from 'node:timers/promises'
import type { SseBlock } from '../../../events/sse.ts'
import type { Patch } from '../../../parts.ts'
import { setAt } from '../../json-edit.ts'
import { completions, type Json, toObject, onBlocks, onEachBlock } from '../../seams.ts'
import type { Fault } from '../../types.ts'
import { fault } from '../fault.ts'
import { everyFragment, finished, textOf } from './chunks.ts'

export const openaiStreamEndFaults: readonly Fault[] = [
  fault(
    'openai-stream-without-done',
    'OAI-STREAM-09',
    'A stream ends without [DONE].',
    onBlocks(completions, async function* (blocks) {
      for await (const block of blocks) if (block.data !== '[DONE]') yield block
    }),
  ),
  fault(
    'openai-stream-done-twice',
    'OAI-STREAM-09',
    '[DONE] comes twice.',
    onBlocks(completions, async function* (blocks) {
      yield* blocks
      yield { data: '[DONE]' }
    }),
  ),
  fault(
    'openai-stream-cut-in-the-middle',
    'OAI-STREAM-12',
    'The connection is cut after the sixth chunk.',
    onBlocks(completions, async function* (blocks) {
      let sent = 0
      for await (const block of blocks) {
        if (sent === 6) throw new Error('cut')
        sent += 1
        yield block
      }
    }),
  ),
  fault(
    'openai-stream-cut-at-its-end',
    'OAI-STREAM-12',
    'The connection is cut in place of [DONE].',
    onBlocks(completions, async function* (blocks) {
      for await (const block of blocks) {
        if (block.data === '[DONE]') throw new Error('cut')
        yield block
      }
    }),
  ),
  fault(
    'openai-stream-drops-the-last-delta',
    'OAI-STREAM-10',
    'The last fragment is lost, though the finish is as always.',
    onLookahead((chunk, next) => (finished(next) && textOf(chunk) !== '' ? [] : [chunk])),
  ),
  fault(
    'openai-stream-doubles-a-delta',
    'OAI-STREAM-10',
    'The first fragment comes twice.',
    onEachBlock(completions, (chunk, at) => (at === 1 ? [chunk, chunk] : [chunk])),
  ),
  fault(
    'openai-stream-loses-a-space',
    'OAI-STREAM-10',
    'The second fragment loses the space that it begins with.',
    onEachBlock(completions, (chunk, at) =>
      at === 2 ? [setAt(chunk, 'choices.*.delta.content', textOf(chunk).trimStart())] : [chunk],
    ),
  ),
  fault(
    'openai-stream-replaces-characters',
    'OAI-STREAM-10',
    'Characters of several bytes are cut by the fragments, and replaced.',
    everyFragment((text) => text.replaceAll(/\P{ASCII}/gu, '\ufffd')),
  ),
  fault(
    'openai-stream-in-one-go',
    'OAI-STREAM-11',
    'The stream is held back and sent at its end.',
    onBlocks(completions, async function* (blocks) {
      const held: SseBlock[] = []
      for await (const block of blocks) held.push(block)
      await timeout(held.length * 30)
      yield* held
    }),
  ),
  fault(
    'openai-stream-in-lumps',
    'OAI-STREAM-11',
    'A hop gathers what the model makes in 0.4 seconds, and passes it on at once.',
    onBlocks(completions, async function* (blocks) {
      let held: SseBlock[] = []
      for await (const block of blocks) {
        held.push(block)
        if (held.length < 9) continue
        await timeout(400)
        yield* held
        held = []
      }
      yield* held
    }),
  ),
]

/** Each chunk with the one that follows it. */
function onLookahead(change: (chunk: Json, next: Json) => readonly Json[]): Patch {
  return onBlocks(completions, async function* (blocks) {
    let held: Json | undefined
    for await (const { data } of blocks) {
      const next = toObject(data)
      if (held !== undefined) for (const chunk of change(held, next)) yield { data: chunk }
      held = data === '[DONE]' ? undefined : next
      if (data === '[DONE]') yield { data }
    }
  })
}
