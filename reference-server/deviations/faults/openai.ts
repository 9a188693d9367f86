/** Faults of the compatible surface (section 4.1) that need more than a sentence. */
import type { SseBlock } from '../../events/sequence.ts'
import type { Generation, Turn } from '../../model/types.ts'
import type { Patch } from '../../services.ts'
import { isText, type Json, setAt, toList, toObject } from '../patches/json.ts'
import {
  onBlocks,
  onEachBlock,
  onError,
  onReply,
  onSuccessBody,
  textOf,
  thenDone,
} from '../patches/replies.ts'
import { onRequestBody, rejectRequests, visionModel } from '../patches/requests.ts'
import { compose, mapping, onModel, perServer } from '../patches/services.ts'
import { faultTable } from '../table.ts'

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }

export const openaiFaults = faultTable({
  'OAI-MODELS-01 openai-models-after-a-refusal: After a refused completion, the list of models lacks the vision model.':
    perServer(
      () => ({ isRefused: false }),
      (state) => [
        onReply('openai.chat', (reply) => {
          if (reply.status === 400) state.isRefused = true
          return reply
        }),
        onSuccessBody('openai.models', (body) =>
          state.isRefused
            ? { ...body, data: toList(body['data']).filter(({ id }) => id !== visionModel) }
            : body,
        ),
      ],
    ),
  'OAI-CHAT-13 openai-answers-cached-by-question: Answers are cached by the last message and the parameters, regardless of earlier messages.':
    mapping<Generation>((answers) =>
      onModel('compatible', (model, request) => {
        const { turns, ...settings } = request
        const question = JSON.stringify([turns.at(-1), settings])
        const answer = answers.get(question) ?? model(request)
        answers.set(question, answer)
        return answer
      }),
    ),
  'OAI-CHAT-16 openai-requests-share-a-conversation: The messages of all previous requests are passed to the model.':
    perServer(
      (): Turn[] => [],
      (all) =>
        onModel('compatible', (model, request) => {
          all.push(...request.turns)
          return model({ ...request, turns: [...all] })
        }),
    ),
  'OAI-STOP-03 openai-stop-shown: The answer ends with the stop sequence.': compose([
    ignoreStop(({ stream }) => stream !== true),
    onSuccessBody('openai.chat', (body, call) =>
      setAt(body, 'choices.*.message.content', (text: string) =>
        text.slice(0, findStop(text, call.body)?.end),
      ),
    ),
  ]),
  'OAI-STOP-04 openai-stop-misses-two-chunks: A stop sequence that spans two chunks is missed: each chunk is searched separately.':
    cutStreamsAtStop(),
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
    onEachBlock('openai.chat', (chunk) => [
      setAt(chunk, 'choices.*', ({ delta, ...rest }: Json) => ({ ...rest, message: delta })),
    ]),
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
  'OAI-STREAM-09 openai-stream-done-twice: [DONE] is sent twice.': onBlocks(
    'openai.chat',
    thenDone,
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
  ...Object.fromEntries(
    [422, 500, 200].map((status) => [
      `OAI-ERR-01 openai-broken-json-answered-${status}: A request with malformed JSON returns ${status}.`,
      onError('openai.chat', (reply) =>
        toObject(toObject(reply.body)['error'])['code'] === 'invalid_json'
          ? { ...reply, status }
          : reply,
      ),
    ]),
  ),
})

function ignoreStop(when: (body: Json) => boolean): Patch {
  return onRequestBody('openai.chat', (body) =>
    [body['stop']].flat().every(isText) && when(body) ? setAt(body, 'stop', null) : body,
  )
}

/** Ends streams within the first chunk that contains a stop sequence. */
function cutStreamsAtStop(): Patch {
  return compose([
    ignoreStop(({ stream }) => stream === true),
    onBlocks('openai.chat', async function* (blocks, call) {
      let stopped = false
      for await (const block of blocks) {
        const text = textOf(toObject(block.data))
        const span = text === '' ? undefined : findStop(text, call.body)
        const isCut = span !== undefined && !stopped
        if (isCut)
          yield {
            ...block,
            data: setAt(block.data, 'choices.*.delta.content', text.slice(0, span.start)),
          }
        else if (text === '' || !stopped) yield block
        stopped ||= span !== undefined
      }
    }),
  ])
}

function findStop(text: string, sent: unknown): { start: number; end: number } | undefined {
  const { stop } = toObject(sent)
  const sequences = (Array.isArray(stop) ? stop : [stop]).filter((one) => typeof one === 'string')
  const sequence = sequences.find((one) => text.includes(one))
  const start = sequence === undefined ? -1 : text.indexOf(sequence)
  return sequence === undefined ? undefined : { start, end: start + sequence.length }
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
