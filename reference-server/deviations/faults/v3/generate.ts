/** Faults of v3 generations and of one-shots: input, context, validation, status and response (sections 1, 2 and 4.3). */

import { isUuid } from '../../../../contract/json.ts'
import type { Call } from '../../../http/call.ts'
import type { Generation } from '../../../model/types.ts'
import type { Patch } from '../../../services.ts'
import { newChat } from '../../../surfaces/chats.ts'
import { all, dropEvents, editEvents, replaceEvents } from '../../patches/events.ts'
import {
  type Fields,
  isGiven,
  isText,
  type Json,
  setAt,
  toList,
  toObject,
} from '../../patches/json.ts'
import {
  alsoDo,
  onEachBlock,
  onReply,
  onSuccessBody,
  setErrorStatus,
  setFields,
} from '../../patches/replies.ts'
import {
  idOf,
  mendField,
  onRequest,
  onRequestBody,
  rejectRequests,
} from '../../patches/requests.ts'
import { compose, mapping, onModel, onStore, perServer, withSteps } from '../../patches/services.ts'
import { faultTable } from '../../table.ts'

const setInResponse = (fields: Fields): Patch => setFields('v3.generate', fields)

const fixedId = 'resp_1'
const isKeyless = ({ headers }: Call) => headers['idempotency-key'] === undefined

export const generateFaults = faultTable({
  'V3-GEN-01 v3-response-wrapped: The response object of a non-streaming response is nested in response.':
    onSuccessBody('v3.generate', (response) => ({ type: 'response.completed', response })),
  'V3-GEN-01 v3-response-accepted-for-later: The body of a non-streaming response contains only an id and the status queued.':
    onSuccessBody('v3.generate', ({ id }) => ({ id, status: 'queued' })),
  'V3-GEN-02 v3-output-empty: The output of the response object is empty.': setInResponse({
    output: [],
  }),
  'V3-GEN-02 v3-output-text-for-content: The content of an output message is a string instead of an array of parts.':
    setInResponse({ 'output.*.content': (content: unknown) => toList(content)[0]?.['text'] }),
  'V3-GEN-03 v3-response-times-as-text: The created_at of a non-streaming response is an ISO 8601 string.':
    setInResponse({ created_at: (at: unknown) => new Date(Number(at) * 1000).toISOString() }),
  'V3-GEN-03 one-shot-times-as-text: The created_at of a non-streaming one-shot is a string.':
    setFields('v3.oneShot', { created_at: String }),
  'V3-GEN-04 v3-response-without-usage: A non-streaming response omits usage.': setInResponse({
    usage: undefined,
  }),
  'V3-GEN-04 v3-response-with-a-status-code: A non-streaming response has an additional member status_code.':
    setInResponse({ status_code: 200 }),
  'V3-GEN-12 v3-usage-total-off-by-one: The total_tokens of a non-streaming response are too high by one.':
    setInResponse({ 'usage.total_tokens': (total: unknown) => Number(total) + 1 }),
  'V3-GEN-12 v3-usage-cached-beyond-input: The cached_tokens of a non-streaming response exceed input_tokens.':
    setInResponse({ 'usage.input_tokens_details.cached_tokens': 1_000_000 }),
  'V3-GEN-12 v3-usage-reasoning-beyond-output: The reasoning_tokens of a non-streaming response exceed output_tokens.':
    setInResponse({ 'usage.output_tokens_details.reasoning_tokens': 1_000_000 }),
  'V3-GEN-15 v3-response-id-fixed: All responses have the same id.': fixResponseId(),
  'V3-GEN-13 v3-missing-key-crashes: A generation without Idempotency-Key returns 500.':
    crash(isKeyless),
  'V3-GEN-13 v3-wrong-type-crashes: A generation with a non-numeric temperature returns 500.':
    crash(({ body }) => typeof (toObject(body)['temperature'] ?? 1) !== 'number'),
  'V3-GEN-14 v3-refuses-missing-key-and-stores: A generation without Idempotency-Key is rejected after the step is stored.':
    compose([
      generateMissingKey(),
      onReply('v3.generate', (reply, call) =>
        call.caller !== '' && isKeyless(call)
          ? { status: 400, body: { error: { message: 'Not like this' } } }
          : reply,
      ),
    ]),
  'V3-GEN-17 v3-chat-id-of-any-type: A generation with chat_id of the wrong type is accepted.':
    mendField('v3.generate', 'chat_id', isText, idOf),
  'V3-GEN-17 v3-max-tokens-in-a-text: A generation with max_tokens as the digits of a number is accepted.':
    mendField('v3.generate', 'max_tokens', (value) => !isText(value), Number),
  'V3-CTX-01 v3-parent-known-by-its-answer-alone: Only the answer of the parent run is passed to the model, without its input.':
    onStore('history', ({ runs }) => ({
      runs: async (chatId) => (await runs(chatId)).map((run) => ({ ...run, input: [] })),
    })),
  'V3-THINK-01 v3-think-told-in-the-answer: The reasoning is returned only at the start of the answer text.':
    onModel('native', (model, request) => withReasoningInText(model(request), false)),
  'V3-THINK-01 v3-think-shown-at-the-end: The reasoning is returned in its completed item, without response.reasoning_text.delta.':
    editEvents(
      dropEvents('response.reasoning_text.delta', 'response.reasoning_text.done'),
      replaceEvents(all('response.content_part.added', 'response.content_part.done'), (event) =>
        toObject(event['part'])['type'] === 'reasoning_text' ? [] : [event],
      ),
    ),
  'V3-THINK-02 v3-think-repeated-in-the-answer: The answer text starts with the reasoning that was already streamed.':
    onModel('native', (model, request) => withReasoningInText(model(request), true)),
  'V3-GEN-10 v3-max-tokens-off-by-one: An answer may exceed max_tokens by one token.': onModel(
    'native',
    (model, request) => model({ ...request, maxTokens: request.maxTokens + 1 }),
  ),
  'V3-GEN-16 v3-input-hears-the-last-item: All items of an input array are stored, but only the last one is passed to the model.':
    onModel('native', (model, request) => {
      const overheard = (at: number) =>
        request.turns[at]?.role === 'user' && request.turns[at + 1]?.role === 'user'
      return model({ ...request, turns: request.turns.filter((_turn, at) => !overheard(at)) })
    }),
  'V3-GEN-16 v3-input-hears-the-first-part: Only the first text of a message with several text parts is passed to the model.':
    mapping<string>((firstOf) => [
      onRequestBody('v3.generate', (body) => {
        for (const { content } of toList(body['input'])) {
          const texts = toList(content).map(({ text }) => String(text ?? ''))
          firstOf.set(texts.join('\n'), texts[0] ?? '')
        }
        return body
      }),
      onModel('native', (model, request) => {
        const turns = request.turns.map((turn) => ({
          ...turn,
          text: firstOf.get(turn.text) ?? turn.text,
        }))
        return model({ ...request, turns })
      }),
    ]),
  'V3-GEN-08 media-video-refused: Input with a video is rejected.': rejectRequests(
    'v3.generate',
    ({ input }) => JSON.stringify(input ?? '').includes('input_video'),
  ),
  'V3-IDEM-01 v3-thinking-without-key: A generation with think: true is accepted without Idempotency-Key.':
    generateMissingKey(({ think }) => think === true),
  'V3-ONE-01 one-shot-wrapped: The response object of a one-shot is nested in response.':
    onSuccessBody('v3.oneShot', (response) => ({ response })),
  'V3-ONE-03 one-shot-wants-a-key: A one-shot without Idempotency-Key is rejected.': rejectRequests(
    'v3.oneShot',
    (_, call) => isKeyless(call),
  ),
  'V3-ONE-09 one-shot-streams-store-a-chat: A streaming one-shot is stored as a chat.':
    storeOneShots(({ stream }) => stream === true),
  'V3-ONE-09 one-shot-with-runs-stores-a-chat: A one-shot with runs is stored as a chat.':
    storeOneShots(({ runs }) => toList(runs).length > 0),
  'V3-ONE-04 one-shot-content-ignored: A one-shot ignores the text of content.': onRequestBody(
    'v3.oneShot',
    (body) => (isText(body['content']) ? { ...body, content: 'Hello.' } : body),
  ),
  'V3-ONE-05 one-shot-runs-input-alone: A one-shot ignores the output of its runs.': onRequestBody(
    'v3.oneShot',
    (body) => setAt(body, 'runs.*.output', undefined),
  ),
  'V3-ONE-12 one-shot-base-of-any-type: A one-shot with kb_id of the wrong type is accepted.':
    mendField('v3.oneShot', 'kb_id', isText),
  'V3-ONE-06 one-shot-null-refused: A one-shot with assistant_id: null is rejected.':
    rejectRequests('v3.oneShot', ({ assistant_id: id }) => id === null),
  'V3-ONE-07 one-shot-searcher-finds-nothing: assistant_id: searcher is treated as null.':
    onRequestBody('v3.oneShot', (body) =>
      body['assistant_id'] === 'searcher' ? { ...body, assistant_id: null } : body,
    ),
  'V3-ONE-07 one-shot-searcher-without-base-refused: assistant_id: searcher is rejected without kb_id.':
    rejectRequests(
      'v3.oneShot',
      (body) => body['assistant_id'] === 'searcher' && !isGiven(body['kb_id']),
    ),
  'V3-ONE-08 RAG-07 one-shot-assistant-refused: A one-shot with the UUID of an assistant is rejected.':
    rejectRequests('v3.oneShot', ({ assistant_id: id }) => isUuid(id)),
  'V3-ONE-11 one-shot-remembers: The inputs of previous one-shots are passed to the model.':
    perServer(
      (): unknown[] => [],
      (earlierInputs) =>
        onRequestBody('v3.oneShot', (body) => {
          const before = earlierInputs.map((input, at) => ({ id: `run-${at}`, input }))
          if (isText(body['input'])) earlierInputs.push(body['input'])
          return isGiven(body['runs']) ? body : { ...body, runs: before }
        }),
    ),
})

/** Applies to both forms; as parent_id, the id refers to the last run of its chat. */
function fixResponseId(): Patch {
  return compose([
    onRequestBody('v3.generate', (body) =>
      setAt(body, 'parent_id', (id: unknown) => (id === fixedId ? null : id)),
    ),
    setInResponse({ id: fixedId }),
    onEachBlock('v3.generate', (event) => [setAt(event, 'response.id', fixedId)]),
  ])
}

/** Generates a missing Idempotency-Key for each request. */
function generateMissingKey(when: (body: Json) => boolean = () => true): Patch {
  return onRequest('v3.generate', (call) =>
    when(toObject(call.body))
      ? { ...call, headers: { 'idempotency-key': call.id, ...call.headers } }
      : call,
  )
}

function crash(when: (call: Call) => boolean): Patch {
  return setErrorStatus('v3.generate', 500, (call) => call.caller !== '' && when(call))
}

/** The reasoning at the start of the answer text, and in its own item as well if that is kept. */
function withReasoningInText(generation: Generation, isKept: boolean): Generation {
  const reasons = generation.steps.filter(({ type }) => type === 'reasoning')
  const fragments = reasons.flatMap((step) => step.fragments)
  return withSteps(generation, (step) => {
    if (step.type === 'reasoning') return isKept ? [step] : []
    return [
      step.type === 'message' ? { ...step, fragments: [...fragments, ...step.fragments] } : step,
    ]
  })
}

function storeOneShots(when: (body: Json) => boolean): Patch {
  return alsoDo('v3.oneShot', async (services, { body, caller }, { status }) => {
    const { input = '', ...sent } = toObject(body)
    if (status >= 300 || !when(sent)) return
    await services.store.chats.create(newChat(services, caller, 'v3', JSON.stringify(input)))
  })
}
