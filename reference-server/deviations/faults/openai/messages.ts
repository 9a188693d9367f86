/** Faults of the messages that are passed to the model (sections 2.2 and 4.1). */

import type { Generation, ModelRequest, Turn } from '../../../model/types.ts'
import { toList } from '../../patches/json.ts'
import { rejectRequests } from '../../patches/requests.ts'
import { completions } from '../../patches/routes.ts'
import { onModel, perServer } from '../../patches/services.ts'
import type { Fault } from '../../types.ts'

export const openaiMessageFaults: readonly Fault[] = [
  {
    name: 'openai-system-refused',
    summary: 'Messages with the role system are rejected.',
    breaks: ['OAI-CHAT-12'],
    patch: rejectRequests(completions, (body) =>
      toList(body['messages']).some(({ role }) => role === 'system'),
    ),
  },
  {
    name: 'openai-hears-the-last-message',
    summary: 'Only the last message is passed to the model.',
    breaks: ['OAI-CHAT-13'],
    patch: onModel('compatible', (model, request) =>
      model({ ...request, turns: request.turns.slice(-1) }),
    ),
  },
  {
    name: 'openai-forgets-what-was-answered',
    summary: 'Only the messages after the last assistant message are passed to the model.',
    breaks: ['OAI-CHAT-13'],
    patch: onModel('compatible', (model, request) => {
      const answered = request.turns.findLastIndex(({ role }) => role === 'assistant')
      return model({ ...request, turns: request.turns.slice(answered + 1) })
    }),
  },
  {
    name: 'openai-requests-share-a-conversation',
    summary: 'The messages of all previous requests are passed to the model.',
    breaks: ['OAI-CHAT-16'],
    patch: perServer(() => {
      const earlierTurns: Turn[] = []
      return onModel('compatible', (model, request) => {
        const turns = [...earlierTurns, ...request.turns]
        earlierTurns.push(...request.turns)
        return model({ ...request, turns })
      })
    }),
  },
  {
    name: 'openai-answers-cached-by-question',
    summary:
      'Answers are cached by the last message and the parameters, regardless of earlier messages.',
    breaks: ['OAI-CHAT-13'],
    patch: perServer(() => {
      const answers = new Map<string, Generation>()
      return onModel('compatible', (model, request) => {
        const answer = answers.get(questionOf(request)) ?? model(request)
        answers.set(questionOf(request), answer)
        return answer
      })
    }),
  },
]

function questionOf({ turns, ...settings }: ModelRequest): string {
  return JSON.stringify([turns.at(-1), settings])
}
