/** Faults of non-streaming completions (sections 2.2 and 4.1). */
import type { Patch } from '../../../services.ts'
import { toList } from '../../patches/json.ts'
import { onSuccess, onSuccessBody, setField } from '../../patches/replies.ts'
import { onRequestBody, rejectRequests } from '../../patches/requests.ts'
import { completions } from '../../patches/routes.ts'
import type { Fault } from '../../types.ts'

const setInCompletion = (path: string, to: unknown): Patch => setField(completions, path, to)
const setInChoices = (path: string, to: unknown): Patch => setInCompletion(`choices.*.${path}`, to)

export const openaiChatFaults: readonly Fault[] = [
  {
    name: 'openai-chat-wants-temperature',
    summary: 'A request with only model and messages is rejected.',
    breaks: ['OAI-CHAT-01'],
    patch: rejectRequests(completions, (body) => body['temperature'] === undefined),
  },
  {
    name: 'openai-chat-answers-a-list',
    summary: 'The completion is returned as the single element of an array.',
    breaks: ['OAI-CHAT-01'],
    patch: onSuccessBody(completions, (body) => [body]),
  },
  {
    name: 'openai-chat-answers-encoded-twice',
    summary: 'The completion is returned as JSON inside a JSON string.',
    breaks: ['OAI-CHAT-01'],
    patch: onSuccessBody(completions, (body) => JSON.stringify(body)),
  },
  {
    name: 'openai-chat-streams-unasked',
    summary: 'A request without stream returns a stream.',
    breaks: ['OAI-CHAT-01'],
    patch: onRequestBody(completions, (body) => ({ ...body, stream: body['stream'] ?? true })),
  },
  {
    name: 'openai-id-missing',
    summary: 'The completion omits id.',
    breaks: ['OAI-CHAT-02'],
    patch: setInCompletion('id', undefined),
  },
  {
    name: 'openai-id-number',
    summary: 'The id of the completion is a number.',
    breaks: ['OAI-CHAT-02'],
    patch: setInCompletion('id', () => Math.random()),
  },
  {
    name: 'openai-object-of-the-chunk',
    summary: 'The object of a non-streaming response is chat.completion.chunk.',
    breaks: ['OAI-CHAT-03'],
    patch: setInCompletion('object', 'chat.completion.chunk'),
  },
  {
    name: 'openai-object-missing',
    summary: 'The completion omits object.',
    breaks: ['OAI-CHAT-03'],
    patch: setInCompletion('object', undefined),
  },
  {
    name: 'openai-created-in-milliseconds',
    summary: 'created is in milliseconds.',
    breaks: ['OAI-CHAT-04'],
    patch: setInCompletion('created', (created: unknown) => Number(created) * 1000),
  },
  {
    name: 'openai-created-with-a-fraction',
    summary: 'created has a fractional part.',
    breaks: ['OAI-CHAT-04'],
    patch: setInCompletion('created', (created: unknown) => Number(created) + 0.25),
  },
  {
    name: 'openai-created-as-text',
    summary: 'created is an ISO 8601 string.',
    breaks: ['OAI-CHAT-04'],
    patch: setInCompletion('created', (created: unknown) =>
      new Date(Number(created) * 1000).toISOString(),
    ),
  },
  {
    name: 'openai-model-missing',
    summary: 'The completion omits model.',
    breaks: ['OAI-CHAT-05'],
    patch: setInCompletion('model', undefined),
  },
  {
    name: 'openai-model-as-entry',
    summary: 'model is a catalog entry instead of its id.',
    breaks: ['OAI-CHAT-05'],
    patch: setInCompletion('model', (id: unknown) => ({ id })),
  },
  {
    name: 'openai-choices-empty',
    summary: 'choices is empty.',
    breaks: ['OAI-CHAT-06'],
    patch: setInCompletion('choices', []),
  },
  {
    name: 'openai-choices-single',
    summary: 'choices is a single choice object instead of an array.',
    breaks: ['OAI-CHAT-06'],
    patch: setInCompletion('choices', (choices: unknown) => toList(choices)[0]),
  },
  {
    name: 'openai-index-missing',
    summary: 'Choices omit index.',
    breaks: ['OAI-CHAT-06'],
    patch: setInChoices('index', undefined),
  },
  {
    name: 'openai-index-as-text',
    summary: 'The index of a choice is the string "0".',
    breaks: ['OAI-CHAT-06'],
    patch: setInChoices('index', '0'),
  },
  {
    name: 'openai-only-choice-second',
    summary: 'The only choice of an unstreamed answer has the index 1.',
    breaks: ['OAI-N-01'],
    patch: setInChoices('index', 1),
  },
  {
    name: 'openai-message-as-delta',
    summary: 'The choices of a non-streaming response have delta instead of message.',
    breaks: ['OAI-CHAT-07'],
    patch: setInCompletion('choices.*', ({ message, ...rest }: { message: unknown }) => ({
      ...rest,
      delta: message,
    })),
  },
  {
    name: 'openai-content-null',
    summary: 'The content of the message is null.',
    breaks: ['OAI-CHAT-07'],
    patch: setInChoices('message.content', null),
  },
  {
    name: 'openai-content-in-parts',
    summary: 'The content of the message is an array of parts.',
    breaks: ['OAI-CHAT-07'],
    patch: setInChoices('message.content', (text: unknown) => [{ type: 'text', text }]),
  },
  {
    name: 'openai-role-missing',
    summary: 'The message omits role.',
    breaks: ['OAI-CHAT-07'],
    patch: setInChoices('message.role', undefined),
  },
  {
    name: 'openai-finish-reason-null',
    summary: 'The finish_reason of a non-streaming response is null.',
    breaks: ['OAI-CHAT-08'],
    patch: setInChoices('finish_reason', null),
  },
  {
    name: 'openai-finish-reason-missing',
    summary: 'Choices omit finish_reason.',
    breaks: ['OAI-CHAT-08'],
    patch: setInChoices('finish_reason', undefined),
  },
  {
    name: 'openai-usage-missing',
    summary: 'The completion omits usage.',
    breaks: ['OAI-CHAT-09'],
    patch: setInCompletion('usage', undefined),
  },
  {
    name: 'openai-usage-without-total',
    summary: 'usage omits total_tokens.',
    breaks: ['OAI-CHAT-09'],
    patch: setInCompletion('usage.total_tokens', undefined),
  },
  {
    name: 'openai-usage-estimated',
    summary: 'prompt_tokens has a fractional part.',
    breaks: ['OAI-CHAT-09'],
    patch: setInCompletion('usage.prompt_tokens', (count: unknown) => Number(count) + 0.5),
  },
  {
    name: 'openai-usage-as-text',
    summary: 'completion_tokens is a string.',
    breaks: ['OAI-CHAT-09'],
    patch: setInCompletion('usage.completion_tokens', String),
  },
  {
    name: 'openai-total-off-by-one',
    summary: 'total_tokens is too high by one.',
    breaks: ['OAI-CHAT-10'],
    patch: setInCompletion('usage.total_tokens', (total: unknown) => Number(total) + 1),
  },
  {
    name: 'openai-total-without-prompt',
    summary: 'total_tokens excludes the prompt tokens.',
    breaks: ['OAI-CHAT-10'],
    patch: setInCompletion('usage', (usage: { completion_tokens: number }) => ({
      ...usage,
      total_tokens: usage.completion_tokens,
    })),
  },
  {
    name: 'openai-chat-as-text-plain',
    summary: 'A non-streaming response has the Content-Type text/plain.',
    breaks: ['OAI-CHAT-11'],
    patch: onSuccess(completions, (reply) => ({
      ...reply,
      headers: { 'content-type': 'text/plain' },
    })),
  },
  {
    name: 'openai-id-fixed',
    summary: 'All completions have the same id.',
    breaks: ['OAI-CHAT-14'],
    patch: setInCompletion('id', 'chatcmpl-1'),
  },
  {
    name: 'openai-role-of-the-model',
    summary: 'The role of the answer is model.',
    breaks: ['OAI-CHAT-15'],
    patch: setInChoices('message.role', 'model'),
  },
]
