/** Faults of the completion in one piece (sections 2.2 and 4.1). */
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
    summary: 'A body of model and messages alone is refused.',
    breaks: ['OAI-CHAT-01'],
    patch: rejectRequests(completions, (body) => body['temperature'] === undefined),
  },
  {
    name: 'openai-chat-answers-a-list',
    summary: 'The completion comes as the one element of an array.',
    breaks: ['OAI-CHAT-01'],
    patch: onSuccessBody(completions, (body) => [body]),
  },
  {
    name: 'openai-chat-answers-encoded-twice',
    summary: 'The completion comes as JSON in a JSON string.',
    breaks: ['OAI-CHAT-01'],
    patch: onSuccessBody(completions, (body) => JSON.stringify(body)),
  },
  {
    name: 'openai-chat-streams-unasked',
    summary: 'Without stream the answer is streamed.',
    breaks: ['OAI-CHAT-01'],
    patch: onRequestBody(completions, (body) => ({ ...body, stream: body['stream'] ?? true })),
  },
  {
    name: 'openai-id-missing',
    summary: 'A completion has no id.',
    breaks: ['OAI-CHAT-02'],
    patch: setInCompletion('id', undefined),
  },
  {
    name: 'openai-id-number',
    summary: 'The id is a number.',
    breaks: ['OAI-CHAT-02'],
    patch: setInCompletion('id', () => Math.random()),
  },
  {
    name: 'openai-object-of-the-chunk',
    summary: 'A completion in one piece calls itself a chunk.',
    breaks: ['OAI-CHAT-03'],
    patch: setInCompletion('object', 'chat.completion.chunk'),
  },
  {
    name: 'openai-object-missing',
    summary: 'object is missing.',
    breaks: ['OAI-CHAT-03'],
    patch: setInCompletion('object', undefined),
  },
  {
    name: 'openai-created-in-milliseconds',
    summary: 'created counts milliseconds.',
    breaks: ['OAI-CHAT-04'],
    patch: setInCompletion('created', (created: unknown) => Number(created) * 1000),
  },
  {
    name: 'openai-created-with-a-fraction',
    summary: 'created has a fraction of a second.',
    breaks: ['OAI-CHAT-04'],
    patch: setInCompletion('created', (created: unknown) => Number(created) + 0.25),
  },
  {
    name: 'openai-created-as-text',
    summary: 'created is an ISO timestamp.',
    breaks: ['OAI-CHAT-04'],
    patch: setInCompletion('created', (created: unknown) =>
      new Date(Number(created) * 1000).toISOString(),
    ),
  },
  {
    name: 'openai-model-missing',
    summary: 'model is missing.',
    breaks: ['OAI-CHAT-05'],
    patch: setInCompletion('model', undefined),
  },
  {
    name: 'openai-model-as-entry',
    summary: 'model is the entry of the catalog in place of its id.',
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
    summary: 'choices is the only choice in place of an array.',
    breaks: ['OAI-CHAT-06'],
    patch: setInCompletion('choices', (choices: unknown) => toList(choices)[0]),
  },
  {
    name: 'openai-index-missing',
    summary: 'A choice has no index.',
    breaks: ['OAI-CHAT-06'],
    patch: setInChoices('index', undefined),
  },
  {
    name: 'openai-index-as-text',
    summary: 'The index of a choice is "0".',
    breaks: ['OAI-CHAT-06'],
    patch: setInChoices('index', '0'),
  },
  {
    name: 'openai-message-as-delta',
    summary: 'In one piece, too, the text is in delta.',
    breaks: ['OAI-CHAT-07'],
    patch: setInCompletion('choices.*', ({ message, ...rest }: { message: unknown }) => ({
      ...rest,
      delta: message,
    })),
  },
  {
    name: 'openai-content-null',
    summary: 'content is null.',
    breaks: ['OAI-CHAT-07'],
    patch: setInChoices('message.content', null),
  },
  {
    name: 'openai-content-in-parts',
    summary: 'content is an array of parts.',
    breaks: ['OAI-CHAT-07'],
    patch: setInChoices('message.content', (text: unknown) => [{ type: 'text', text }]),
  },
  {
    name: 'openai-role-missing',
    summary: 'No role.',
    breaks: ['OAI-CHAT-07'],
    patch: setInChoices('message.role', undefined),
  },
  {
    name: 'openai-finish-reason-null',
    summary: 'finish_reason is null at the end, too.',
    breaks: ['OAI-CHAT-08'],
    patch: setInChoices('finish_reason', null),
  },
  {
    name: 'openai-finish-reason-missing',
    summary: 'A choice has no finish_reason.',
    breaks: ['OAI-CHAT-08'],
    patch: setInChoices('finish_reason', undefined),
  },
  {
    name: 'openai-usage-missing',
    summary: 'usage is missing.',
    breaks: ['OAI-CHAT-09'],
    patch: setInCompletion('usage', undefined),
  },
  {
    name: 'openai-usage-without-total',
    summary: 'usage has no total_tokens.',
    breaks: ['OAI-CHAT-09'],
    patch: setInCompletion('usage.total_tokens', undefined),
  },
  {
    name: 'openai-usage-estimated',
    summary: 'prompt_tokens is an estimate with a fraction.',
    breaks: ['OAI-CHAT-09'],
    patch: setInCompletion('usage.prompt_tokens', (count: unknown) => Number(count) + 0.5),
  },
  {
    name: 'openai-usage-as-text',
    summary: 'completion_tokens is a number in a string.',
    breaks: ['OAI-CHAT-09'],
    patch: setInCompletion('usage.completion_tokens', String),
  },
  {
    name: 'openai-total-off-by-one',
    summary: 'total_tokens counts one token too many.',
    breaks: ['OAI-CHAT-10'],
    patch: setInCompletion('usage.total_tokens', (total: unknown) => Number(total) + 1),
  },
  {
    name: 'openai-total-without-prompt',
    summary: 'total_tokens leaves the prompt out.',
    breaks: ['OAI-CHAT-10'],
    patch: setInCompletion('usage', (usage: { completion_tokens: number }) => ({
      ...usage,
      total_tokens: usage.completion_tokens,
    })),
  },
  {
    name: 'openai-chat-as-text-plain',
    summary: 'A completion has the media type text/plain.',
    breaks: ['OAI-CHAT-11'],
    patch: onSuccess(completions, (reply) => ({
      ...reply,
      headers: { 'content-type': 'text/plain' },
    })),
  },
  {
    name: 'openai-id-fixed',
    summary: 'All completions have one id.',
    breaks: ['OAI-CHAT-14'],
    patch: setInCompletion('id', 'chatcmpl-1'),
  },
  {
    name: 'openai-role-of-the-model',
    summary: 'The role of an answer is model.',
    breaks: ['OAI-CHAT-15'],
    patch: setInChoices('message.role', 'model'),
  },
]
