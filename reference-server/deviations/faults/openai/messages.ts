/** Faults of the messages that are passed to the model (sections 2.2 and 4.1). */

import type { Generation, ModelRequest, Turn } from '../../../model/types.ts'
import { toList } from '../../patches/json.ts'
import { rejectRequests } from '../../patches/requests.ts'
import { completions } from '../../patches/routes.ts'
import { onModel, perServer } from '../../patches/services.ts'
import { faultTable } from '../../table.ts'

export const openaiMessageFaults = faultTable({
  'OAI-CHAT-12': {
    'openai-system-refused: Messages with the role system are rejected.': rejectRequests(
      completions,
      (body) => toList(body['messages']).some(({ role }) => role === 'system'),
    ),
  },
  'OAI-CHAT-13': {
    'openai-hears-the-last-message: Only the last message is passed to the model.': onModel(
      'compatible',
      (model, request) => model({ ...request, turns: request.turns.slice(-1) }),
    ),
    'openai-forgets-what-was-answered: Only the messages after the last assistant message are passed to the model.':
      onModel('compatible', (model, request) => {
        const answered = request.turns.findLastIndex(({ role }) => role === 'assistant')
        return model({ ...request, turns: request.turns.slice(answered + 1) })
      }),
    'openai-answers-cached-by-question: Answers are cached by the last message and the parameters, regardless of earlier messages.':
      perServer(() => {
        const answers = new Map<string, Generation>()
        return onModel('compatible', (model, request) => {
          const answer = answers.get(questionOf(request)) ?? model(request)
          answers.set(questionOf(request), answer)
          return answer
        })
      }),
  },
  'OAI-CHAT-16': {
    'openai-requests-share-a-conversation: The messages of all previous requests are passed to the model.':
      perServer(() => {
        const earlierTurns: Turn[] = []
        return onModel('compatible', (model, request) => {
          const turns = [...earlierTurns, ...request.turns]
          earlierTurns.push(...request.turns)
          return model({ ...request, turns })
        })
      }),
  },
})

function questionOf({ turns, ...settings }: ModelRequest): string {
  return JSON.stringify([turns.at(-1), settings])
}
