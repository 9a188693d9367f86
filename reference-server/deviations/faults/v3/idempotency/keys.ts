/** Faults of the Idempotency-Key (section 4.3). */

import type { Patch } from '../../../../services.ts'
import type { IdempotencyScope, Reservation } from '../../../../store/types.ts'
import { onRequestBody, rejectRequests } from '../../../patches/requests.ts'
import { v3Generate } from '../../../patches/routes.ts'
import { compose, onStore, perServer } from '../../../patches/services.ts'
import type { Fault } from '../../../types.ts'
import { generateMissingKey } from '../generate/refusals.ts'

type Form = 'json' | 'stream'

export const idempotencyFaults: readonly Fault[] = [
  {
    name: 'v3-idempotency-key-optional',
    summary: 'A generation without Idempotency-Key is taken.',
    breaks: ['V3-IDEM-01'],
    patch: generateMissingKey(),
  },
  {
    name: 'v3-idempotency-key-optional-for-streams',
    summary: 'A streamed generation without Idempotency-Key is taken.',
    breaks: ['V3-IDEM-01'],
    patch: generateMissingKey(({ stream }) => stream === true),
  },
  {
    name: 'v3-idempotency-forgets-answers',
    summary: 'The key of an answer in one piece is forgotten when it is finished.',
    breaks: ['V3-IDEM-02'],
    patch: forgets('json'),
  },
  {
    name: 'v3-idempotency-forgets-streams',
    summary: 'The key of a stream is forgotten when it is finished.',
    breaks: ['V3-IDEM-03'],
    patch: forgets('stream'),
  },
  {
    name: 'v3-idempotency-stores-replayed-answers',
    summary: 'A repeat is answered as before, and its answer stored once more.',
    breaks: ['V3-IDEM-02'],
    patch: storesReplays('json'),
  },
  {
    name: 'v3-idempotency-stores-replayed-streams',
    summary: 'A repeat is streamed as before, and its answer stored once more.',
    breaks: ['V3-IDEM-03'],
    patch: storesReplays('stream'),
  },
  {
    name: 'v3-idempotency-of-finished-streams-alone',
    summary: 'The key of a stream counts once it is finished.',
    breaks: ['V3-IDEM-04'],
    patch: overlooksRunning('stream'),
  },
  {
    name: 'v3-idempotency-of-finished-answers-alone',
    summary: 'The key of an answer in one piece counts once it is finished.',
    breaks: ['V3-IDEM-05'],
    patch: overlooksRunning('json'),
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
    name: 'v3-idempotency-uuids-alone',
    summary: 'A key must be a UUID.',
    breaks: ['V3-IDEM-06'],
    patch: refusesKeys(
      (key) => !/^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i.test(key),
    ),
  },
  {
    name: 'v3-idempotency-short-keys-refused',
    summary: 'A key of less than 16 characters is refused.',
    breaks: ['V3-IDEM-06'],
    patch: refusesKeys((key) => key.length < 16),
  },
  {
    name: 'v3-idempotency-long-keys-refused',
    summary: 'A key of more than 36 characters is refused.',
    breaks: ['V3-IDEM-06'],
    patch: refusesKeys((key) => key.length > 36),
  },
  {
    name: 'v3-idempotency-words-alone',
    summary: 'A key of other characters than letters, digits and dashes is refused.',
    breaks: ['V3-IDEM-06'],
    patch: refusesKeys((key) => !/^[\w-]+$/.test(key)),
  },
  {
    name: 'v3-idempotency-by-content',
    summary: 'The same request is taken for a repeat, whatever its key.',
    breaks: ['V3-IDEM-07'],
    patch: perServer(() => {
      const prints = new Map<string, string>()
      const byContent = (scope: IdempotencyScope) => ({
        ...scope,
        key: prints.get(scope.key) ?? '',
      })
      return onStore('idempotency', (original) => ({
        reserve: (scope, print, now) => {
          // A key stands for what it was first used with: its repeat in the other form is still one.
          if (!prints.has(scope.key)) prints.set(scope.key, print)
          return original.reserve(byContent(scope), print, now)
        },
        finish: (scope, run) => original.finish(byContent(scope), run),
        release: (scope) => original.release(byContent(scope)),
      }))
    }),
  },
  {
    name: 'v3-idempotency-by-beginning',
    summary: 'Of a key, the first 64 characters count.',
    breaks: ['V3-IDEM-07'],
    patch: shortens((key) => key.slice(0, 64)),
  },
  {
    name: 'v3-idempotency-in-any-case',
    summary: 'Keys that differ in capitals alone are one.',
    breaks: ['V3-IDEM-07'],
    patch: shortens((key) => key.toLowerCase()),
  },
  {
    name: 'v3-idempotency-repeat-crashes',
    summary: 'The repeat of a finished request is answered with 500.',
    breaks: ['V3-IDEM-08'],
    patch: crashesOn('finished'),
  },
  {
    name: 'v3-idempotency-running-repeat-crashes',
    summary: 'The repeat of a running request is answered with 500.',
    breaks: ['V3-IDEM-08'],
    patch: crashesOn('running'),
  },
]

const first: Reservation = { state: 'first' }

/** Keys are taken for what is left of them. */
function shortens(short: (key: string) => string): Patch {
  const of = (scope: IdempotencyScope): IdempotencyScope => ({ ...scope, key: short(scope.key) })
  return onStore('idempotency', (original) => ({
    reserve: (scope, print, now) => original.reserve(of(scope), print, now),
    finish: (scope, run) => original.finish(of(scope), run),
    release: (scope) => original.release(of(scope)),
  }))
}

function refusesKeys(when: (key: string) => boolean): Patch {
  return rejectRequests(v3Generate, (_body, { headers }) => {
    const key = headers['idempotency-key']
    return typeof key === 'string' && when(key)
  })
}

/** What is known of each key: the form and the chat that it was used for first. */
function knowingKeys(
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

function forgets(form: Form): Patch {
  return knowingKeys((known) =>
    onStore('idempotency', (original) => ({
      finish: (scope, run) =>
        known.get(scope.key)?.form === form ? original.release(scope) : original.finish(scope, run),
    })),
  )
}

function storesReplays(form: Form): Patch {
  return knowingKeys((known) =>
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
function overlooksRunning(form: Form): Patch {
  return knowingKeys((known) =>
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

function crashesOn(state: Reservation['state']): Patch {
  return onStore('idempotency', (original) => ({
    reserve: async (scope, fingerprint, now) => {
      const reservation = await original.reserve(scope, fingerprint, now)
      if (reservation.state === state) throw new Error('duplicate key')
      return reservation
    },
  }))
}
