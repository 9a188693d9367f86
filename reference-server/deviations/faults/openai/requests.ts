/** Faults of the parameters, messages and models of a completion (sections 2.1, 2.2, 4.1, 7 and 8). */
import type { Generation, Model, ModelRequest, Turn } from '../../../model/types.ts'
import type { Patch } from '../../../services.ts'
import { type Json, toList, toObject } from '../../patches/json.ts'
import { onError, setFields } from '../../patches/replies.ts'
import { ignoreField, rejectRequests } from '../../patches/requests.ts'
import { completions, modelList, oneModel } from '../../patches/routes.ts'
import { onModel, perServer } from '../../patches/services.ts'
import { faultTable } from '../../table.ts'
import { setInChunks } from './stream.ts'

const rejectWhere = (when: (body: Json) => boolean): Patch => rejectRequests(completions, when)

const setModels = (to: (models: readonly Json[]) => unknown) =>
  setFields(modelList, { data: (data: unknown) => to(toList(data)) })
export const openaiRequestFaults = faultTable({
  'OAI-TEMP-01': {
    'openai-temperature-whole-numbers-only: A non-integer temperature is rejected.': rejectWhere(
      ({ temperature }) => Number(temperature ?? 0) % 1 > 0,
    ),
  },
  'OAI-TEMP-02': {
    'openai-temperature-below-0-accepted: A negative temperature is treated as 0.': ignoreField(
      completions,
      'temperature',
      (value) => !(Number(value) < 0),
      0,
    ),
    'openai-temperature-above-2-accepted: A temperature above 2 is treated as 2.': ignoreField(
      completions,
      'temperature',
      (value) => !(Number(value) > 2),
      2,
    ),
    'openai-temperature-refused-with-422: An out-of-range temperature is rejected with 422.':
      rejectOutOfRange(422),
    'openai-temperature-refused-with-200: An out-of-range temperature returns 200 with an error body.':
      rejectOutOfRange(200),
  },
  'OAI-MAXTOK-01': {
    'openai-max-tokens-off-by-one: An answer may exceed max_tokens by one token.': onModel(
      'compatible',
      (model, request) => model({ ...request, maxTokens: request.maxTokens + 1 }),
    ),
    'openai-max-tokens-counts-words: max_tokens limits the number of words instead of tokens.':
      onModel('compatible', (model, request) =>
        model({ ...request, maxTokens: countTokensOfWords(model, request) }),
      ),
  },
  'OAI-MAXTOK-02': {
    'openai-cut-says-stop: A non-streaming answer truncated by max_tokens has the finish_reason stop.':
      setFields(completions, { 'choices.*.finish_reason': 'stop' }),
    'openai-cut-stream-says-stop: A stream truncated by max_tokens has the finish_reason stop.':
      setInChunks({
        'choices.*.finish_reason': (reason: unknown) => (reason === 'length' ? 'stop' : reason),
      }),
  },
  'OAI-CHAT-13': {
    'openai-hears-the-last-message: Only the last message is passed to the model.':
      'openai.chat: earlier turns are not read',
    'openai-forgets-what-was-answered: Only the messages after the last assistant message are passed to the model.':
      onModel('compatible', (model, request) => {
        const answered = request.turns.findLastIndex(({ role }) => role === 'assistant')
        return model({ ...request, turns: request.turns.slice(answered + 1) })
      }),
    'openai-answers-cached-by-question: Answers are cached by the last message and the parameters, regardless of earlier messages.':
      perServer(() => {
        const answers = new Map<string, Generation>()
        return onModel('compatible', (model, request) => {
          const answer = answers.get(questionOf(request)) ?? model(request)
          answers.set(questionOf(request), answer)
          return answer
        })
      }),
  },
  'OAI-CHAT-16': {
    'openai-requests-share-a-conversation: The messages of all previous requests are passed to the model.':
      perServer(() => {
        const earlierTurns: Turn[] = []
        return onModel('compatible', (model, request) => {
          const turns = [...earlierTurns, ...request.turns]
          earlierTurns.push(...request.turns)
          return model({ ...request, turns })
        })
      }),
  },
  'OAI-MODELS-01': {
    'openai-models-empty: GET /models returns an empty list.': 'openai.models: the list is empty',
    'openai-main-model-unlisted: GET /models omits the main model.':
      'openai.models: the last row is lost',
    'openai-vision-model-unlisted: GET /models omits the vision model.':
      'openai.models: the first row is lost',
  },
  'OAI-MODELS-04': {
    'openai-model-id-number: One entry of the model list has a number as id.': setModels(
      (models) => [...models, { id: 7, object: 'model', description: 'The seventh' }],
    ),
    'openai-model-description-by-language: The description of a model is an object keyed by language.':
      setModels((models) =>
        models.map((entry) => ({ ...entry, description: { en: entry['id'] } })),
      ),
  },
  'OAI-MODELS-05': {
    'openai-models-by-name: The entries of the model list have name instead of id.': setModels(
      (models) => models.map(({ id, ...entry }) => ({ ...entry, name: id })),
    ),
  },
  'OAI-MODELS-06': {
    'openai-model-by-id-another: GET /models/{model} always returns an entry with the id SVC-Vision.':
      setFields(oneModel, { id: 'SVC-Vision' }),
    'openai-model-by-id-the-main-model: GET /models/{model} always returns the main model.':
      setFields(oneModel, { id: 'svc-main-model' }),
  },
})
function rejectOutOfRange(status: number): Patch {
  return onError(
    completions,
    (reply) => ({ ...reply, status }),
    ({ body }) => {
      const { temperature } = toObject(body)
      return typeof temperature === 'number' && (temperature < 0 || temperature > 2)
    },
  )
}

/** Number of tokens in the first `maxTokens` words. */
function countTokensOfWords(model: Model, request: ModelRequest): number {
  const { steps } = model({ ...request, maxTokens: Number.POSITIVE_INFINITY })
  const tokens = steps.flatMap(({ fragments }) => fragments)
  let words = 0
  const end = tokens.findIndex((token, at) => {
    if (at === 0 || /^\s/.test(token)) words += 1
    return words > request.maxTokens
  })
  return end < 0 ? tokens.length : end
}

function questionOf({ turns, ...settings }: ModelRequest): string {
  return JSON.stringify([turns.at(-1), settings])
}
