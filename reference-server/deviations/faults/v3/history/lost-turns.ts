/** Faults of histories that lose turns, after another request or for what they hold (section 4.3). */
import type { Patch } from '../../../../services.ts'
import type { StoredRun } from '../../../../store/types.ts'
import { toObject } from '../../../patches/json.ts'
import { onSuccessBody } from '../../../patches/replies.ts'
import { onRequest } from '../../../patches/requests.ts'
import { v3Generate, v3History } from '../../../patches/routes.ts'
import { compose, onStore, perServer } from '../../../patches/services.ts'
import { faultTable } from '../../../table.ts'

export const lostTurnFaults = faultTable({
  'V3-HIST-07': {
    'v3-history-of-renamed-chats-ends: Runs of a chat are not stored once it was renamed.':
      perServer(() => {
        const renamed = new Set<string>()
        return compose([noteNames(renamed), dropRuns((chatId) => renamed.has(chatId))])
      }),
    'v3-history-turn-lost-after-a-refusal: The run that follows a request without Idempotency-Key is not stored.':
      perServer(() => {
        const refused = new Set<unknown>()
        return compose([
          onRequest(v3Generate, (call) => {
            if (call.headers['idempotency-key'] === undefined)
              refused.add(toObject(call.body)['chat_id'])
            return call
          }),
          dropRuns((chatId) => refused.delete(chatId)),
        ])
      }),
    'v3-history-ends-with-a-refusal: A generation with both tool lists removes the runs of its chat from the history.':
      perServer(() => {
        const cleared = new Set<string>()
        return compose([
          onRequest(v3Generate, (call) => {
            const { chat_id: chatId, include_tools, exclude_tools } = toObject(call.body)
            if (include_tools && exclude_tools) cleared.add(String(chatId))
            return call
          }),
          onSuccessBody(v3History, (body, { query }) =>
            cleared.has(String(toObject(query)['chat_id'])) ? { ...body, result: [] } : body,
          ),
        ])
      }),
    'v3-history-of-favorites-ends: Runs of a favorite chat are not stored.': perServer(() => {
      const marked = new Set<string>()
      return compose([
        onStore('chats', ({ update }) => ({
          update: (owner, id, change) => {
            if (change.favorite === true) marked.add(id)
            return update(owner, id, change)
          },
        })),
        dropRuns((chatId) => marked.has(chatId)),
      ])
    }),
    'v3-history-without-turns-of-images: Inputs with an image are not stored.': onStore(
      'history',
      (original) => ({
        append: (chatId, run, turn) => {
          const hasImage = JSON.stringify(run.input).includes('input_image')
          return original.append(chatId, hasImage ? { ...run, input: [] } : run, turn)
        },
      }),
    ),
  },
  'V3-HIST-06': {
    'v3-history-incomplete-answers-lost: Answers that reach max_tokens are not stored.': onStore(
      'history',
      (original) => ({
        append: (chatId, run, turn) => {
          const isCut = turn?.run.finish === 'length'
          return original.append(chatId, isCut ? { ...run, output: [] } : run, turn)
        },
      }),
    ),
  },
})

/** Notes the chats that are renamed. */
export function noteNames(renamed: Set<string>): Patch {
  return onStore('chats', ({ update }) => ({
    update: (owner, id, change) => {
      if (change.name !== undefined) renamed.add(id)
      return update(owner, id, change)
    },
  }))
}

function dropRuns(when: (chatId: string) => boolean): Patch {
  return onStore('history', (original) => ({
    append: (chatId, run, turn) => {
      const kept: StoredRun = when(chatId) ? { ...run, input: [], output: [] } : run
      return original.append(chatId, kept, turn)
    },
  }))
}
