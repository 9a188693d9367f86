/** Faults of non-streaming completions, of validation and of error statuses (sections 2.2, 4.1 and 7). */

import { isObject } from '../../../../contract/json.ts'
import type { Patch } from '../../../services.ts'
import { type Fields, isText, setAll, setAt, toObject } from '../../patches/json.ts'
import { onError, onSuccess, onSuccessBody, setFields } from '../../patches/replies.ts'
import { mendField, onRequestBody } from '../../patches/requests.ts'
import { completions } from '../../patches/routes.ts'
import { faultTable } from '../../table.ts'
import type { Fault } from '../../types.ts'

const setInCompletion = (fields: Fields): Patch => setFields(completions, fields)

const setInChoices = (fields: Fields): Patch =>
  setInCompletion({ 'choices.*': (choice: unknown) => setAll(choice, fields) })

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
export const openaiAnswerFaults: readonly Fault[] = [
  ...faultTable({
    'OAI-CHAT-01': {
      'openai-chat-answers-a-list: The completion is returned as the single element of an array.':
        onSuccessBody(completions, (body) => [body]),
      'openai-chat-answers-encoded-twice: The completion is returned as JSON inside a JSON string.':
        onSuccessBody(completions, (body) => JSON.stringify(body)),
      'openai-chat-streams-unasked: A request without stream returns a stream.':
        'openai.chat: one JSON body is answered with a stream (stream: not given)',
    },
    'OAI-CHAT-02': {
      'openai-id-missing: The completion omits id.': setInCompletion({ id: undefined }),
      'openai-id-number: The id of the completion is a number.': setInCompletion({
        id: () => Math.random(),
      }),
    },
    'OAI-CHAT-03': {
      'openai-object-of-the-chunk: The object of a non-streaming response is chat.completion.chunk.':
        setInCompletion({ object: 'chat.completion.chunk' }),
      'openai-object-missing: The completion omits object.': setInCompletion({ object: undefined }),
    },
    'OAI-CHAT-04': {
      'openai-created-in-milliseconds: created is in milliseconds.': setInCompletion({
        created: (created: unknown) => Number(created) * 1000,
      }),
      'openai-created-with-a-fraction: created has a fractional part.': setInCompletion({
        created: (created: unknown) => Number(created) + 0.25,
      }),
    },
    'OAI-CHAT-06': {
      'openai-choices-empty: choices is empty.': setInCompletion({ choices: [] }),
    },
    'OAI-N-01': {
      'openai-only-choice-second: The only choice of an unstreamed answer has the index 1.':
        setInChoices({ index: 1 }),
    },
    'OAI-CHAT-07': {
      'openai-message-as-delta: The choices of a non-streaming response have delta instead of message.':
        setInCompletion({
          'choices.*': ({ message, ...rest }: { message: unknown }) => ({
            ...rest,
            delta: message,
          }),
        }),
      'openai-content-null: The content of the message is null.': setInChoices({
        'message.content': null,
      }),
    },
    'OAI-CHAT-09': {
      'openai-usage-estimated: prompt_tokens has a fractional part.': setInCompletion({
        'usage.prompt_tokens': (count: unknown) => Number(count) + 0.5,
      }),
    },
    'OAI-CHAT-10': {
      'openai-total-off-by-one: total_tokens is too high by one.': setInCompletion({
        'usage.total_tokens': (total: unknown) => Number(total) + 1,
      }),
      'openai-total-without-prompt: total_tokens excludes the prompt tokens.': setInCompletion({
        usage: (usage: { completion_tokens: number }) => ({
          ...usage,
          total_tokens: usage.completion_tokens,
        }),
      }),
    },
    'OAI-CHAT-11': {
      'openai-chat-as-text-plain: A non-streaming response has the Content-Type text/plain.':
        onSuccess(completions, (reply) => ({
          ...reply,
          headers: { 'content-type': 'text/plain' },
        })),
    },
    'OAI-CHAT-14': {
      'openai-id-fixed: All completions have the same id.': setInCompletion({ id: 'chatcmpl-1' }),
    },
    'OAI-CHAT-15': {
      'openai-role-of-the-model: The role of the answer is model.': setInChoices({
        'message.role': 'model',
      }),
    },
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
      'openai-true-is-a-number: The value true is accepted for max_tokens.': onRequestBody(
        completions,
        (body) => setAt(body, 'max_tokens', (value: unknown) => (value === true ? 1 : value)),
      ),
      'openai-message-of-any-type: A request with messages[] of the wrong type is accepted.':
        mendField(completions, 'messages.*', isObject, (content) => ({ role: 'user', content })),
      'openai-role-of-any-type: A request with messages[].role of the wrong type is accepted.':
        mendField(completions, 'messages.*.role', isText, () => 'user'),
      'openai-content-of-any-type: A request with messages[].content of the wrong type is accepted.':
        mendField(completions, 'messages.*.content', isText, String),
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
function changeStatus(status: number, code: string): Patch {
  return onError(completions, (reply) =>
    codeOf(reply.body) === code ? { ...reply, status } : reply,
  )
}

function codeOf(body: unknown): unknown {
  return toObject(toObject(body)['error'])['code']
}
