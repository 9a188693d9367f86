/** Faults of a v3 generation that show in one form of a request only: a stream, think, items (section 4.3). */
import type { Patch } from '../../../../services.ts'
import { type Json, setAt, toList, toObject } from '../../../patches/json.ts'
import { onSuccessBody } from '../../../patches/replies.ts'
import { onRequestBody, rejectRequests } from '../../../patches/requests.ts'
import { mainAlias, v3Generate } from '../../../patches/routes.ts'
import { onStore } from '../../../patches/services.ts'
import type { Fault } from '../../../types.ts'
import { generateMissingKey } from './refusals.ts'

const isStream = ({ stream }: Json) => stream === true
const thinks = ({ think }: Json) => think === true

export const generateFormFaults: readonly Fault[] = [
  bothLists('streams', isStream),
  bothLists('thinking', thinks),
  {
    name: 'v3-streams-of-any-type',
    only: { form: ['stream'] },
    summary: 'A stream is made whatever the types of max_tokens, temperature and rag are.',
    breaks: ['V3-GEN-17'],
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
  {
    name: 'v3-thinking-without-key',
    only: { think: ['with think'] },
    summary: 'A generation with think needs no Idempotency-Key.',
    breaks: ['V3-IDEM-01'],
    patch: generateMissingKey(thinks),
  },
  {
    name: 'v3-streams-without-alias',
    only: { form: ['stream'] },
    summary: 'SVC-Main is no id of the main model in streams.',
    breaks: ['V3-MODEL-01'],
    patch: rejectRequests(
      v3Generate,
      (body) => isStream(body) && body['model_id'] === mainAlias,
      404,
    ),
  },
  {
    name: 'v3-streams-without-items',
    only: { form: ['stream'], input: ['items'] },
    summary: 'A stream takes a text for its input, and no array of items.',
    breaks: ['V3-GEN-06'],
    patch: rejectRequests(v3Generate, (body) => isStream(body) && Array.isArray(body['input'])),
  },
  {
    name: 'v3-items-of-users-alone',
    only: { input: ['items'] },
    summary: 'Items of a system or a developer are refused.',
    breaks: ['V3-GEN-06'],
    patch: rejectRequests(v3Generate, ({ input }) =>
      toList(input).some(({ role }) => role === 'system' || role === 'developer'),
    ),
  },
  {
    name: 'v3-parent-without-its-own',
    summary: 'A run is told of its parent, and not of what came before that.',
    breaks: ['V3-CTX-01'],
    patch: onStore('history', (original) => ({
      runs: async (chatId) =>
        (await original.runs(chatId)).map((run) => ({ ...run, parentId: null })),
    })),
  },
  {
    name: 'v3-reasoning-in-the-answer-in-one-piece',
    only: { form: ['JSON'] },
    summary: 'In one JSON body, the answer begins with its reasoning.',
    breaks: ['V3-HIST-07', 'V3-THINK-02'],
    patch: onSuccessBody(v3Generate, (body, { body: asked }) => {
      if (!thinks(toObject(asked))) return body
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
]

/** Both tool lists are taken under a condition; the blacklist counts. */
function bothLists(name: string, applies: (body: Json) => boolean): Fault {
  return {
    name: `v3-both-tool-lists-${name}`,
    summary: `Both tool lists at once are accepted (${name}).`,
    breaks: ['V3-TOOLS-01'],
    patch: when(
      (body) => applies(body) && Array.isArray(body['exclude_tools']),
      (body) => ({ ...body, include_tools: null }),
    ),
  }
}

function when(applies: (body: Json) => boolean, change: (body: Json) => Json): Patch {
  return onRequestBody(v3Generate, (body) => (applies(body) ? change(body) : body))
}
