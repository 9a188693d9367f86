/** Faults of the input, parameters, models and forms of v3 generations (sections 2.1 and 4.3). */
import type { Patch } from '../../../../services.ts'
import { type Json, setAt, toList, toObject } from '../../../patches/json.ts'
import { onSuccessBody } from '../../../patches/replies.ts'
import { onRequestBody, rejectRequests } from '../../../patches/requests.ts'
import { mainAlias, v3Generate, visionModel } from '../../../patches/routes.ts'
import { onModel, onStore } from '../../../patches/services.ts'
import { faultTable } from '../../../table.ts'
import type { Fault } from '../../../types.ts'
import { generateMissingKey } from './answers.ts'

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

const isStream = ({ stream }: Json) => stream === true
const thinks = ({ think }: Json) => think === true

export const generateFormFaults = faultTable({
  'V3-GEN-17': {
    'v3-streams-of-any-type: A streaming request with max_tokens, temperature or rag of the wrong type is accepted.':
      {
        only: { form: ['stream'] },
        patch: when(isStream, (body) => {
          const numbers = ['max_tokens', 'temperature']
          const mended = numbers.reduce<Json>(
            (changed, name) =>
              setAt(changed, name, (value: unknown) => (typeof value === 'number' ? value : null)),
            body,
          )
          return typeof body['rag'] === 'number' ? { ...mended, rag: null } : mended
        }),
      },
  },
  'V3-IDEM-01': {
    'v3-thinking-without-key: A generation with think: true is accepted without Idempotency-Key.': {
      only: { think: ['with think'] },
      patch: generateMissingKey(thinks),
    },
  },
  'V3-MODEL-01': {
    'v3-streams-without-alias: A streaming request with the model id SVC-Main is rejected with 404.':
      {
        only: { form: ['stream'] },
        patch: rejectRequests(
          v3Generate,
          (body) => isStream(body) && body['model_id'] === mainAlias,
          404,
        ),
      },
  },
  'V3-GEN-06': {
    'v3-streams-without-items: A streaming request with an array as input is rejected.': {
      only: { form: ['stream'], input: ['items'] },
      patch: rejectRequests(v3Generate, (body) => isStream(body) && Array.isArray(body['input'])),
    },
    'v3-items-of-users-alone: Input items with the role system or developer are rejected.': {
      only: { input: ['items'] },
      patch: rejectRequests(v3Generate, ({ input }) =>
        toList(input).some(({ role }) => role === 'system' || role === 'developer'),
      ),
    },
  },
  'V3-CTX-01': {
    'v3-parent-without-its-own: Only the parent run is passed to the model, not the runs before it.':
      onStore('history', (original) => ({
        runs: async (chatId) =>
          (await original.runs(chatId)).map((run) => ({ ...run, parentId: null })),
      })),
  },
  'V3-HIST-07': {
    'v3-reasoning-in-the-answer-in-one-piece: In a non-streaming response, the answer text starts with the reasoning.':
      {
        also: ['V3-THINK-02'],
        only: { form: ['JSON'] },
        patch: onSuccessBody(v3Generate, (body, { body: request }) => {
          if (!thinks(toObject(request))) return body
          const reasoning = toList(body['output']).find(({ type }) => type === 'reasoning')
          const [part] = toList(reasoning?.['content'])
          return setAt(body, 'output.*.content', (content: unknown) =>
            setAt(content, '*', (one: Json) =>
              one['type'] === 'output_text'
                ? { ...one, text: `${part?.['text']} ${one['text']}` }
                : one,
            ),
          )
        }),
      },
  },
  'V3-TOOLS-01': {
    'v3-both-tool-lists-streams: A generation with stream: true and both tool lists is accepted.':
      bothLists(isStream),
    'v3-both-tool-lists-thinking: A generation with think: true and both tool lists is accepted.':
      bothLists(thinks),
  },
})

/** Accepts both tool lists under a condition; exclude_tools takes effect. */
function bothLists(applies: (body: Json) => boolean): Patch {
  return when(
    (body) => applies(body) && ['include_tools', 'exclude_tools'].every((name) => body[name]),
    ({ include_tools: _, ...body }) => body,
  )
}

function when(applies: (body: Json) => boolean, change: (body: Json) => Json): Patch {
  return onRequestBody(v3Generate, (body) => (applies(body) ? change(body) : body))
}
