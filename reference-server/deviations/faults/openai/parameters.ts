/** Faults of the parameters of a completion: temperature, top_p and max_tokens (4.1, 7 and 8). */
import type { Model, ModelRequest } from '../../../model/types.ts'
import type { Patch } from '../../../services.ts'
import { type Json, setAt, toObject } from '../../patches/json.ts'
import { onError, setFields } from '../../patches/replies.ts'
import { ignoreField, onRequestBody, rejectRequests } from '../../patches/requests.ts'
import { completions } from '../../patches/routes.ts'
import { onModel } from '../../patches/services.ts'
import { faultTable } from '../../table.ts'
import type { Fault } from '../../types.ts'
import { setInChunks } from './chunks.ts'

const rejectWhere = (when: (body: Json) => boolean): Patch => rejectRequests(completions, when)

const temperatureFaults = faultTable({
  'OAI-TEMP-01': {
    'openai-temperature-0-refused: A temperature of 0 is rejected.': rejectWhere(
      ({ temperature }) => temperature === 0,
    ),
    'openai-temperature-2-refused: A temperature of 2 is rejected: the upper bound is exclusive.':
      rejectWhere(({ temperature }) => temperature === 2),
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
  'OAI-TOPP-01': {
    'openai-top-p-refused: top_p is rejected as an unknown parameter.': rejectWhere(
      (body) => 'top_p' in body && !('stop' in body),
    ),
  },
})

const maxTokensFaults = faultTable({
  'OAI-MAXTOK-01': {
    'openai-max-tokens-ignored: max_tokens is ignored.': ignoreField(
      completions,
      'max_tokens',
      (value) => typeof value !== 'number',
    ),
    'openai-max-tokens-ignored-in-streams: max_tokens is ignored in streams.': {
      only: { form: ['stream'] },
      patch: onRequestBody(completions, (body) =>
        body['stream'] === true ? setAt(body, 'max_tokens', undefined) : body,
      ),
    },
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
  },
})

const streamFaults = faultTable({
  'OAI-MAXTOK-02': {
    'openai-cut-stream-says-stop: A stream truncated by max_tokens has the finish_reason stop.': {
      only: { form: ['stream'] },
      patch: setInChunks({
        'choices.*.finish_reason': (reason: unknown) => (reason === 'length' ? 'stop' : reason),
      }),
    },
  },
})

export const openaiParameterFaults: readonly Fault[] = [
  ...temperatureFaults,
  ...maxTokensFaults,
  ...streamFaults,
]

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
