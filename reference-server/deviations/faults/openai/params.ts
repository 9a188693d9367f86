/** Faults of the parameters of a completion: temperature, top_p and max_tokens (4.1, 7 and 8). */
import type { Model, ModelRequest } from '../../../model/types.ts'
import type { Patch } from '../../../parts.ts'
import { setAt } from '../../json-edit.ts'
import {
  completions,
  type Json,
  toObject,
  onModel,
  onError,
  onRequestBody,
  ignoreField,
  rejectRequests,
  setField,
} from '../../seams.ts'
import type { Fault } from '../../types.ts'
import { fault } from '../fault.ts'

const refusesWhere = (when: (body: Json) => boolean): Patch => rejectRequests(completions, when)

const temperatureFaults: readonly Fault[] = [
  fault(
    'openai-temperature-0-refused',
    'OAI-TEMP-01',
    'A temperature of 0 is refused.',
    refusesWhere(({ temperature }) => temperature === 0),
  ),
  fault(
    'openai-temperature-2-refused',
    'OAI-TEMP-01',
    'A temperature of 2 is refused: the upper end does not belong to the range.',
    refusesWhere(({ temperature }) => temperature === 2),
  ),
  fault(
    'openai-temperature-whole-numbers-only',
    'OAI-TEMP-01',
    'A temperature with a fraction is refused.',
    refusesWhere(({ temperature }) => Number(temperature ?? 0) % 1 > 0),
  ),
  fault(
    'openai-temperature-below-0-accepted',
    'OAI-TEMP-02',
    'A negative temperature is taken for 0.',
    ignoreField(completions, 'temperature', (value) => !(Number(value) < 0), 0),
  ),
  fault(
    'openai-temperature-above-2-accepted',
    'OAI-TEMP-02',
    'A temperature above 2 is taken for 2.',
    ignoreField(completions, 'temperature', (value) => !(Number(value) > 2), 2),
  ),
  fault(
    'openai-temperature-refused-with-422',
    'OAI-TEMP-02',
    'A temperature out of range is answered with 422.',
    refusesOutOfRange(422),
  ),
  fault(
    'openai-temperature-refused-with-200',
    'OAI-TEMP-02',
    'A temperature out of range is answered with an error in a 200.',
    refusesOutOfRange(200),
  ),
  fault(
    'openai-top-p-refused',
    'OAI-TOPP-01',
    'top_p is refused as an unknown parameter.',
    refusesWhere((body) => 'top_p' in body && !('stop' in body)),
  ),
]

const maxTokensFaults: readonly Fault[] = [
  fault(
    'openai-max-tokens-ignored',
    'OAI-MAXTOK-01',
    'max_tokens changes nothing.',
    ignoreField(completions, 'max_tokens', (value) => typeof value !== 'number'),
  ),
  fault(
    'openai-max-tokens-ignored-in-streams',
    'OAI-MAXTOK-01',
    'max_tokens changes nothing in a stream.',
    onRequestBody(completions, (body) =>
      body['stream'] === true ? setAt(body, 'max_tokens', undefined) : body,
    ),
  ),
  fault(
    'openai-max-tokens-off-by-one',
    'OAI-MAXTOK-01',
    'An answer may have one token more than max_tokens.',
    onModel('compatible', (model, request) =>
      model({ ...request, maxTokens: request.maxTokens + 1 }),
    ),
  ),
  fault(
    'openai-max-tokens-counts-words',
    'OAI-MAXTOK-01',
    'max_tokens limits the words of an answer.',
    onModel('compatible', (model, request) =>
      model({ ...request, maxTokens: tokensOfWords(model, request) }),
    ),
  ),
  fault(
    'openai-cut-says-stop',
    'OAI-MAXTOK-02',
    'An answer that was cut has the finish_reason stop.',
    setField(completions, 'choices.*.finish_reason', 'stop'),
  ),
]

export const openaiParamFaults: readonly Fault[] = [...temperatureFaults, ...maxTokensFaults]

function refusesOutOfRange(status: number): Patch {
  return onError(
    completions,
    (reply) => ({ ...reply, status }),
    ({ body }) => {
      const { temperature } = toObject(body)
      return typeof temperature === 'number' && (temperature < 0 || temperature > 2)
    },
  )
}

/** How many tokens the first `maxTokens` words take. */
function tokensOfWords(model: Model, request: ModelRequest): number {
  const { steps } = model({ ...request, maxTokens: Number.POSITIVE_INFINITY })
  const tokens = steps.flatMap(({ fragments }) => fragments)
  let words = 0
  const end = tokens.findIndex((token, at) => {
    if (at === 0 || /^\s/.test(token)) words += 1
    return words > request.maxTokens
  })
  return end < 0 ? tokens.length : end
}
