/** Faults of a streamed completion as a whole: its end, its text, its arrival (section 4.1). */
import { setTimeout as timeout } from 'node:timers/promises'
import type { SseBlock } from '../../../events/sse.ts'
import type { Patch } from '../../../services.ts'
import { type Json, setAt, toObject } from '../../patches/json.ts'
import { onBlocks, onEachBlock } from '../../patches/replies.ts'
import { completions } from '../../patches/routes.ts'
import { faultTable } from '../../table.ts'
import { isFinished, mapFragments, textOf } from './chunks.ts'

export const openaiStreamEndFaults = faultTable({
  'OAI-STREAM-09': {
    'openai-stream-without-done: A stream ends without [DONE].': onBlocks(
      completions,
      async function* (blocks) {
        for await (const block of blocks) if (block.data !== '[DONE]') yield block
      },
    ),
    'openai-stream-done-twice: [DONE] is sent twice.': onBlocks(
      completions,
      async function* (blocks) {
        yield* blocks
        yield { data: '[DONE]' }
      },
    ),
  },
  'OAI-STREAM-12': {
    'openai-stream-cut-in-the-middle: The connection is aborted after the sixth chunk.': onBlocks(
      completions,
      async function* (blocks) {
        let sent = 0
        for await (const block of blocks) {
          if (sent === 6) throw new Error('cut')
          sent += 1
          yield block
        }
      },
    ),
    'openai-stream-cut-at-its-end: The connection is aborted in place of [DONE].': onBlocks(
      completions,
      async function* (blocks) {
        for await (const block of blocks) {
          if (block.data === '[DONE]') throw new Error('cut')
          yield block
        }
      },
    ),
  },
  'OAI-STREAM-10': {
    'openai-stream-drops-the-last-delta: The last text fragment is omitted.': onChunkPairs(
      (chunk, next) => (isFinished(next) && textOf(chunk) !== '' ? [] : [chunk]),
    ),
    'openai-stream-doubles-a-delta: The first text fragment is sent twice.': onEachBlock(
      completions,
      (chunk, at) => (at === 1 ? [chunk, chunk] : [chunk]),
    ),
    'openai-stream-loses-a-space: The second text fragment loses its leading space.': onEachBlock(
      completions,
      (chunk, at) =>
        at === 2 ? [setAt(chunk, 'choices.*.delta.content', textOf(chunk).trimStart())] : [chunk],
    ),
    'openai-stream-replaces-characters: Non-ASCII characters in text fragments are replaced by U+FFFD.':
      mapFragments((text) => text.replaceAll(/\P{ASCII}/gu, '\ufffd')),
  },
  'OAI-STREAM-11': {
    'openai-stream-in-one-go: The stream is buffered and sent when the answer is complete.':
      onBlocks(completions, async function* (blocks) {
        const held: SseBlock[] = []
        for await (const block of blocks) held.push(block)
        await timeout(held.length * 30)
        yield* held
      }),
    'openai-stream-in-lumps: An intermediary buffers the stream and forwards it in batches every 0.4 seconds.':
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
  },
})

/** Each chunk with the one that follows it. */
function onChunkPairs(change: (chunk: Json, next: Json) => readonly Json[]): Patch {
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
