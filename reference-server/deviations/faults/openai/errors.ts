/** Faults of validation and of error statuses on the compatible surface (section 7). */
import { isObject } from '../../../../contract/json.ts'
import type { Patch } from '../../../services.ts'
import { isText, setAt, toObject } from '../../patches/json.ts'
import { onError } from '../../patches/replies.ts'
import { onRequestBody } from '../../patches/requests.ts'
import { completions } from '../../patches/routes.ts'
import { faultTable } from '../../table.ts'
import type { Fault } from '../../types.ts'
import { wrongTypeFaults } from '../wrong-types.ts'

export const openaiErrorFaults: readonly Fault[] = [
  ...faultTable({
    'OAI-ERR-01': {
      'openai-no-body-answered-500: A request without a body returns 500.': onError(
        completions,
        (reply) => (reply.status === 400 ? { ...reply, status: 500 } : reply),
        ({ body }) => body === undefined || body === '',
      ),
      'openai-broken-json-mended: A request with malformed JSON returns 200 with an empty completion.':
        onError(completions, (reply) =>
          codeOf(reply.body) === 'invalid_json' ? emptyCompletion : reply,
        ),
    },
    'OAI-ERR-02': {
      'openai-stream-read-from-text: stream accepts the strings "true" and "false".': onRequestBody(
        completions,
        (body) =>
          setAt(body, 'stream', (value: unknown) =>
            value === 'true' || value === 'false' ? value === 'true' : value,
          ),
      ),
    },
  }),
  ...([422, 500, 200] as const).map(
    (status): Fault => ({
      name: `openai-broken-json-answered-${status}`,
      summary: `A request with malformed JSON returns ${status}.`,
      breaks: ['OAI-ERR-01'],
      patch: changeStatus(status, 'invalid_json'),
    }),
  ),
  ...([422, 500, 200] as const).map(
    (status): Fault => ({
      name: `openai-wrong-type-answered-${status}`,
      summary: `A request with a non-numeric max_tokens returns ${status}.`,
      breaks: ['OAI-ERR-02'],
      patch: onError(
        completions,
        (reply) => ({ ...reply, status }),
        ({ body }) => typeof (toObject(body)['max_tokens'] ?? 1) !== 'number',
      ),
    }),
  ),
  ...wrongTypeFaults(completions, 'OAI-ERR-02', 'openai', 'A request', {
    message: ['messages.*', isObject, (content: unknown) => ({ role: 'user', content })],
    role: ['messages.*.role', isText, 'user'],
    content: ['messages.*.content', isText, String],
  }),
  ...['temperature', 'max_tokens', 'top_p'].map(
    (field): Fault => ({
      name: `openai-${field.replace('_', '-')}-read-from-text`,
      summary: `${field} accepts a number in a string.`,
      breaks: ['OAI-ERR-02'],
      patch: onRequestBody(completions, (body) =>
        setAt(body, field, (value: unknown) =>
          isText(value) && Number.isFinite(Number(value)) ? Number(value) : value,
        ),
      ),
    }),
  ),
]

const emptyCompletion = {
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

function changeStatus(status: number, code: string): Patch {
  return onError(completions, (reply) =>
    codeOf(reply.body) === code ? { ...reply, status } : reply,
  )
}

function codeOf(body: unknown): unknown {
  return toObject(toObject(body)['error'])['code']
}
