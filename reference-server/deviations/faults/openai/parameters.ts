/** Faults of the parameters of a completion: temperature, top_p and max_tokens (4.1, 7 and 8). */
import type { Model, ModelRequest } from '../../../model/types.ts'
import type { Patch } from '../../../services.ts'
import { type Json, setAt, toObject } from '../../patches/json.ts'
import { onError, setField } from '../../patches/replies.ts'
import { ignoreField, onRequestBody, rejectRequests } from '../../patches/requests.ts'
import { completions } from '../../patches/routes.ts'
import { onModel } from '../../patches/services.ts'
import type { Fault } from '../../types.ts'
import { setInChunks } from './chunks.ts'

const rejectWhere = (when: (body: Json) => boolean): Patch => rejectRequests(completions, when)

const temperatureFaults: readonly Fault[] = [
  {
    name: 'openai-temperature-0-refused',
    summary: 'A temperature of 0 is rejected.',
    breaks: ['OAI-TEMP-01'],
    patch: rejectWhere(({ temperature }) => temperature === 0),
  },
  {
    name: 'openai-temperature-2-refused',
    summary: 'A temperature of 2 is rejected: the upper bound is exclusive.',
    breaks: ['OAI-TEMP-01'],
    patch: rejectWhere(({ temperature }) => temperature === 2),
  },
  {
    name: 'openai-temperature-whole-numbers-only',
    summary: 'A non-integer temperature is rejected.',
    breaks: ['OAI-TEMP-01'],
    patch: rejectWhere(({ temperature }) => Number(temperature ?? 0) % 1 > 0),
  },
  {
    name: 'openai-temperature-below-0-accepted',
    summary: 'A negative temperature is treated as 0.',
    breaks: ['OAI-TEMP-02'],
    patch: ignoreField(completions, 'temperature', (value) => !(Number(value) < 0), 0),
  },
  {
    name: 'openai-temperature-above-2-accepted',
    summary: 'A temperature above 2 is treated as 2.',
    breaks: ['OAI-TEMP-02'],
    patch: ignoreField(completions, 'temperature', (value) => !(Number(value) > 2), 2),
  },
  {
    name: 'openai-temperature-refused-with-422',
    summary: 'An out-of-range temperature is rejected with 422.',
    breaks: ['OAI-TEMP-02'],
    patch: rejectOutOfRange(422),
  },
  {
    name: 'openai-temperature-refused-with-200',
    summary: 'An out-of-range temperature returns 200 with an error body.',
    breaks: ['OAI-TEMP-02'],
    patch: rejectOutOfRange(200),
  },
  {
    name: 'openai-top-p-refused',
    summary: 'top_p is rejected as an unknown parameter.',
    breaks: ['OAI-TOPP-01'],
    patch: rejectWhere((body) => 'top_p' in body && !('stop' in body)),
  },
]

const maxTokensFaults: readonly Fault[] = [
  {
    name: 'openai-max-tokens-ignored',
    summary: 'max_tokens is ignored.',
    breaks: ['OAI-MAXTOK-01'],
    patch: ignoreField(completions, 'max_tokens', (value) => typeof value !== 'number'),
  },
  {
    name: 'openai-max-tokens-ignored-in-streams',
    only: { form: ['stream'] },
    summary: 'max_tokens is ignored in streams.',
    breaks: ['OAI-MAXTOK-01'],
    patch: onRequestBody(completions, (body) =>
      body['stream'] === true ? setAt(body, 'max_tokens', undefined) : body,
    ),
  },
  {
    name: 'openai-max-tokens-off-by-one',
    summary: 'An answer may exceed max_tokens by one token.',
    breaks: ['OAI-MAXTOK-01'],
    patch: onModel('compatible', (model, request) =>
      model({ ...request, maxTokens: request.maxTokens + 1 }),
    ),
  },
  {
    name: 'openai-max-tokens-counts-words',
    summary: 'max_tokens limits the number of words instead of tokens.',
    breaks: ['OAI-MAXTOK-01'],
    patch: onModel('compatible', (model, request) =>
      model({ ...request, maxTokens: countTokensOfWords(model, request) }),
    ),
  },
  {
    name: 'openai-cut-says-stop',
    summary: 'A non-streaming answer truncated by max_tokens has the finish_reason stop.',
    breaks: ['OAI-MAXTOK-02'],
    patch: setField(completions, 'choices.*.finish_reason', 'stop'),
  },
]

const streamFaults: readonly Fault[] = [
  {
    name: 'openai-cut-stream-says-stop',
    only: { form: ['stream'] },
    summary: 'A stream truncated by max_tokens has the finish_reason stop.',
    breaks: ['OAI-MAXTOK-02'],
    patch: setInChunks('choices.*.finish_reason', (reason: unknown) =>
      reason === 'length' ? 'stop' : reason,
    ),
  },
]

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
