/** Faults of what is refused, and of how, on the compatible surface (section 7). */
import type { Patch } from '../../../parts.ts'
import { setAt } from '../../json-edit.ts'
import { completions, type Json, toObject, onError, onRequestBody } from '../../seams.ts'
import type { Fault } from '../../types.ts'
import { fault } from '../fault.ts'

export const openaiErrorFaults: readonly Fault[] = [
  ...([422, 500, 200] as const).map((status) =>
    fault(
      `openai-broken-json-answered-${status}`,
      'OAI-ERR-01',
      `A body that is not JSON is answered with ${status}.`,
      refusesWith(status, 'invalid_json'),
    ),
  ),
  fault(
    'openai-broken-json-mended',
    'OAI-ERR-01',
    'A body that is not JSON is answered as if it had asked for nothing.',
    onError(completions, (reply) => (codeOf(reply.body) === 'invalid_json' ? empty : reply)),
  ),
  ...([422, 500, 200] as const).map((status) =>
    fault(
      `openai-wrong-type-answered-${status}`,
      'OAI-ERR-02',
      `A max_tokens that is no number is answered with ${status}.`,
      onError(
        completions,
        (reply) => ({ ...reply, status }),
        ({ body }) => typeof (toObject(body)['max_tokens'] ?? 1) !== 'number',
      ),
    ),
  ),
  takesWrong('model', isText, () => 'svc-main-model'),
  takesWrong('messages', Array.isArray, (content) => [{ role: 'user', content }]),
  takesWrong('messages.*.role', isText, () => 'user', 'role'),
  takesWrong('messages.*.content', isText, String, 'content'),
  takesWrong('temperature', isNumber, () => null),
  takesWrong('max_tokens', isNumber, () => null),
  takesWrong('top_p', isNumber, () => null),
  takesWrong('stream', (value) => typeof value === 'boolean', Boolean),
  takesWrong(
    'stop',
    (value) => isText(value) || Array.isArray(value),
    () => null,
  ),
  ...['temperature', 'max_tokens', 'top_p'].map((field) =>
    fault(
      `openai-${field.replace('_', '-')}-read-from-text`,
      'OAI-ERR-02',
      `A number in a string serves as ${field}.`,
      onRequestBody(completions, (body) =>
        setAt(body, field, (value: unknown) =>
          isText(value) && Number.isFinite(Number(value)) ? Number(value) : value,
        ),
      ),
    ),
  ),
  fault(
    'openai-stream-read-from-text',
    'OAI-ERR-02',
    'The words true and false serve as stream.',
    onRequestBody(completions, (body) =>
      setAt(body, 'stream', (value: unknown) =>
        value === 'true' || value === 'false' ? value === 'true' : value,
      ),
    ),
  ),
]

const empty = {
  status: 200,
  body: {
    id: 'chatcmpl-0',
    object: 'chat.completion',
    created: 1_767_225_600,
    model: 'svc-main-model',
    choices: [{ index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
  },
}

/** A listed field is taken whatever its type is. */
function takesWrong(
  path: string,
  fits: (value: unknown) => boolean,
  mend: (value: unknown) => unknown,
  name = path,
): Fault {
  return fault(
    `openai-${name.replace('_', '-')}-of-any-type`,
    'OAI-ERR-02',
    `${name} is accepted with any type.`,
    onRequestBody(completions, (body: Json) =>
      setAt(body, path, (value: unknown) => (value == null || fits(value) ? value : mend(value))),
    ),
  )
}

function refusesWith(status: number, code: string): Patch {
  return onError(completions, (reply) =>
    codeOf(reply.body) === code ? { ...reply, status } : reply,
  )
}

function codeOf(body: unknown): unknown {
  return toObject(toObject(body)['error'])['code']
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number'
}
