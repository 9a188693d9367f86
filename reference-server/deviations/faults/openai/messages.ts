/** Faults of what the model is told of the messages of a completion (sections 2.2 and 4.1). */

import type { Generation, ModelRequest, Turn } from '../../../model/types.ts'
import { toList } from '../../patches/json.ts'
import { rejectRequests } from '../../patches/requests.ts'
import { completions } from '../../patches/routes.ts'
import { onModel, perServer } from '../../patches/services.ts'
import type { Fault } from '../../types.ts'

export const openaiMessageFaults: readonly Fault[] = [
  {
    name: 'openai-system-refused',
    summary: 'Messages with the role system are refused.',
    breaks: ['OAI-CHAT-12'],
    patch: rejectRequests(completions, (body) =>
      toList(body['messages']).some(({ role }) => role === 'system'),
    ),
  },
  {
    name: 'openai-hears-the-last-message',
    summary: 'The model is told the last message alone.',
    breaks: ['OAI-CHAT-13'],
    patch: onModel('compatible', (model, request) =>
      model({ ...request, turns: request.turns.slice(-1) }),
    ),
  },
  {
    name: 'openai-forgets-what-was-answered',
    summary: 'The model is told what follows the last answer alone.',
    breaks: ['OAI-CHAT-13'],
    patch: onModel('compatible', (model, request) => {
      const answered = request.turns.findLastIndex(({ role }) => role === 'assistant')
      return model({ ...request, turns: request.turns.slice(answered + 1) })
    }),
  },
  {
    name: 'openai-requests-share-a-conversation',
    summary: 'The model is told the messages of all requests before.',
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
      'The same last message gets the answer that it got before, whatever was said ahead of it.',
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
