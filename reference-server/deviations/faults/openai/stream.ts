/** Faults of a streamed completion: its framing, and what its chunks say (section 4.1). */
import type { SseBlock } from '../../../events/sse.ts'
import type { Patch } from '../../../parts.ts'
import { setAt } from '../../json-edit.ts'
import {
  completions,
  type Json,
  toList,
  toObject,
  onBlocks,
  onEachBlock,
  onRequestBody,
} from '../../seams.ts'
import type { Fault } from '../../types.ts'
import { fault } from '../fault.ts'
import { everyChunk, everyFragment, finished, textOf } from './chunks.ts'

const mediaType = (type: string): Patch =>
  onBlocks(completions, (blocks) => blocks, { 'content-type': type })

export const openaiStreamFaults: readonly Fault[] = [
  fault(
    'openai-stream-ignored',
    'OAI-STREAM-01',
    'stream: true is answered in one piece.',
    onRequestBody(completions, (body) => setAt(body, 'stream', (on: unknown) => (on === true ? false : on))),
  ),
  fault(
    'openai-stream-of-other-json',
    'OAI-STREAM-01',
    'The blocks hold the choice alone, without choices around it.',
    onEachBlock(completions, (chunk) => toList(chunk['choices']).slice(0, 1)),
  ),
  fault(
    'openai-stream-in-latin-1',
    'OAI-STREAM-01',
    'The stream is encoded in Latin-1.',
    encoded((text) => Buffer.from(text, 'latin1')),
  ),
  fault(
    'openai-stream-blocks-run-together',
    'OAI-STREAM-01',
    'No empty line ends a block.',
    encoded((text) => Buffer.from(text.replace(/\n\n$/, '\n'))),
  ),
  fault(
    'openai-stream-as-text-plain',
    'OAI-STREAM-02',
    'A stream has the media type text/plain.',
    mediaType('text/plain; charset=utf-8'),
  ),
  fault(
    'openai-stream-as-json',
    'OAI-STREAM-02',
    'A stream has the media type application/json.',
    mediaType('application/json'),
  ),
  fault(
    'openai-delta-content-in-parts',
    'OAI-STREAM-03',
    'delta.content is an array of parts.',
    everyFragment((text) => [{ type: 'text', text }]),
  ),
  fault(
    'openai-delta-content-number',
    'OAI-STREAM-03',
    'delta.content is a number where the fragment looks like one.',
    onEachBlock(completions, (chunk, at) =>
      at === 2 ? [setAt(chunk, 'choices.*.delta.content', 7)] : [chunk],
    ),
  ),
  fault(
    'openai-delta-as-message',
    'OAI-STREAM-04',
    'Chunks hold message in place of delta.',
    everyChunk('choices.*', ({ delta, ...rest }: Json) => ({ ...rest, message: delta })),
  ),
  fault(
    'openai-delta-text',
    'OAI-STREAM-04',
    'The fragments are in choices[0].text, as of plain completions.',
    everyChunk('choices.*', (choice: Json) => ({
      ...setAt(choice, 'delta.content', undefined),
      text: toObject(choice['delta'])['content'] ?? '',
    })),
  ),
  fault(
    'openai-stream-id-for-each-chunk',
    'OAI-STREAM-05',
    'Each chunk has an id of its own.',
    onEachBlock(completions, (chunk, at) => [{ ...chunk, id: `${chunk['id']}-${at}` }]),
  ),
  fault(
    'openai-stream-created-goes-on',
    'OAI-STREAM-05',
    'created counts on with each chunk.',
    onEachBlock(completions, (chunk, at) => [{ ...chunk, created: Number(chunk['created']) + at }]),
  ),
  fault(
    'openai-stream-model-changes',
    'OAI-STREAM-05',
    'The first chunk names the model as it was asked for, the others another name.',
    onEachBlock(completions, (chunk, at) => [at === 0 ? chunk : { ...chunk, model: 'main-30b' }]),
  ),
  fault(
    'openai-stream-object-of-a-completion',
    'OAI-STREAM-05',
    'A chunk calls itself a completion.',
    everyChunk('object', 'chat.completion'),
  ),
  fault(
    'openai-stream-without-role',
    'OAI-STREAM-06',
    'No delta has a role.',
    everyChunk('choices.*.delta.role', undefined),
  ),
  fault(
    'openai-stream-role-of-the-user',
    'OAI-STREAM-06',
    'The first delta has the role user.',
    onEachBlock(completions, (chunk, at) =>
      at === 0 ? [setAt(chunk, 'choices.*.delta.role', 'user')] : [chunk],
    ),
  ),
  fault(
    'openai-stream-without-finish-reason',
    'OAI-STREAM-07',
    'No chunk has a finish_reason.',
    everyChunk('choices.*.finish_reason', null),
  ),
  fault(
    'openai-stream-finishes-twice',
    'OAI-STREAM-07',
    'The chunk with the finish_reason comes twice.',
    onEachBlock(completions, (chunk) => (finished(chunk) ? [chunk, chunk] : [chunk])),
  ),
  fault(
    'openai-stream-goes-on-after-its-finish',
    'OAI-STREAM-07',
    'The last fragment follows the finish_reason.',
    swapsLastFragment(),
  ),
  fault(
    'openai-stream-usage-unasked',
    'OAI-STREAM-08',
    'The last chunk has usage, though nobody asked.',
    onEachBlock(completions, (chunk) => [finished(chunk) ? { ...chunk, usage } : chunk]),
  ),
  fault(
    'openai-stream-usage-never',
    'OAI-STREAM-08',
    'A usage that was asked for does not come.',
    onRequestBody(completions, (body) => ({ ...body, stream_options: null })),
  ),
  fault(
    'openai-stream-usage-twice',
    'OAI-STREAM-08',
    'The usage that was asked for comes twice.',
    onEachBlock(completions, (chunk) => (chunk['usage'] ? [chunk, chunk] : [chunk])),
  ),
]

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }

/** Blocks of this surface have no event name. */
function encoded(write: (text: string) => Uint8Array): Patch {
  return (parts) => ({
    ...parts,
    encode: (block) => {
      const usual = parts.encode(block)
      return block.event === undefined ? write(Buffer.from(usual).toString()) : usual
    },
  })
}

function swapsLastFragment(): Patch {
  return onBlocks(completions, async function* (blocks) {
    let fragment: SseBlock | undefined
    for await (const block of blocks) {
      const chunk = toObject(block.data)
      if (finished(chunk)) yield block
      if (fragment !== undefined) yield fragment
      fragment = undefined
      if (textOf(chunk) !== '') fragment = block
      else if (!finished(chunk)) yield block
    }
  })
}
