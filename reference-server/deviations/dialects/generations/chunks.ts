/** Legal variants of compatible completions: the document hardly specifies chunks (section 4.1). */
import type { SseBlock } from '../../../events/sequence.ts'
import type { Patch } from '../../../services.ts'
import { type Fields, type Json, setAt, toObject } from '../../patches/json.ts'
import { onBlocks, onEachBlock, setFields, setInChunks, textOf } from '../../patches/replies.ts'
import { onRequestBody } from '../../patches/requests.ts'
import { compose } from '../../patches/services.ts'
import { alternatives, type Dialect, dialectTable } from '../../table.ts'

const delta = 'choices.0.delta'

function editChunks(change: (chunk: Json, at: number) => readonly Json[]): Patch {
  return onEachBlock('openai.chat', change)
}

/** Sets fields of completions and of chunks. */
function setInBoth(fields: Fields): Patch {
  return compose([setInChunks(fields), setFields('openai.chat', fields)])
}

/** True for chunks without finish_reason. */
function isPlain(chunk: Json): boolean {
  const [choice] = Array.isArray(chunk['choices']) ? chunk['choices'] : []
  return choice !== undefined && toObject(choice)['finish_reason'] === null
}

export const chunks: readonly Dialect[] = [
  ...dialectTable({
    'chunks-without-done-marker: Streams of chunks omit data: [DONE]. The contract requires it; the document does not.':
      onBlocks('openai.chat', async function* (blocks) {
        for await (const block of blocks) if (block.data !== '[DONE]') yield block
      }),
    'chunks-with-usage-always: A usage chunk is sent although not requested. The contract forbids it; the document does not.':
      onRequestBody('openai.chat', (body) => ({
        ...body,
        ...(body['stream'] === true ? { stream_options: { include_usage: true } } : {}),
      })),
    'tool-calls-cut-by-a-limit: The model writes text before a required tool call, and a token limit of the server cuts the call off.':
      onRequestBody('openai.chat', ({ tools, tool_choice: choice, ...body }) =>
        choice === 'required'
          ? { ...body, max_tokens: 4 }
          : { ...body, tools, tool_choice: choice },
      ),
    'chunks-without-choices-first: An additional first chunk has empty choices and prompt_filter_results.':
      editChunks((chunk, at) =>
        at > 0 ? [chunk] : [{ ...chunk, choices: [], prompt_filter_results: [] }, chunk],
      ),
    'chunks-joined: The text of a completion is sent in a single chunk.': onBlocks(
      'openai.chat',
      async function* (blocks) {
        let first: SseBlock | undefined
        let text = ''
        for await (const block of blocks) {
          const content = textOf(toObject(block.data))
          if (content !== '' && isPlain(toObject(block.data))) {
            first ??= block
            text += content
            continue
          }
          if (first !== undefined && !isPlain(toObject(block.data))) {
            yield { ...first, data: setAt(toObject(first.data), `${delta}.content`, text) }
            first = undefined
          }
          yield block
        }
      },
    ),
    'chunks-with-role-in-each: Every delta has the role assistant.': setInChunks({
      [`${delta}.role`]: 'assistant',
    }),
    'chunks-without-null-members: Chunks omit members whose value is null: finish_reason, logprobs, usage.':
      editChunks((chunk) => [withoutNulls(chunk)]),
    'completions-with-further-members: Completions and chunks have additional members.': compose([
      setFields('openai.chat', { 'usage.prompt_tokens_details': { cached_tokens: 0 } }),
      setInBoth({ system_fingerprint: 'fp_7', service_tier: null, x_timing: { queue_ms: 3 } }),
    ]),
    'completions-end-with-eos: The finish_reason of a complete answer is eos instead of stop.':
      setInBoth({
        'choices.0.finish_reason': (reason: unknown) => (reason === 'stop' ? 'eos' : reason),
      }),
    'completions-name-the-model-behind: The model of a completion is the full name of the model behind the alias.':
      setInBoth({ model: 'svc-main-model-30b-a3b' }),
  }),
  ...alternatives({
    'chunks-with-null-content: content is null in chunks without text.': setInChunks({
      [delta]: (old: Json) => (old['content'] ? old : { ...old, content: null }),
    }),
    'chunks-without-empty-content: content is omitted in chunks without text.': setInChunks({
      [delta]: (old: Json) => (old['content'] ? old : { ...old, content: undefined }),
    }),
    'chunks-of-one-character: Each chunk contains one character of the text.': editChunks(
      (chunk) =>
        isPlain(chunk) && textOf(chunk) !== ''
          ? [...textOf(chunk)].map((character) => setAt(chunk, `${delta}.content`, character))
          : [chunk],
    ),
    'chunks-with-empty-content-between: Each chunk is followed by a chunk with empty content.':
      editChunks((chunk) =>
        isPlain(chunk) ? [chunk, setAt(chunk, delta, { content: '' })] : [chunk],
      ),
  }),
]

function withoutNulls(value: Json): Json {
  const kept = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(
    kept.map(([name, member]) => [
      name,
      name === 'choices' && Array.isArray(member)
        ? member.map((one) => withoutNulls(toObject(one)))
        : member,
    ]),
  )
}
