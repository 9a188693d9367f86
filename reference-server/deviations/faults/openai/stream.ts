/** Faults of streamed completions: framing, chunks and end (section 4.1). */

import type { SseBlock } from '../../../events/sse.ts'
import type { Patch } from '../../../services.ts'
import { type Fields, isText, type Json, setAll, toList, toObject } from '../../patches/json.ts'
import { onBlocks, onEachBlock } from '../../patches/replies.ts'
import { onRequestBody, rejectRequests } from '../../patches/requests.ts'
import { faultTable } from '../../table.ts'

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
export const openaiStreamFaults = faultTable({
  'OAI-STREAM-01 openai-stream-in-latin-1: The stream is encoded in Latin-1.': encodeText((text) =>
    Buffer.from(text, 'latin1'),
  ),
  'OAI-STREAM-01 openai-stream-for-its-media-type: A stream is refused unless the client accepts its media type.':
    rejectRequests(
      'openai.chat',
      ({ stream }, { headers }) => stream === true && !headers.accept?.includes('event-stream'),
    ),
  'OAI-STREAM-01 openai-stream-blocks-run-together: Blocks are not terminated by an empty line.':
    encodeText((text) => Buffer.from(text.replace(/\n\n$/, '\n'))),
  'OAI-STREAM-04 openai-delta-as-message: The choices of a chunk have message instead of delta.':
    setInChunks({
      'choices.*': ({ delta, ...rest }: Json) => ({ ...rest, message: delta }),
    }),
  'OAI-STREAM-05 openai-stream-id-for-each-chunk: Each chunk has a different id.': onEachBlock(
    'openai.chat',
    (chunk, at) => [{ ...chunk, id: `${chunk['id']}-${at}` }],
  ),
  'OAI-STREAM-06 openai-stream-without-role: No delta has a role.': setInChunks({
    'choices.*.delta.role': undefined,
  }),
  'OAI-STREAM-07 openai-stream-without-finish-reason: No chunk has a finish_reason.': setInChunks({
    'choices.*.finish_reason': null,
  }),
  'OAI-STREAM-07 openai-stream-goes-on-after-its-finish: The last text fragment is sent after the finish_reason.':
    onBlocks('openai.chat', async function* (blocks) {
      let fragment: SseBlock | undefined
      for await (const block of blocks) {
        const chunk = toObject(block.data)
        if (isFinished(chunk)) yield block
        if (fragment !== undefined) yield fragment
        fragment = undefined
        if (textOf(chunk) !== '') fragment = block
        else if (!isFinished(chunk)) yield block
      }
    }),
  'OAI-STREAM-08 openai-stream-usage-unasked: The chunk with the finish_reason contains usage that was not requested.':
    onEachBlock('openai.chat', (chunk) => [isFinished(chunk) ? { ...chunk, usage } : chunk]),
  'OAI-STREAM-08 openai-stream-usage-never: stream_options is ignored: requested usage is not sent.':
    onRequestBody('openai.chat', (body) => ({ ...body, stream_options: null })),
  'OAI-CHAT-10 openai-stream-usage-miscounted: total_tokens in the usage of a stream leaves out the prompt.':
    setInChunks({
      usage: (usage: Json | null | undefined) =>
        usage && { ...usage, total_tokens: usage['completion_tokens'] },
    }),
  'OAI-STREAM-09 openai-stream-done-twice: [DONE] is sent twice.': onBlocks(
    'openai.chat',
    async function* (blocks) {
      yield* blocks
      yield { data: '[DONE]' }
    },
  ),
  'OAI-STREAM-12 openai-stream-cut-at-its-end: The connection is aborted in place of [DONE].':
    onBlocks('openai.chat', async function* (blocks) {
      for await (const block of blocks) {
        if (block.data === '[DONE]') throw new Error('cut')
        yield block
      }
    }),
  'OAI-STREAM-10 openai-stream-doubles-a-delta: The first text fragment is sent twice.':
    onEachBlock('openai.chat', (chunk, at) => (at === 1 ? [chunk, chunk] : [chunk])),
  'OAI-STREAM-10 openai-stream-replaces-characters: Non-ASCII characters in text fragments are replaced by U+FFFD.':
    setInChunks({
      'choices.*.delta.content': (text: unknown) =>
        isText(text) ? text.replaceAll(/\P{ASCII}/gu, '\ufffd') : text,
    }),
})
/** Sets fields in every chunk. */
export function setInChunks(fields: Fields): Patch {
  return onEachBlock('openai.chat', (chunk) => [setAll(chunk, fields)])
}

export function textOf(chunk: Json): string {
  const text = toObject(toList(chunk['choices'])[0]?.['delta'])['content']
  return typeof text === 'string' ? text : ''
}

function isFinished(chunk: Json): boolean {
  return typeof toList(chunk['choices'])[0]?.['finish_reason'] === 'string'
}

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
