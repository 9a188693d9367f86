/** Faults of a second turn in a chat, which needs no parent_id (section 4.3). */
import { ApiError } from '../../../../http/errors.ts'
import type { Patch } from '../../../../services.ts'
import { isPresent, type Json, toObject } from '../../../patches/json.ts'
import { onRequest } from '../../../patches/requests.ts'
import { v3Generate } from '../../../patches/routes.ts'
import { compose, onStore, perServer } from '../../../patches/services.ts'
import type { Fault } from '../../../types.ts'

export const secondTurnFaults: readonly Fault[] = [
  {
    name: 'v3-second-turn-wants-a-parent',
    summary: 'In a chat that has a run, a generation without parent_id is refused.',
    breaks: ['V3-GEN-11'],
    patch: refusesSecondTurns(({ parent_id: parent }) => !isPresent(parent)),
  },
]

/** A key that was used before is of a repeat, and no second turn. */
function refusesSecondTurns(when: (body: Json) => boolean): Patch {
  return perServer(() => {
    const answered = new Set<unknown>()
    const keys = new Set<unknown>()
    return compose([
      onStore('history', (original) => ({
        append: async (chatId, run) => {
          answered.add(chatId)
          await original.append(chatId, run)
        },
      })),
      onRequest(v3Generate, (call) => {
        const body = toObject(call.body)
        const key = call.headers['idempotency-key']
        if (answered.has(body['chat_id']) && when(body) && !keys.has(key)) {
          throw new ApiError(400, 'parent_id is required')
        }
        keys.add(key)
        return call
      }),
    ])
  })
}
