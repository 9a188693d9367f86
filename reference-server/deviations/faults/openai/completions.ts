import type { Generation, Turn } from '../../../model/types.ts'
import type { Patch } from '../../../services.ts'
import { isText, type Json, toObject } from '../../patches/json.ts'
import { onSuccess, onSuccessBody, setErrorStatus, setFields } from '../../patches/replies.ts'
import { mendField, rejectRequests } from '../../patches/requests.ts'
import { mapping, onModel, perServer } from '../../patches/services.ts'
import { type Fault, faultTable } from '../../table.ts'
import { setInChunks } from './stream.ts'

export const openaiCompletionFaults: readonly Fault[] = [
  ...faultTable({
    'OAI-CHAT-01 openai-chat-answers-a-list: The completion is returned as the single element of an array.':
      onSuccessBody('openai.chat', (body) => [body]),
    'OAI-CHAT-02 openai-id-missing: The completion omits id.': setFields('openai.chat', {
      id: undefined,
    }),
    'OAI-CHAT-03 openai-object-of-the-chunk: The object of a non-streaming response is chat.completion.chunk.':
      setFields('openai.chat', { object: 'chat.completion.chunk' }),
    'OAI-CHAT-04 openai-created-in-milliseconds: created is in milliseconds.': setFields(
      'openai.chat',
      {
        created: (created: unknown) => Number(created) * 1000,
      },
    ),
    'OAI-CHAT-06 openai-choices-empty: choices is empty.': setFields('openai.chat', {
      choices: [],
    }),
    'OAI-N-01 openai-only-choice-second: The only choice of an unstreamed answer has the index 1.':
      setFields('openai.chat', { 'choices.*.index': 1 }),
    'OAI-CHAT-10 openai-total-off-by-one: total_tokens is too high by one.': setFields(
      'openai.chat',
      {
        'usage.total_tokens': (total: unknown) => Number(total) + 1,
      },
    ),
    'OAI-CHAT-11 openai-chat-as-text-plain: A non-streaming response has the Content-Type text/plain.':
      onSuccess('openai.chat', (reply) => ({
        ...reply,
        headers: { 'content-type': 'text/plain' },
      })),
    'OAI-CHAT-14 openai-id-fixed: All completions have the same id.': setFields('openai.chat', {
      id: 'chatcmpl-1',
    }),
    'OAI-CHAT-15 openai-role-of-the-model: The role of the answer is model.': setFields(
      'openai.chat',
      {
        'choices.*.message.role': 'model',
      },
    ),
    'OAI-ERR-02 openai-content-of-any-type: A request with messages[].content of the wrong type is accepted.':
      mendField('openai.chat', 'messages.*.content', isText, String),
    'OAI-TEMP-01 openai-temperature-whole-numbers-only: A non-integer temperature is rejected.':
      rejectRequests('openai.chat', ({ temperature }) => Number(temperature ?? 0) % 1 > 0),
    'OAI-TEMP-02 openai-temperature-below-0-accepted: A negative temperature is treated as 0.':
      mendTemperature((value) => Math.max(value, 0)),
    'OAI-TEMP-02 openai-temperature-above-2-accepted: A temperature above 2 is treated as 2.':
      mendTemperature((value) => Math.min(value, 2)),
    'OAI-TEMP-02 openai-temperature-refused-with-422: An out-of-range temperature is rejected with 422.':
      setErrorStatus('openai.chat', 422, ({ body }) => {
        const { temperature } = toObject(body)
        return typeof temperature === 'number' && (temperature < 0 || temperature > 2)
      }),
    'OAI-MAXTOK-01 openai-max-tokens-off-by-one: An answer may exceed max_tokens by one token.':
      onModel('compatible', (model, request) =>
        model({ ...request, maxTokens: request.maxTokens + 1 }),
      ),
    'OAI-MAXTOK-02 openai-cut-says-stop: A non-streaming answer truncated by max_tokens has the finish_reason stop.':
      setFields('openai.chat', { 'choices.*.finish_reason': 'stop' }),
    'OAI-MAXTOK-02 openai-cut-stream-says-stop: A stream truncated by max_tokens has the finish_reason stop.':
      setInChunks({
        'choices.*.finish_reason': (reason: unknown) => (reason === 'length' ? 'stop' : reason),
      }),
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
    'OAI-MODELS-04 openai-model-description-by-language: The description of a model is an object keyed by language.':
      setFields('openai.models', {
        'data.*': (model: Json) => ({ ...model, description: { en: model['id'] } }),
      }),
    'OAI-MODELS-06 openai-model-by-id-the-main-model: GET /models/{model} always returns the main model.':
      setFields('openai.model', { id: 'svc-main-model' }),
  }),
  ...[422, 500, 200].flatMap((status) =>
    faultTable({
      [`OAI-ERR-01 openai-broken-json-answered-${status}: A request with malformed JSON returns ${status}.`]:
        setErrorStatus(
          'openai.chat',
          status,
          (_, { body }) => toObject(toObject(body)['error'])['code'] === 'invalid_json',
        ),
      [`OAI-ERR-02 openai-wrong-type-answered-${status}: A request with a non-numeric max_tokens returns ${status}.`]:
        setErrorStatus(
          'openai.chat',
          status,
          ({ body }) => typeof (toObject(body)['max_tokens'] ?? 1) !== 'number',
        ),
    }),
  ),
]

function mendTemperature(mend: (value: number) => number): Patch {
  return mendField(
    'openai.chat',
    'temperature',
    (value) => typeof value !== 'number',
    (value) => mend(Number(value)),
  )
}
