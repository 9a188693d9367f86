/** Faults of the input, parameters and models of v3 generations (sections 2.1 and 4.3). */

import type { Patch } from '../../../../services.ts'
import { type Json, setAt } from '../../../patches/json.ts'
import { onRequestBody, rejectRequests } from '../../../patches/requests.ts'
import { v3Generate, visionModel } from '../../../patches/routes.ts'
import { onModel } from '../../../patches/services.ts'
import type { Fault } from '../../../types.ts'

const rejectWhere = (when: (body: Json) => boolean, status = 400): Patch =>
  rejectRequests(v3Generate, when, status)
const inputContains = (text: string) => (body: Json) =>
  JSON.stringify(body['input'] ?? '').includes(text)

export const generateInputFaults: readonly Fault[] = [
  {
    name: 'v3-input-text-refused',
    summary: 'A string as input is rejected.',
    breaks: ['V3-GEN-05'],
    patch: rejectWhere(({ input }) => typeof input === 'string'),
  },
  {
    name: 'v3-input-array-refused',
    summary: 'An array as input is rejected.',
    breaks: ['V3-GEN-06'],
    patch: rejectWhere(({ input }) => Array.isArray(input)),
  },
  {
    name: 'v3-input-image-refused',
    summary: 'Input with an image is rejected.',
    breaks: ['V3-GEN-07'],
    patch: rejectWhere(({ input }) => JSON.stringify(input ?? '').includes('input_image')),
  },
  ...(['max_tokens', 'temperature', 'top_p', 'presence_penalty'] as const).map(
    (parameter): Fault => ({
      name: `v3-${parameter.replaceAll('_', '-')}-refused`,
      summary: `${parameter} is rejected as an unknown parameter.`,
      breaks: ['V3-GEN-09'],
      patch: rejectWhere((body) => parameter in body),
    }),
  ),
  {
    name: 'v3-parameters-of-items-refused-in-streams',
    only: { form: ['stream'], input: ['items'] },
    summary: 'In a stream with an array as input, top_p and presence_penalty are rejected.',
    breaks: ['V3-GEN-09'],
    patch: rejectWhere(
      (body) =>
        body['stream'] === true &&
        Array.isArray(body['input']) &&
        ('top_p' in body || 'presence_penalty' in body),
    ),
  },
  {
    name: 'v3-max-tokens-ignored',
    only: { form: ['JSON'] },
    summary: 'In a non-streaming response, max_tokens is ignored.',
    breaks: ['V3-GEN-10'],
    patch: onRequestBody(v3Generate, (body) =>
      body['stream'] === true ? body : setAt(body, 'max_tokens', ignoreNumber),
    ),
  },
  {
    name: 'v3-max-tokens-ignored-in-streams',
    only: { form: ['stream'] },
    summary: 'In a stream, max_tokens is ignored.',
    breaks: ['V3-GEN-10'],
    patch: onRequestBody(v3Generate, (body) =>
      body['stream'] === true ? setAt(body, 'max_tokens', ignoreNumber) : body,
    ),
  },
  {
    name: 'v3-max-tokens-off-by-one',
    summary: 'An answer may exceed max_tokens by one token.',
    breaks: ['V3-GEN-10'],
    patch: onModel('native', (model, request) =>
      model({ ...request, maxTokens: request.maxTokens + 1 }),
    ),
  },
  {
    name: 'v3-parent-refused',
    summary: 'A generation with parent_id is rejected with 404.',
    breaks: ['V3-GEN-11'],
    patch: rejectWhere((body) => typeof body['parent_id'] === 'string', 404),
  },
  {
    name: 'v3-input-keeps-the-last-item',
    summary: 'Only the last item of an input array is used.',
    breaks: ['V3-HIST-07'],
    patch: onRequestBody(v3Generate, (body) =>
      setAt(body, 'input', (input: unknown) => (Array.isArray(input) ? input.slice(-1) : input)),
    ),
  },
  {
    name: 'v3-input-keeps-the-first-item',
    summary: 'Only the first item of an input array is used.',
    breaks: ['V3-HIST-07'],
    patch: onRequestBody(v3Generate, (body) =>
      setAt(body, 'input', (input: unknown) => (Array.isArray(input) ? input.slice(0, 1) : input)),
    ),
  },
  {
    name: 'v3-input-hears-the-last-item',
    summary:
      'All items of an input array are stored, but only the last one is passed to the model.',
    breaks: ['V3-GEN-16'],
    patch: onModel('native', (model, request) => {
      const overheard = (at: number) =>
        request.turns[at]?.role === 'user' && request.turns[at + 1]?.role === 'user'
      return model({ ...request, turns: request.turns.filter((_turn, at) => !overheard(at)) })
    }),
  },
  {
    name: 'v3-input-hears-the-first-part',
    summary: 'Only the first line of a message with several parts is passed to the model.',
    breaks: ['V3-GEN-16'],
    patch: onModel('native', (model, request) => {
      const turns = request.turns.map((turn) =>
        turn.role === 'user' ? { ...turn, text: turn.text.split('\n')[0] ?? '' } : turn,
      )
      return model({ ...request, turns })
    }),
  },
  {
    name: 'v3-whole-parameters-refused',
    summary: 'A temperature or top_p without a fraction is rejected.',
    breaks: ['V3-GEN-09'],
    patch: rejectWhere(
      ({ temperature, top_p }) => Number.isInteger(temperature) || Number.isInteger(top_p),
    ),
  },
  {
    name: 'v3-alias-unknown',
    summary: 'The model id SVC-Main is rejected with 404.',
    breaks: ['V3-MODEL-01'],
    patch: rejectWhere((body) => body['model_id'] === 'SVC-Main', 404),
  },
  {
    name: 'v3-vision-model-unknown',
    summary: 'The model id SVC-Vision is rejected with 404 if input is a string.',
    breaks: ['V3-MODEL-02'],
    patch: rejectWhere(
      (body) => body['model_id'] === 'SVC-Vision' && typeof body['input'] === 'string',
      404,
    ),
  },
  {
    name: 'v3-vision-model-unknown-in-streams',
    summary: 'The model id SVC-Vision is rejected with 404 in a stream.',
    breaks: ['V3-MODEL-02'],
    patch: rejectWhere((body) => body['model_id'] === 'SVC-Vision' && body['stream'] === true, 404),
  },
  {
    name: 'media-image-by-url-alone',
    summary: 'An image as a data: URL is rejected.',
    breaks: ['V3-GEN-07'],
    patch: rejectRequests(v3Generate, inputContains('data:image/')),
  },
  {
    name: 'media-video-refused',
    summary: 'Input with a video is rejected.',
    breaks: ['V3-GEN-08'],
    patch: rejectRequests(v3Generate, inputContains('input_video')),
  },
  {
    name: 'media-vision-unknown',
    summary: 'The model id SVC-Vision is rejected with 404, with and without an image.',
    breaks: ['V3-MODEL-02'],
    patch: rejectRequests(v3Generate, ({ model_id: id }) => id === visionModel, 404),
  },
]

/** A wrong type is still rejected. */
function ignoreNumber(value: unknown): unknown {
  return typeof value === 'number' ? null : value
}
