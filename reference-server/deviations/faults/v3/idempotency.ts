/** Faults of the Idempotency-Key and of repeated requests (section 4.3). */
import { isUuid } from '../../../../contract/json.ts'
import type { Patch } from '../../../services.ts'
import type { IdempotencyScope, Reservation } from '../../../store/types.ts'
import { type Json, toObject } from '../../patches/json.ts'
import { onRequest, onRequestBody, rejectRequests } from '../../patches/requests.ts'
import { v3Generate } from '../../patches/routes.ts'
import { compose, editReservations, onStore, perServer } from '../../patches/services.ts'
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
  'V3-IDEM-07 v3-idempotency-by-content: An identical request with a different Idempotency-Key is treated as a repeat.':
    perServer(() => {
      const prints = new Map<string, string>()
      const byContent = (scope: IdempotencyScope) => ({
        ...scope,
        key: prints.get(scope.key) ?? '',
      })
      return onStore('idempotency', (original) => ({
        reserve: (scope, print, now) => {
          // A key is bound to its first request: a repeat in the other form remains a repeat.
          if (!prints.has(scope.key)) prints.set(scope.key, print)
          return original.reserve(byContent(scope), print, now)
        },
        finish: (scope, run) => original.finish(byContent(scope), run),
        release: (scope) => original.release(byContent(scope)),
      }))
    }),
  'V3-IDEM-03 v3-idempotency-answers-after-a-stream: A non-streaming repeat of a streaming request creates a second step.':
    separateForms('stream'),
  'V3-IDEM-03 v3-idempotency-forgets-streams: The Idempotency-Key of a stream is forgotten when the stream completes.':
    forgetFinished('stream'),
  'V3-IDEM-03 v3-idempotency-stores-replayed-streams: A repeat of a streaming request returns the first response but stores its answer again.':
    storeReplays('stream'),
  'V3-IDEM-02 v3-idempotency-streams-after-an-answer: A streaming repeat of a non-streaming request creates a second step.':
    separateForms('json'),
  'V3-IDEM-02 v3-idempotency-forgets-answers: The Idempotency-Key of a non-streaming request is forgotten when the request completes.':
    forgetFinished('json'),
  'V3-IDEM-02 v3-idempotency-stores-replayed-answers: A repeat of a non-streaming request returns the first response but stores its answer again.':
    storeReplays('json'),
  'V3-IDEM-04 V3-IDEM-05 v3-idempotency-of-finished-streams-alone: The Idempotency-Key of a stream takes effect only when the stream completes.':
    ignoreRunning('stream'),
  'V3-IDEM-05 v3-idempotency-of-finished-answers-alone: The Idempotency-Key of a non-streaming request takes effect only when the request completes.':
    ignoreRunning('json'),
  'V3-IDEM-05 v3-idempotency-loses-races: Lookup and reservation of an Idempotency-Key are not atomic: concurrent requests create two steps.':
    perServer(() => {
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
  'V3-IDEM-08 v3-idempotency-repeat-crashes: The repeat of a completed request returns 500.':
    crashOn('finished'),
  'V3-IDEM-08 v3-idempotency-running-repeat-crashes: The repeat of a running request returns 500.':
    crashOn('running'),
})
function rejectKeys(when: (key: string) => boolean): Patch {
  return rejectRequests(v3Generate, (_body, { headers }) => {
    const key = headers['idempotency-key']
    return typeof key === 'string' && when(key)
  })
}

/** Treats a repeat in the other form as a request with another key. */
function separateForms(first: Form): Patch {
  return trackKeys((keys) =>
    onRequest(v3Generate, (call) => {
      const key = call.headers['idempotency-key']
      const form = formOf(toObject(call.body))
      if (key === undefined || keys.get(String(key))?.form !== first || form === first) return call
      return { ...call, headers: { ...call.headers, 'idempotency-key': `${key} ${form}` } }
    }),
  )
}

function formOf({ stream }: Json): Form {
  return stream === true ? 'stream' : 'json'
}

/** Tracks the form and the chat that each key was first used for. */
function trackKeys(
  make: (keys: ReadonlyMap<string, { form: Form; chatId: string }>) => Patch,
): Patch {
  return perServer(() => {
    const keys = new Map<string, { form: Form; chatId: string }>()
    return compose([
      onRequestBody(v3Generate, (body, { headers }) => {
        const key = String(headers['idempotency-key'])
        if (!keys.has(key)) keys.set(key, { form: formOf(body), chatId: String(body['chat_id']) })
        return body
      }),
      make(keys),
    ])
  })
}

function forgetFinished(form: Form): Patch {
  return trackKeys((keys) =>
    onStore('idempotency', (original) => ({
      finish: (scope, run) =>
        keys.get(scope.key)?.form === form ? original.release(scope) : original.finish(scope, run),
    })),
  )
}

function storeReplays(form: Form): Patch {
  return trackKeys((keys) =>
    editReservations(async (reservation, { key }, { store }) => {
      const use = keys.get(key)
      if (reservation.state !== 'finished' || use?.form !== form) return reservation
      const runs = await store.history.runs(use.chatId)
      const run = runs.find(({ id }) => id === reservation.run.id)
      if (run !== undefined) await store.history.append(use.chatId, { ...run, input: [] })
      return reservation
    }),
  )
}

/** Slow, so that the request is still running when it is repeated. */
function ignoreRunning(form: Form): Patch {
  return trackKeys((keys) =>
    compose([
      editReservations((reservation, { key }) =>
        reservation.state === 'running' && keys.get(key)?.form === form ? first : reservation,
      ),
      (services) => ({ ...services, timing: (count) => services.timing(count, { ttftMs: 300 }) }),
    ]),
  )
}

function crashOn(state: Reservation['state']): Patch {
  return editReservations((reservation) => {
    if (reservation.state === state) throw new Error('duplicate key')
    return reservation
  })
}
