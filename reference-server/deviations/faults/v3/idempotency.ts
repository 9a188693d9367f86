/** Faults of the Idempotency-Key and of repeated requests (section 4.3). */
import { isUuid } from '../../../../contract/json.ts'
import type { Patch } from '../../../services.ts'
import type { Reservation } from '../../../store/types.ts'
import { toObject } from '../../patches/json.ts'
import { chatIdOf, onRequest, rejectRequests } from '../../patches/requests.ts'
import {
  editReservations,
  mapping,
  onStore,
  remembering,
  renameKeys,
} from '../../patches/services.ts'
import { faultTable } from '../../table.ts'

type Form = 'json' | 'stream'
const first: Reservation = { state: 'first' }

export const idempotencyFaults = faultTable({
  'V3-IDEM-06 v3-idempotency-uuids-alone: An Idempotency-Key that is not a UUID is rejected.':
    rejectKeys((key) => !isUuid(key)),
  'V3-IDEM-06 v3-idempotency-long-keys-refused: An Idempotency-Key longer than 36 characters is rejected.':
    rejectKeys((key) => key.length > 36),
  'V3-IDEM-06 v3-idempotency-words-alone: An Idempotency-Key may contain only letters, digits, underscores and hyphens.':
    rejectKeys((key) => !/^[\w-]+$/.test(key)),
  'V3-IDEM-07 v3-idempotency-up-to-a-comma: An Idempotency-Key ends at its first comma or semicolon.':
    renameKeys(({ key }) => key.split(/[,;]/)[0] ?? ''),
  'V3-IDEM-04 v3-idempotency-forgets-left-streams: The Idempotency-Key of a stream whose client has left is forgotten.':
    forgetLeft(),
  'V3-IDEM-07 v3-idempotency-by-content: An identical request with a different Idempotency-Key is treated as a repeat.':
    mapping<string>((prints) => [
      renameKeys(({ key }) => prints.get(key) ?? ''),
      // A key is bound to its first request: a repeat in the other form remains a repeat.
      onStore('idempotency', ({ reserve }) => ({
        reserve: (scope, print, now) => {
          if (!prints.has(scope.key)) prints.set(scope.key, print)
          return reserve(scope, print, now)
        },
      })),
    ]),
  'V3-IDEM-03 v3-idempotency-forgets-streams: The Idempotency-Key of a stream is forgotten when the stream completes.':
    forgetFinished('stream'),
  'V3-IDEM-03 v3-idempotency-stores-replayed-streams: A repeat of a streaming request returns the first response but stores its answer again.':
    storeReplays('stream'),
  'V3-IDEM-02 v3-idempotency-forgets-answers: The Idempotency-Key of a non-streaming request is forgotten when the request completes.':
    forgetFinished('json'),
  'V3-IDEM-02 v3-idempotency-stores-replayed-answers: A repeat of a non-streaming request returns the first response but stores its answer again.':
    storeReplays('json'),
  'V3-IDEM-04 V3-IDEM-05 v3-idempotency-of-finished-streams-alone: The Idempotency-Key of a stream takes effect only when the stream completes.':
    ignoreRunning('stream'),
  'V3-IDEM-05 v3-idempotency-of-finished-answers-alone: The Idempotency-Key of a non-streaming request takes effect only when the request completes.':
    ignoreRunning('json'),
  'V3-IDEM-05 v3-idempotency-loses-races: Lookup and reservation of an Idempotency-Key are not atomic: concurrent requests create two steps.':
    remembering((taken) =>
      onStore('idempotency', (original, { clock }) => ({
        reserve: async (scope, fingerprint, now) => {
          const free = !taken.has(scope.key)
          await clock.sleep(10)
          taken.add(scope.key)
          const reservation = await original.reserve(scope, fingerprint, now)
          return free && reservation.state === 'running' ? first : reservation
        },
      })),
    ),
  'V3-IDEM-08 v3-idempotency-repeat-crashes: The repeat of a completed request returns 500.':
    crashOn('finished'),
  'V3-IDEM-08 v3-idempotency-running-repeat-crashes: The repeat of a running request returns 500.':
    crashOn('running'),
})

function rejectKeys(when: (key: string) => boolean): Patch {
  return rejectRequests('v3.generate', (_body, { headers }) => {
    const key = headers['idempotency-key']
    return typeof key === 'string' && when(key)
  })
}

function formOf(body: unknown): Form {
  return toObject(body)['stream'] === true ? 'stream' : 'json'
}

/** Patches for keys that were first used for a request of a form; `chats` has the chat of each. */
function ofForm(form: Form, make: (chats: ReadonlyMap<unknown, string>) => Patch): Patch {
  return remembering((keys) =>
    mapping<string>((chats) => [
      onRequest('v3.generate', (call) => {
        const key = String(call.headers['idempotency-key'])
        if (!keys.has(key) && formOf(call.body) === form) chats.set(key, chatIdOf(call))
        keys.add(key)
        return call
      }),
      make(chats),
    ]),
  )
}

function forgetFinished(form: Form): Patch {
  return ofForm(form, (chats) =>
    onStore('idempotency', ({ finish, release }) => ({
      finish: (scope, run) => (chats.has(scope.key) ? release(scope) : finish(scope, run)),
    })),
  )
}

/** Slow, so that the client leaves before the answer is complete. */
function forgetLeft(): Patch {
  return mapping<AbortSignal>((signals) => [
    (services) => ({ ...services, timing: (count) => services.timing(count, { gapMs: 10 }) }),
    onRequest('v3.generate', (call) => {
      const key = call.headers['idempotency-key']
      if (!signals.has(key)) signals.set(key, call.signal)
      return call
    }),
    onStore('idempotency', ({ finish, release }) => ({
      finish: (scope, run) =>
        signals.get(scope.key)?.aborted ? release(scope) : finish(scope, run),
    })),
  ])
}

function storeReplays(form: Form): Patch {
  return ofForm(form, (chats) =>
    editReservations(async (reservation, { key }, { store }) => {
      const chat = chats.get(key)
      if (reservation.state !== 'finished' || chat === undefined) return reservation
      const run = (await store.history.runs(chat)).find(({ id }) => id === reservation.run.id)
      if (run !== undefined) await store.history.append(chat, { ...run, input: [] })
      return reservation
    }),
  )
}

/** Slow, so that the request is still running when it is repeated. */
function ignoreRunning(form: Form): Patch {
  return ofForm(form, (chats) => (services) => ({
    ...editReservations((reservation, { key }) =>
      reservation.state === 'running' && chats.has(key) ? first : reservation,
    )(services),
    timing: (count) => services.timing(count, { ttftMs: 300 }),
  }))
}

function crashOn(state: Reservation['state']): Patch {
  return editReservations((reservation) => {
    if (reservation.state === state) throw new Error('duplicate key')
    return reservation
  })
}
