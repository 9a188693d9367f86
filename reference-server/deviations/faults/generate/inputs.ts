/** Faults of what a v3 generation takes: its input, parameters and models (sections 2.1 and 4.3). */
import type { Patch } from '../../../parts.ts'
import { setAt } from '../../json-edit.ts'
import { v3Generate, type Json, onModel, onRequestBody, rejectRequests } from '../../seams.ts'
import type { Fault } from '../../types.ts'
import { fault } from '../fault.ts'

const refuses = (when: (body: Json) => boolean, status = 400): Patch =>
  rejectRequests(v3Generate, when, status)

export const generateInputFaults: readonly Fault[] = [
  fault(
    'v3-input-text-refused',
    'V3-GEN-05',
    'An input that is a text is refused.',
    refuses(({ input }) => typeof input === 'string'),
  ),
  fault(
    'v3-input-array-refused',
    'V3-GEN-06',
    'An input that is an array is refused.',
    refuses(({ input }) => Array.isArray(input)),
  ),
  fault(
    'v3-input-image-refused',
    'V3-GEN-07',
    'An input with an image is refused.',
    refuses(({ input }) => JSON.stringify(input ?? '').includes('input_image')),
  ),
  ...(['max_tokens', 'temperature', 'top_p', 'presence_penalty'] as const).map((parameter) =>
    fault(
      `v3-${parameter.replaceAll('_', '-')}-refused`,
      'V3-GEN-09',
      `${parameter} is refused as an unknown parameter.`,
      refuses((body) => parameter in body),
    ),
  ),
  fault(
    'v3-max-tokens-ignored',
    'V3-GEN-10',
    'In one piece, max_tokens changes nothing.',
    onRequestBody(v3Generate, (body) =>
      body['stream'] === true ? body : setAt(body, 'max_tokens', onlyOfOtherTypes),
    ),
  ),
  fault(
    'v3-max-tokens-ignored-in-streams',
    'V3-GEN-10',
    'In a stream, max_tokens changes nothing.',
    onRequestBody(v3Generate, (body) =>
      body['stream'] === true ? setAt(body, 'max_tokens', onlyOfOtherTypes) : body,
    ),
  ),
  fault(
    'v3-max-tokens-off-by-one',
    'V3-GEN-10',
    'An answer may have one token more than max_tokens.',
    onModel('native', (model, request) => model({ ...request, maxTokens: request.maxTokens + 1 })),
  ),
  fault(
    'v3-parent-refused',
    'V3-GEN-11',
    'A parent_id is refused.',
    refuses((body) => typeof body['parent_id'] === 'string', 404),
  ),
  fault(
    'v3-input-keeps-the-last-item',
    'V3-HIST-07',
    'Of an input array, the last item alone is taken.',
    onRequestBody(v3Generate, (body) =>
      setAt(body, 'input', (input: unknown) => (Array.isArray(input) ? input.slice(-1) : input)),
    ),
  ),
  fault(
    'v3-input-keeps-the-first-item',
    'V3-HIST-07',
    'Of an input array, the first item alone is taken.',
    onRequestBody(v3Generate, (body) =>
      setAt(body, 'input', (input: unknown) => (Array.isArray(input) ? input.slice(0, 1) : input)),
    ),
  ),
  fault(
    'v3-input-hears-the-last-item',
    'V3-GEN-16',
    'Of an input array all items are stored, and the model is told the last.',
    onModel('native', (model, request) => {
      const overheard = (at: number) =>
        request.turns[at]?.role === 'user' && request.turns[at + 1]?.role === 'user'
      return model({ ...request, turns: request.turns.filter((_turn, at) => !overheard(at)) })
    }),
  ),
  fault(
    'v3-alias-unknown',
    'V3-MODEL-01',
    'SVC-Main is no id of the main model.',
    refuses((body) => body['model_id'] === 'SVC-Main', 404),
  ),
  fault(
    'v3-vision-model-unknown',
    'V3-MODEL-02',
    'SVC-Vision is no model.',
    refuses((body) => body['model_id'] === 'SVC-Vision' && typeof body['input'] === 'string', 404),
  ),
]

/** A wrong type is still refused. */
function onlyOfOtherTypes(value: unknown): unknown {
  return typeof value === 'number' ? null : value
}
