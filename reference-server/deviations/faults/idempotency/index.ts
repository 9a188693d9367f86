/** Faults of the Idempotency-Key (section 4.3). */

import type { Patch } from '../../../parts.ts'
import type { Reservation, IdempotencyScope } from '../../../store/types.ts'
import { v3Generate, onIdempotency, onRequestBody, rejectRequests, perServer } from '../../seams.ts'
import { compose } from '../../together.ts'
import type { Fault } from '../../types.ts'
import { fault } from '../fault.ts'
import { generateMissingKey } from '../generate/refusals.ts'

type Form = 'json' | 'stream'

export const idempotencyFaults: readonly Fault[] = [
  fault(
    'v3-idempotency-key-optional',
    'V3-IDEM-01',
    'A generation without Idempotency-Key is taken.',
    generateMissingKey(),
  ),
  fault(
    'v3-idempotency-key-optional-for-streams',
    'V3-IDEM-01',
    'A streamed generation without Idempotency-Key is taken.',
    generateMissingKey(({ stream }) => stream === true),
  ),
  fault(
    'v3-idempotency-forgets-answers',
    'V3-IDEM-02',
    'The key of an answer in one piece is forgotten when it is finished.',
    forgets('json'),
  ),
  fault(
    'v3-idempotency-forgets-streams',
    'V3-IDEM-03',
    'The key of a stream is forgotten when it is finished.',
    forgets('stream'),
  ),
  fault(
    'v3-idempotency-stores-replayed-answers',
    'V3-IDEM-02',
    'A repeat is answered as before, and its answer stored once more.',
    storesReplays('json'),
  ),
  fault(
    'v3-idempotency-stores-replayed-streams',
    'V3-IDEM-03',
    'A repeat is streamed as before, and its answer stored once more.',
    storesReplays('stream'),
  ),
  fault(
    'v3-idempotency-of-finished-streams-alone',
    'V3-IDEM-04',
    'The key of a stream counts once it is finished.',
    overlooksRunning('stream'),
  ),
  fault(
    'v3-idempotency-of-finished-answers-alone',
    'V3-IDEM-05',
    'The key of an answer in one piece counts once it is finished.',
    overlooksRunning('json'),
  ),
  fault(
    'v3-idempotency-loses-races',
    'V3-IDEM-05',
    'Between looking for a key and taking it, another request may take it, too.',
    perServer(() => {
      const taken = new Set<string>()
      return onIdempotency((usual, { clock }) => ({
        reserve: async (scope, fingerprint, now) => {
          const free = !taken.has(scope.key)
          await clock.sleep(10)
          taken.add(scope.key)
          const claim = await usual.reserve(scope, fingerprint, now)
          return free && claim.state === 'running' ? first : claim
        },
      }))
    }),
  ),
  fault(
    'v3-idempotency-uuids-alone',
    'V3-IDEM-06',
    'A key must be a UUID.',
    refusesKeys((key) => !/^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i.test(key)),
  ),
  fault(
    'v3-idempotency-short-keys-refused',
    'V3-IDEM-06',
    'A key of less than 16 characters is refused.',
    refusesKeys((key) => key.length < 16),
  ),
  fault(
    'v3-idempotency-long-keys-refused',
    'V3-IDEM-06',
    'A key of more than 36 characters is refused.',
    refusesKeys((key) => key.length > 36),
  ),
  fault(
    'v3-idempotency-words-alone',
    'V3-IDEM-06',
    'A key of other characters than letters, digits and dashes is refused.',
    refusesKeys((key) => !/^[\w-]+$/.test(key)),
  ),
  fault(
    'v3-idempotency-by-content',
    'V3-IDEM-07',
    'The same request is taken for a repeat, whatever its key.',
    perServer(() => {
      const prints = new Map<string, string>()
      const byContent = (scope: IdempotencyScope) => ({ ...scope, key: prints.get(scope.key) ?? '' })
      return onIdempotency((usual) => ({
        reserve: (scope, print, now) => {
          // A key stands for what it was first used with: its repeat in the other form is still one.
          if (!prints.has(scope.key)) prints.set(scope.key, print)
          return usual.reserve(byContent(scope), print, now)
        },
        finish: (scope, run) => usual.finish(byContent(scope), run),
        release: (scope) => usual.release(byContent(scope)),
      }))
    }),
  ),
  fault(
    'v3-idempotency-by-beginning',
    'V3-IDEM-07',
    'Of a key, the first 64 characters count.',
    shortens((key) => key.slice(0, 64)),
  ),
  fault(
    'v3-idempotency-in-any-case',
    'V3-IDEM-07',
    'Keys that differ in capitals alone are one.',
    shortens((key) => key.toLowerCase()),
  ),
  fault(
    'v3-idempotency-repeat-crashes',
    'V3-IDEM-08',
    'The repeat of a finished request is answered with 500.',
    crashesOn('finished'),
  ),
  fault(
    'v3-idempotency-running-repeat-crashes',
    'V3-IDEM-08',
    'The repeat of a running request is answered with 500.',
    crashesOn('running'),
  ),
]

const first: Reservation = { state: 'first' }

/** Keys are taken for what is left of them. */
function shortens(short: (key: string) => string): Patch {
  const of = (scope: IdempotencyScope): IdempotencyScope => ({ ...scope, key: short(scope.key) })
  return onIdempotency((usual) => ({
    reserve: (scope, print, now) => usual.reserve(of(scope), print, now),
    finish: (scope, run) => usual.finish(of(scope), run),
    release: (scope) => usual.release(of(scope)),
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
    onIdempotency((usual) => ({
      finish: (scope, run) =>
        known.get(scope.key)?.form === form ? usual.release(scope) : usual.finish(scope, run),
    })),
  )
}

function storesReplays(form: Form): Patch {
  return knowingKeys((known) =>
    onIdempotency((usual, { store }) => ({
      reserve: async (scope, fingerprint, now) => {
        const claim = await usual.reserve(scope, fingerprint, now)
        const use = known.get(scope.key)
        if (claim.state === 'finished' && use?.form === form) {
          const runs = await store.history.runs(use.chatId)
          const run = runs.find(({ id }) => id === claim.run.id)
          if (run !== undefined) await store.history.append(use.chatId, { ...run, input: [] })
        }
        return claim
      },
    })),
  )
}

/** Slow, so that the request is still running when it is repeated. */
function overlooksRunning(form: Form): Patch {
  return knowingKeys((known) =>
    compose([
      onIdempotency((usual) => ({
        reserve: async (scope, fingerprint, now) => {
          const claim = await usual.reserve(scope, fingerprint, now)
          const overlooked = claim.state === 'running' && known.get(scope.key)?.form === form
          return overlooked ? first : claim
        },
      })),
      (parts) => ({ ...parts, timing: (count) => parts.timing(count, { ttftMs: 300 }) }),
    ]),
  )
}

function crashesOn(state: Reservation['state']): Patch {
  return onIdempotency((usual) => ({
    reserve: async (scope, fingerprint, now) => {
      const claim = await usual.reserve(scope, fingerprint, now)
      if (claim.state === state) throw new Error('duplicate key')
      return claim
    },
  }))
}
