/** Faults of non-streaming completions (sections 2.2 and 4.1). */
import type { Patch } from '../../../services.ts'
import { type Fields, setAll } from '../../patches/json.ts'
import { onSuccess, onSuccessBody, setFields } from '../../patches/replies.ts'
import { completions } from '../../patches/routes.ts'
import { faultTable } from '../../table.ts'

const setInCompletion = (fields: Fields): Patch => setFields(completions, fields)
const setInChoices = (fields: Fields): Patch =>
  setInCompletion({ 'choices.*': (choice: unknown) => setAll(choice, fields) })

export const openaiChatFaults = faultTable({
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
})
