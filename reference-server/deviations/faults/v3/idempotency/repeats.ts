/** Faults of a repeat that asks for the other form: the step is the same (section 4.3). */
import type { Patch } from '../../../../services.ts'
import { toObject } from '../../../patches/json.ts'
import { onRequest } from '../../../patches/requests.ts'
import { v3Generate } from '../../../patches/routes.ts'
import { perServer } from '../../../patches/services.ts'
import type { Fault } from '../../../types.ts'

export const repeatInOtherFormFaults: readonly Fault[] = [
  {
    name: 'v3-idempotency-streams-after-an-answer',
    summary: 'A stream with the key of an answer in one piece makes a step of its own.',
    breaks: ['V3-IDEM-02'],
    patch: countsForms('json'),
  },
  {
    name: 'v3-idempotency-answers-after-a-stream',
    summary: 'An answer in one piece with the key of a stream makes a step of its own.',
    breaks: ['V3-IDEM-03'],
    patch: countsForms('stream'),
  },
]

/** Where a key was used first in this form, it is another key in the other one. */
function countsForms(first: 'json' | 'stream'): Patch {
  return perServer(() => {
    const known = new Map<unknown, 'json' | 'stream'>()
    return onRequest(v3Generate, (call) => {
      const key = call.headers['idempotency-key']
      const form = toObject(call.body)['stream'] === true ? 'stream' : 'json'
      const use = known.get(key) ?? form
      known.set(key, use)
      if (typeof key !== 'string' || use === form || use !== first) return call
      return { ...call, headers: { ...call.headers, 'idempotency-key': `${key} ${form}` } }
    })
  })
}
