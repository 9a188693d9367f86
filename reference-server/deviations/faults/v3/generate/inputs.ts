/** Faults of the input, parameters and models of v3 generations (sections 2.1 and 4.3). */

import type { Patch } from '../../../../services.ts'
import { type Json, setAt } from '../../../patches/json.ts'
import { onRequestBody, rejectRequests } from '../../../patches/requests.ts'
import { v3Generate, visionModel } from '../../../patches/routes.ts'
import { onModel } from '../../../patches/services.ts'
import { faultTable } from '../../../table.ts'
import type { Fault } from '../../../types.ts'

const rejectWhere = (when: (body: Json) => boolean, status = 400): Patch =>
  rejectRequests(v3Generate, when, status)
const inputContains = (text: string) => (body: Json) =>
  JSON.stringify(body['input'] ?? '').includes(text)

export const generateInputFaults: readonly Fault[] = [
  ...faultTable({
    'V3-GEN-05': {
      'v3-input-text-refused: A string as input is rejected.': rejectWhere(
        ({ input }) => typeof input === 'string',
      ),
    },
    'V3-GEN-06': {
      'v3-input-array-refused: An array as input is rejected.': rejectWhere(({ input }) =>
        Array.isArray(input),
      ),
    },
    'V3-GEN-07': {
      'v3-input-image-refused: Input with an image is rejected.': rejectWhere(({ input }) =>
        JSON.stringify(input ?? '').includes('input_image'),
      ),
      'media-image-by-url-alone: An image as a data: URL is rejected.': rejectRequests(
        v3Generate,
        inputContains('data:image/'),
      ),
    },
    'V3-GEN-09': {
      'v3-parameters-of-items-refused-in-streams: In a stream with an array as input, top_p and presence_penalty are rejected.':
        {
          only: { form: ['stream'], input: ['items'] },
          patch: rejectWhere(
            (body) =>
              body['stream'] === true &&
              Array.isArray(body['input']) &&
              ('top_p' in body || 'presence_penalty' in body),
          ),
        },
      'v3-whole-parameters-refused: A temperature or top_p without a fraction is rejected.':
        rejectWhere(
          ({ temperature, top_p }) => Number.isInteger(temperature) || Number.isInteger(top_p),
        ),
    },
    'V3-GEN-10': {
      'v3-max-tokens-ignored: In a non-streaming response, max_tokens is ignored.': {
        only: { form: ['JSON'] },
        patch: onRequestBody(v3Generate, (body) =>
          body['stream'] === true ? body : setAt(body, 'max_tokens', ignoreNumber),
        ),
      },
      'v3-max-tokens-ignored-in-streams: In a stream, max_tokens is ignored.': {
        only: { form: ['stream'] },
        patch: onRequestBody(v3Generate, (body) =>
          body['stream'] === true ? setAt(body, 'max_tokens', ignoreNumber) : body,
        ),
      },
      'v3-max-tokens-off-by-one: An answer may exceed max_tokens by one token.': onModel(
        'native',
        (model, request) => model({ ...request, maxTokens: request.maxTokens + 1 }),
      ),
    },
    'V3-GEN-11': {
      'v3-parent-refused: A generation with parent_id is rejected with 404.': rejectWhere(
        (body) => typeof body['parent_id'] === 'string',
        404,
      ),
    },
    'V3-HIST-07': {
      'v3-input-keeps-the-last-item: Only the last item of an input array is used.': onRequestBody(
        v3Generate,
        (body) =>
          setAt(body, 'input', (input: unknown) =>
            Array.isArray(input) ? input.slice(-1) : input,
          ),
      ),
      'v3-input-keeps-the-first-item: Only the first item of an input array is used.':
        onRequestBody(v3Generate, (body) =>
          setAt(body, 'input', (input: unknown) =>
            Array.isArray(input) ? input.slice(0, 1) : input,
          ),
        ),
    },
    'V3-GEN-16': {
      'v3-input-hears-the-last-item: All items of an input array are stored, but only the last one is passed to the model.':
        onModel('native', (model, request) => {
          const overheard = (at: number) =>
            request.turns[at]?.role === 'user' && request.turns[at + 1]?.role === 'user'
          return model({ ...request, turns: request.turns.filter((_turn, at) => !overheard(at)) })
        }),
      'v3-input-hears-the-first-part: Only the first line of a message with several parts is passed to the model.':
        onModel('native', (model, request) => {
          const turns = request.turns.map((turn) =>
            turn.role === 'user' ? { ...turn, text: turn.text.split('\n')[0] ?? '' } : turn,
          )
          return model({ ...request, turns })
        }),
    },
    'V3-MODEL-01': {
      'v3-alias-unknown: The model id SVC-Main is rejected with 404.': rejectWhere(
        (body) => body['model_id'] === 'SVC-Main',
        404,
      ),
    },
    'V3-MODEL-02': {
      'v3-vision-model-unknown: The model id SVC-Vision is rejected with 404 if input is a string.':
        rejectWhere(
          (body) => body['model_id'] === 'SVC-Vision' && typeof body['input'] === 'string',
          404,
        ),
      'v3-vision-model-unknown-in-streams: The model id SVC-Vision is rejected with 404 in a stream.':
        rejectWhere((body) => body['model_id'] === 'SVC-Vision' && body['stream'] === true, 404),
      'media-vision-unknown: The model id SVC-Vision is rejected with 404, with and without an image.':
        rejectRequests(v3Generate, ({ model_id: id }) => id === visionModel, 404),
    },
    'V3-GEN-08': {
      'media-video-refused: Input with a video is rejected.': rejectRequests(
        v3Generate,
        inputContains('input_video'),
      ),
    },
  }),
  ...(['max_tokens', 'temperature', 'top_p', 'presence_penalty'] as const).map(
    (parameter): Fault => ({
      name: `v3-${parameter.replaceAll('_', '-')}-refused`,
      summary: `${parameter} is rejected as an unknown parameter.`,
      breaks: ['V3-GEN-09'],
      patch: rejectWhere((body) => parameter in body),
    }),
  ),
]

/** A wrong type is still rejected. */
function ignoreNumber(value: unknown): unknown {
  return typeof value === 'number' ? null : value
}
