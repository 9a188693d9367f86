/** Faults of repeated requests: finished, still running, or in the other form (section 4.3). */

import type { Patch } from '../../../../services.ts'
import type { Reservation } from '../../../../store/types.ts'
import { isText, type Json, toObject } from '../../../patches/json.ts'
import { onRequest, onRequestBody } from '../../../patches/requests.ts'
import { v3Generate } from '../../../patches/routes.ts'
import { compose, onStore, perServer } from '../../../patches/services.ts'
import type { Fault } from '../../../types.ts'

const first: Reservation = { state: 'first' }

export const idempotencyRepeatFaults: readonly Fault[] = [
  {
    name: 'v3-idempotency-streams-after-an-answer',
    summary: 'A stream with the key of an answer in one piece makes a step of its own.',
    breaks: ['V3-IDEM-02'],
    patch: separateForms('json'),
  },
  {
    name: 'v3-idempotency-answers-after-a-stream',
    summary: 'An answer in one piece with the key of a stream makes a step of its own.',
    breaks: ['V3-IDEM-03'],
    patch: separateForms('stream'),
  },
  {
    name: 'v3-idempotency-forgets-answers',
    only: { form: ['JSON'] },
    summary: 'The key of an answer in one piece is forgotten when it is finished.',
    breaks: ['V3-IDEM-02'],
    patch: forgetFinished('json'),
  },
  {
    name: 'v3-idempotency-forgets-streams',
    only: { form: ['stream'] },
    summary: 'The key of a stream is forgotten when it is finished.',
    breaks: ['V3-IDEM-03'],
    patch: forgetFinished('stream'),
  },
  {
    name: 'v3-idempotency-stores-replayed-answers',
    summary: 'A repeat is answered as before, and its answer stored once more.',
    breaks: ['V3-IDEM-02'],
    patch: storeReplays('json'),
  },
  {
    name: 'v3-idempotency-stores-replayed-streams',
    only: { form: ['stream'] },
    summary: 'A repeat is streamed as before, and its answer stored once more.',
    breaks: ['V3-IDEM-03'],
    patch: storeReplays('stream'),
  },
  {
    name: 'v3-idempotency-of-finished-streams-alone',
    summary: 'The key of a stream counts once it is finished.',
    breaks: ['V3-IDEM-04'],
    patch: ignoreRunning('stream'),
  },
  {
    name: 'v3-idempotency-of-finished-answers-alone',
    summary: 'The key of an answer in one piece counts once it is finished.',
    breaks: ['V3-IDEM-05'],
    patch: ignoreRunning('json'),
  },
  {
    name: 'v3-idempotency-loses-races',
    summary: 'Between looking for a key and taking it, another request may take it, too.',
    breaks: ['V3-IDEM-05'],
    patch: perServer(() => {
      const taken = new Set<string>()
      return onStore('idempotency', (original, { clock }) => ({
        reserve: async (scope, fingerprint, now) => {
          const free = !taken.has(scope.key)
          await clock.sleep(10)
          taken.add(scope.key)
          const reservation = await original.reserve(scope, fingerprint, now)
          return free && reservation.state === 'running' ? first : reservation
        },
      }))
    }),
  },
  {
    name: 'v3-idempotency-latest-key-alone',
    only: { occurrence: ['again'] },
    summary: 'Of the keys of a chat, the latest is remembered.',
    breaks: ['V3-IDEM-02'],
    patch: perServer(() => {
      const latest = new Map<unknown, string>()
      const used = new Set<string>()
      return onRequest(v3Generate, (call) => {
        const { chat_id: chatId } = toObject(call.body)
        const key = call.headers['idempotency-key']
        if (typeof key !== 'string') return call
        const isForgotten = used.has(key) && latest.get(chatId) !== key
        used.add(key)
        latest.set(chatId, key)
        if (!isForgotten) return call
        return { ...call, headers: { ...call.headers, 'idempotency-key': `${key} again` } }
      })
    }),
  },
  repeatOf('thinking', 'with think', ({ think }) => think === true),
  repeatOf('items', 'with an array of items', ({ input }) => Array.isArray(input)),
  repeatOf('runs-with-a-parent', 'with parent_id', ({ parent_id: id }) => isText(id)),
  {
    name: 'v3-idempotency-repeat-crashes',
    summary: 'The repeat of a finished request is answered with 500.',
    breaks: ['V3-IDEM-08'],
    patch: crashOn('finished'),
  },
  {
    name: 'v3-idempotency-running-repeat-crashes',
    summary: 'The repeat of a running request is answered with 500.',
    breaks: ['V3-IDEM-08'],
    patch: crashOn('running'),
  },
]

/** The repeat of such a request makes a step of its own. */
function repeatOf(name: string, what: string, applies: (body: Json) => boolean): Fault {
  return {
    name: `v3-idempotency-forgets-${name}`,
    summary: `The repeat of a request ${what} makes a step of its own.`,
    breaks: ['V3-IDEM-02'],
    patch: perServer(() => {
      const known = new Set<string>()
      return onRequest(v3Generate, (call) => {
        const key = call.headers['idempotency-key']
        if (typeof key !== 'string') return call
        if (!known.has(key)) {
          known.add(key)
          return call
        }
        if (!applies(toObject(call.body))) return call
        return { ...call, headers: { ...call.headers, 'idempotency-key': `${key} again` } }
      })
    }),
  }
}

/** Treats a repeat in the other form as a request with another key. */
function separateForms(first: 'json' | 'stream'): Patch {
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

type Form = 'json' | 'stream'

/** Tracks the form and the chat that each key was first used for. */
function trackKeys(
  make: (known: ReadonlyMap<string, { form: Form; chatId: string }>) => Patch,
): Patch {
  return perServer(() => {
    const known = new Map<string, { form: Form; chatId: string }>()
    return compose([
      onRequestBody(v3Generate, (body, { headers }) => {
        const key = String(headers['idempotency-key'])
        const form = body['stream'] === true ? 'stream' : 'json'
        if (!known.has(key)) known.set(key, { form, chatId: String(body['chat_id']) })
        return body
      }),
      make(known),
    ])
  })
}

function forgetFinished(form: Form): Patch {
  return trackKeys((known) =>
    onStore('idempotency', (original) => ({
      finish: (scope, run) =>
        known.get(scope.key)?.form === form ? original.release(scope) : original.finish(scope, run),
    })),
  )
}

function storeReplays(form: Form): Patch {
  return trackKeys((known) =>
    onStore('idempotency', (original, { store }) => ({
      reserve: async (scope, fingerprint, now) => {
        const reservation = await original.reserve(scope, fingerprint, now)
        const use = known.get(scope.key)
        if (reservation.state === 'finished' && use?.form === form) {
          const runs = await store.history.runs(use.chatId)
          const run = runs.find(({ id }) => id === reservation.run.id)
          if (run !== undefined) await store.history.append(use.chatId, { ...run, input: [] })
        }
        return reservation
      },
    })),
  )
}

/** Slow, so that the request is still running when it is repeated. */
function ignoreRunning(form: Form): Patch {
  return trackKeys((known) =>
    compose([
      onStore('idempotency', (original) => ({
        reserve: async (scope, fingerprint, now) => {
          const reservation = await original.reserve(scope, fingerprint, now)
          const overlooked = reservation.state === 'running' && known.get(scope.key)?.form === form
          return overlooked ? first : reservation
        },
      })),
      (services) => ({ ...services, timing: (count) => services.timing(count, { ttftMs: 300 }) }),
    ]),
  )
}

function crashOn(state: Reservation['state']): Patch {
  return onStore('idempotency', (original) => ({
    reserve: async (scope, fingerprint, now) => {
      const reservation = await original.reserve(scope, fingerprint, now)
      if (reservation.state === state) throw new Error('duplicate key')
      return reservation
    },
  }))
}
