/** Faults of a streamed completion as a whole: its end, its text, its arrival (section 4.1). */
import { setTimeout as timeout } from 'node:timers/promises'
import type { SseBlock } from '../../../events/sse.ts'
import type { Patch } from '../../../services.ts'
import { type Json, setAt, toObject } from '../../patches/json.ts'
import { onBlocks, onEachBlock } from '../../patches/replies.ts'
import { completions } from '../../patches/routes.ts'
import type { Fault } from '../../types.ts'
import { isFinished, mapFragments, textOf } from './chunks.ts'

export const openaiStreamEndFaults: readonly Fault[] = [
  {
    name: 'openai-stream-without-done',
    summary: 'A stream ends without [DONE].',
    breaks: ['OAI-STREAM-09'],
    patch: onBlocks(completions, async function* (blocks) {
      for await (const block of blocks) if (block.data !== '[DONE]') yield block
    }),
  },
  {
    name: 'openai-stream-done-twice',
    summary: '[DONE] is sent twice.',
    breaks: ['OAI-STREAM-09'],
    patch: onBlocks(completions, async function* (blocks) {
      yield* blocks
      yield { data: '[DONE]' }
    }),
  },
  {
    name: 'openai-stream-cut-in-the-middle',
    summary: 'The connection is aborted after the sixth chunk.',
    breaks: ['OAI-STREAM-12'],
    patch: onBlocks(completions, async function* (blocks) {
      let sent = 0
      for await (const block of blocks) {
        if (sent === 6) throw new Error('cut')
        sent += 1
        yield block
      }
    }),
  },
  {
    name: 'openai-stream-cut-at-its-end',
    summary: 'The connection is aborted in place of [DONE].',
    breaks: ['OAI-STREAM-12'],
    patch: onBlocks(completions, async function* (blocks) {
      for await (const block of blocks) {
        if (block.data === '[DONE]') throw new Error('cut')
        yield block
      }
    }),
  },
  {
    name: 'openai-stream-drops-the-last-delta',
    summary: 'The last text fragment is omitted.',
    breaks: ['OAI-STREAM-10'],
    patch: onChunkPairs((chunk, next) => (isFinished(next) && textOf(chunk) !== '' ? [] : [chunk])),
  },
  {
    name: 'openai-stream-doubles-a-delta',
    summary: 'The first text fragment is sent twice.',
    breaks: ['OAI-STREAM-10'],
    patch: onEachBlock(completions, (chunk, at) => (at === 1 ? [chunk, chunk] : [chunk])),
  },
  {
    name: 'openai-stream-loses-a-space',
    summary: 'The second text fragment loses its leading space.',
    breaks: ['OAI-STREAM-10'],
    patch: onEachBlock(completions, (chunk, at) =>
      at === 2 ? [setAt(chunk, 'choices.*.delta.content', textOf(chunk).trimStart())] : [chunk],
    ),
  },
  {
    name: 'openai-stream-replaces-characters',
    summary: 'Non-ASCII characters in text fragments are replaced by U+FFFD.',
    breaks: ['OAI-STREAM-10'],
    patch: mapFragments((text) => text.replaceAll(/\P{ASCII}/gu, '\ufffd')),
  },
  {
    name: 'openai-stream-in-one-go',
    summary: 'The stream is buffered and sent when the answer is complete.',
    breaks: ['OAI-STREAM-11'],
    patch: onBlocks(completions, async function* (blocks) {
      const held: SseBlock[] = []
      for await (const block of blocks) held.push(block)
      await timeout(held.length * 30)
      yield* held
    }),
  },
  {
    name: 'openai-stream-in-lumps',
    summary: 'An intermediary buffers the stream and forwards it in batches every 0.4 seconds.',
    breaks: ['OAI-STREAM-11'],
    patch: onBlocks(completions, async function* (blocks) {
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
]

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
