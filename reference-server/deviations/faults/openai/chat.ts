/** Faults of the completion in one piece (sections 2.2 and 4.1). */
import type { Generation, ModelRequest, Turn } from '../../../model/types.ts'
import type { Patch } from '../../../parts.ts'
import {
  completions,
  toList,
  onSuccessBody,
  onModel,
  onRequestBody,
  onSuccess,
  rejectRequests,
  perServer,
  setField,
} from '../../seams.ts'
import type { Fault } from '../../types.ts'
import { fault } from '../fault.ts'

const says = (path: string, to: unknown): Patch => setField(completions, path, to)
const choice = (path: string, to: unknown): Patch => says(`choices.*.${path}`, to)

export const openaiChatFaults: readonly Fault[] = [
  fault(
    'openai-chat-wants-temperature',
    'OAI-CHAT-01',
    'A body of model and messages alone is refused.',
    rejectRequests(completions, (body) => body['temperature'] === undefined),
  ),
  fault(
    'openai-chat-answers-a-list',
    'OAI-CHAT-01',
    'The completion comes as the one element of an array.',
    onSuccessBody(completions, (body) => [body]),
  ),
  fault(
    'openai-chat-answers-encoded-twice',
    'OAI-CHAT-01',
    'The completion comes as JSON in a JSON string.',
    onSuccessBody(completions, (body) => JSON.stringify(body)),
  ),
  fault(
    'openai-chat-streams-unasked',
    'OAI-CHAT-01',
    'Without stream the answer is streamed.',
    onRequestBody(completions, (body) => ({ ...body, stream: body['stream'] ?? true })),
  ),
  fault('openai-id-missing', 'OAI-CHAT-02', 'A completion has no id.', says('id', undefined)),
  fault(
    'openai-id-number',
    'OAI-CHAT-02',
    'The id is a number.',
    says('id', () => Math.random()),
  ),
  fault(
    'openai-object-of-the-chunk',
    'OAI-CHAT-03',
    'A completion in one piece calls itself a chunk.',
    says('object', 'chat.completion.chunk'),
  ),
  fault('openai-object-missing', 'OAI-CHAT-03', 'object is missing.', says('object', undefined)),
  fault(
    'openai-created-in-milliseconds',
    'OAI-CHAT-04',
    'created counts milliseconds.',
    says('created', (created: unknown) => Number(created) * 1000),
  ),
  fault(
    'openai-created-with-a-fraction',
    'OAI-CHAT-04',
    'created has a fraction of a second.',
    says('created', (created: unknown) => Number(created) + 0.25),
  ),
  fault(
    'openai-created-as-text',
    'OAI-CHAT-04',
    'created is an ISO timestamp.',
    says('created', (created: unknown) => new Date(Number(created) * 1000).toISOString()),
  ),
  fault('openai-model-missing', 'OAI-CHAT-05', 'model is missing.', says('model', undefined)),
  fault(
    'openai-model-as-entry',
    'OAI-CHAT-05',
    'model is the entry of the catalog in place of its id.',
    says('model', (id: unknown) => ({ id })),
  ),
  fault('openai-choices-empty', 'OAI-CHAT-06', 'choices is empty.', says('choices', [])),
  fault(
    'openai-choices-single',
    'OAI-CHAT-06',
    'choices is the only choice in place of an array.',
    says('choices', (choices: unknown) => toList(choices)[0]),
  ),
  fault(
    'openai-index-missing',
    'OAI-CHAT-06',
    'A choice has no index.',
    choice('index', undefined),
  ),
  fault(
    'openai-index-as-text',
    'OAI-CHAT-06',
    'The index of a choice is "0".',
    choice('index', '0'),
  ),
  fault(
    'openai-message-as-delta',
    'OAI-CHAT-07',
    'In one piece, too, the text is in delta.',
    says('choices.*', ({ message, ...rest }: { message: unknown }) => ({
      ...rest,
      delta: message,
    })),
  ),
  fault('openai-content-null', 'OAI-CHAT-07', 'content is null.', choice('message.content', null)),
  fault(
    'openai-content-in-parts',
    'OAI-CHAT-07',
    'content is an array of parts.',
    choice('message.content', (text: unknown) => [{ type: 'text', text }]),
  ),
  fault('openai-role-missing', 'OAI-CHAT-07', 'No role.', choice('message.role', undefined)),
  fault(
    'openai-finish-reason-null',
    'OAI-CHAT-08',
    'finish_reason is null at the end, too.',
    choice('finish_reason', null),
  ),
  fault(
    'openai-finish-reason-missing',
    'OAI-CHAT-08',
    'A choice has no finish_reason.',
    choice('finish_reason', undefined),
  ),
  fault('openai-usage-missing', 'OAI-CHAT-09', 'usage is missing.', says('usage', undefined)),
  fault(
    'openai-usage-without-total',
    'OAI-CHAT-09',
    'usage has no total_tokens.',
    says('usage.total_tokens', undefined),
  ),
  fault(
    'openai-usage-estimated',
    'OAI-CHAT-09',
    'prompt_tokens is an estimate with a fraction.',
    says('usage.prompt_tokens', (count: unknown) => Number(count) + 0.5),
  ),
  fault(
    'openai-usage-as-text',
    'OAI-CHAT-09',
    'completion_tokens is a number in a string.',
    says('usage.completion_tokens', String),
  ),
  fault(
    'openai-total-off-by-one',
    'OAI-CHAT-10',
    'total_tokens counts one token too many.',
    says('usage.total_tokens', (total: unknown) => Number(total) + 1),
  ),
  fault(
    'openai-total-without-prompt',
    'OAI-CHAT-10',
    'total_tokens leaves the prompt out.',
    says('usage', (usage: { completion_tokens: number }) => ({
      ...usage,
      total_tokens: usage.completion_tokens,
    })),
  ),
  fault(
    'openai-chat-as-text-plain',
    'OAI-CHAT-11',
    'A completion has the media type text/plain.',
    onSuccess(completions, (reply) => ({ ...reply, headers: { 'content-type': 'text/plain' } })),
  ),
  fault(
    'openai-system-refused',
    'OAI-CHAT-12',
    'Messages with the role system are refused.',
    rejectRequests(completions, (body) =>
      toList(body['messages']).some(({ role }) => role === 'system'),
    ),
  ),
  fault(
    'openai-hears-the-last-message',
    'OAI-CHAT-13',
    'The model is told the last message alone.',
    onModel('compatible', (model, request) =>
      model({ ...request, turns: request.turns.slice(-1) }),
    ),
  ),
  fault(
    'openai-forgets-what-was-answered',
    'OAI-CHAT-13',
    'The model is told what follows the last answer alone.',
    onModel('compatible', (model, request) => {
      const answered = request.turns.findLastIndex(({ role }) => role === 'assistant')
      return model({ ...request, turns: request.turns.slice(answered + 1) })
    }),
  ),
  fault('openai-id-fixed', 'OAI-CHAT-14', 'All completions have one id.', says('id', 'chatcmpl-1')),
  fault(
    'openai-role-of-the-model',
    'OAI-CHAT-15',
    'The role of an answer is model.',
    choice('message.role', 'model'),
  ),
  fault(
    'openai-requests-share-a-conversation',
    'OAI-CHAT-16',
    'The model is told the messages of all requests before.',
    perServer(() => {
      const heard: Turn[] = []
      return onModel('compatible', (model, request) => {
        const turns = [...heard, ...request.turns]
        heard.push(...request.turns)
        return model({ ...request, turns })
      })
    }),
  ),
  fault(
    'openai-answers-cached-by-question',
    'OAI-CHAT-13',
    'The same last message gets the answer that it got before, whatever was said ahead of it.',
    perServer(() => {
      const answers = new Map<string, Generation>()
      return onModel('compatible', (model, request) => {
        const answer = answers.get(questionOf(request)) ?? model(request)
        answers.set(questionOf(request), answer)
        return answer
      })
    }),
  ),
]

function questionOf({ turns, ...settings }: ModelRequest): string {
  return JSON.stringify([turns.at(-1), settings])
}
