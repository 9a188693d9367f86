/** Faults of streamed completions: framing and chunks (section 4.1). */
import type { SseBlock } from '../../../events/sse.ts'
import type { Patch } from '../../../services.ts'
import { type Json, setAt, toList, toObject } from '../../patches/json.ts'
import { onBlocks, onEachBlock } from '../../patches/replies.ts'
import { onRequestBody } from '../../patches/requests.ts'
import { completions } from '../../patches/routes.ts'
import type { Fault } from '../../types.ts'
import { isFinished, mapFragments, setInChunks, textOf } from './chunks.ts'

const setMediaType = (type: string): Patch =>
  onBlocks(completions, (blocks) => blocks, { 'content-type': type })

export const openaiStreamFaults: readonly Fault[] = [
  {
    name: 'openai-stream-ignored',
    summary: 'A request with stream: true returns a non-streaming response.',
    breaks: ['OAI-STREAM-01'],
    patch: onRequestBody(completions, (body) =>
      setAt(body, 'stream', (on: unknown) => (on === true ? false : on)),
    ),
  },
  {
    name: 'openai-stream-of-other-json',
    summary: 'The data of a block is the bare choice instead of a chunk with choices.',
    breaks: ['OAI-STREAM-01'],
    patch: onEachBlock(completions, (chunk) => toList(chunk['choices']).slice(0, 1)),
  },
  {
    name: 'openai-stream-in-latin-1',
    summary: 'The stream is encoded in Latin-1.',
    breaks: ['OAI-STREAM-01'],
    patch: encodeText((text) => Buffer.from(text, 'latin1')),
  },
  {
    name: 'openai-stream-blocks-run-together',
    summary: 'Blocks are not terminated by an empty line.',
    breaks: ['OAI-STREAM-01'],
    patch: encodeText((text) => Buffer.from(text.replace(/\n\n$/, '\n'))),
  },
  {
    name: 'openai-stream-as-text-plain',
    summary: 'A stream has the Content-Type text/plain.',
    breaks: ['OAI-STREAM-02'],
    patch: setMediaType('text/plain; charset=utf-8'),
  },
  {
    name: 'openai-stream-as-json',
    summary: 'A stream has the Content-Type application/json.',
    breaks: ['OAI-STREAM-02'],
    patch: setMediaType('application/json'),
  },
  {
    name: 'openai-delta-content-in-parts',
    summary: 'delta.content is an array of parts.',
    breaks: ['OAI-STREAM-03'],
    patch: mapFragments((text) => [{ type: 'text', text }]),
  },
  {
    name: 'openai-delta-content-number',
    summary: 'delta.content of one chunk is a number.',
    breaks: ['OAI-STREAM-03'],
    patch: onEachBlock(completions, (chunk, at) =>
      at === 2 ? [setAt(chunk, 'choices.*.delta.content', 7)] : [chunk],
    ),
  },
  {
    name: 'openai-delta-as-message',
    summary: 'The choices of a chunk have message instead of delta.',
    breaks: ['OAI-STREAM-04'],
    patch: setInChunks('choices.*', ({ delta, ...rest }: Json) => ({ ...rest, message: delta })),
  },
  {
    name: 'openai-delta-text',
    summary: 'Text fragments are in choices[0].text, as in legacy text completions.',
    breaks: ['OAI-STREAM-04'],
    patch: setInChunks('choices.*', (choice: Json) => ({
      ...setAt(choice, 'delta.content', undefined),
      text: toObject(choice['delta'])['content'] ?? '',
    })),
  },
  {
    name: 'openai-stream-id-for-each-chunk',
    summary: 'Each chunk has a different id.',
    breaks: ['OAI-STREAM-05'],
    patch: onEachBlock(completions, (chunk, at) => [{ ...chunk, id: `${chunk['id']}-${at}` }]),
  },
  {
    name: 'openai-stream-created-goes-on',
    summary: 'created increases with each chunk.',
    breaks: ['OAI-STREAM-05'],
    patch: onEachBlock(completions, (chunk, at) => [
      { ...chunk, created: Number(chunk['created']) + at },
    ]),
  },
  {
    name: 'openai-stream-model-changes',
    summary: 'The model of the first chunk differs from that of all others.',
    breaks: ['OAI-STREAM-05'],
    patch: onEachBlock(completions, (chunk, at) => [
      at === 0 ? chunk : { ...chunk, model: 'main-30b' },
    ]),
  },
  {
    name: 'openai-stream-object-of-a-completion',
    summary: 'The object of a chunk is chat.completion.',
    breaks: ['OAI-STREAM-05'],
    patch: setInChunks('object', 'chat.completion'),
  },
  {
    name: 'openai-stream-without-role',
    summary: 'No delta has a role.',
    breaks: ['OAI-STREAM-06'],
    patch: setInChunks('choices.*.delta.role', undefined),
  },
  {
    name: 'openai-stream-role-of-the-user',
    summary: 'The first delta has the role user.',
    breaks: ['OAI-STREAM-06'],
    patch: onEachBlock(completions, (chunk, at) =>
      at === 0 ? [setAt(chunk, 'choices.*.delta.role', 'user')] : [chunk],
    ),
  },
  {
    name: 'openai-stream-without-finish-reason',
    summary: 'No chunk has a finish_reason.',
    breaks: ['OAI-STREAM-07'],
    patch: setInChunks('choices.*.finish_reason', null),
  },
  {
    name: 'openai-stream-finishes-twice',
    summary: 'The chunk with the finish_reason is sent twice.',
    breaks: ['OAI-STREAM-07'],
    patch: onEachBlock(completions, (chunk) => (isFinished(chunk) ? [chunk, chunk] : [chunk])),
  },
  {
    name: 'openai-stream-goes-on-after-its-finish',
    summary: 'The last text fragment is sent after the finish_reason.',
    breaks: ['OAI-STREAM-07'],
    patch: swapLastFragment(),
  },
  {
    name: 'openai-stream-usage-unasked',
    summary: 'The chunk with the finish_reason contains usage that was not requested.',
    breaks: ['OAI-STREAM-08'],
    patch: onEachBlock(completions, (chunk) => [isFinished(chunk) ? { ...chunk, usage } : chunk]),
  },
  {
    name: 'openai-stream-usage-miscounted',
    only: { form: ['stream'] },
    summary: 'total_tokens in the usage of a stream leaves out the prompt.',
    breaks: ['OAI-CHAT-10'],
    patch: onEachBlock(completions, (chunk) => [
      chunk['usage']
        ? setAt(chunk, 'usage.total_tokens', toObject(chunk['usage'])['completion_tokens'])
        : chunk,
    ]),
  },
  {
    name: 'openai-stream-usage-never',
    summary: 'stream_options is ignored: requested usage is not sent.',
    breaks: ['OAI-STREAM-08'],
    patch: onRequestBody(completions, (body) => ({ ...body, stream_options: null })),
  },
  {
    name: 'openai-stream-usage-twice',
    summary: 'Requested usage is sent twice.',
    breaks: ['OAI-STREAM-08'],
    patch: onEachBlock(completions, (chunk) => (chunk['usage'] ? [chunk, chunk] : [chunk])),
  },
]

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }

/** Blocks of this surface have no event name. */
function encodeText(write: (text: string) => Uint8Array): Patch {
  return (services) => ({
    ...services,
    encode: (block) => {
      const original = services.encode(block)
      return block.event === undefined ? write(Buffer.from(original).toString()) : original
    },
  })
}

function swapLastFragment(): Patch {
  return onBlocks(completions, async function* (blocks) {
    let fragment: SseBlock | undefined
    for await (const block of blocks) {
      const chunk = toObject(block.data)
      if (isFinished(chunk)) yield block
      if (fragment !== undefined) yield fragment
      fragment = undefined
      if (textOf(chunk) !== '') fragment = block
      else if (!isFinished(chunk)) yield block
    }
  })
}
