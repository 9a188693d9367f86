/** Faults of v3 generations in one form of request only: stream, think, items (section 4.3). */
import type { Patch } from '../../../../services.ts'
import { type Json, setAt, toList, toObject } from '../../../patches/json.ts'
import { onSuccessBody } from '../../../patches/replies.ts'
import { onRequestBody, rejectRequests } from '../../../patches/requests.ts'
import { mainAlias, v3Generate } from '../../../patches/routes.ts'
import { onStore } from '../../../patches/services.ts'
import { faultTable } from '../../../table.ts'
import { generateMissingKey } from './refusals.ts'

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
