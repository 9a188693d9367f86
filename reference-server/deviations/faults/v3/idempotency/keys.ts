/** Faults of the Idempotency-Key itself: required, of any form, compared as a whole (section 4.3). */

import { isUuid } from '../../../../../contract/json.ts'
import type { Patch } from '../../../../services.ts'
import type { IdempotencyScope } from '../../../../store/types.ts'
import { toObject } from '../../../patches/json.ts'
import { onRequest, rejectRequests } from '../../../patches/requests.ts'
import { v3Generate } from '../../../patches/routes.ts'
import { compose, onStore, perServer } from '../../../patches/services.ts'
import { faultTable } from '../../../table.ts'
import { noteNames } from '../history/kept.ts'

export const idempotencyKeyFaults = faultTable({
  'V3-IDEM-06': {
    'v3-idempotency-uuids-alone: An Idempotency-Key that is not a UUID is rejected.': rejectKeys(
      (key) => !isUuid(key),
    ),
    'v3-idempotency-short-keys-refused: An Idempotency-Key shorter than 16 characters is rejected.':
      rejectKeys((key) => key.length < 16),
    'v3-idempotency-long-keys-refused: An Idempotency-Key longer than 36 characters is rejected.':
      rejectKeys((key) => key.length > 36),
    'v3-idempotency-words-alone: An Idempotency-Key may contain only letters, digits, underscores and hyphens.':
      rejectKeys((key) => !/^[\w-]+$/.test(key)),
  },
  'V3-IDEM-07': {
    'v3-idempotency-by-content: An identical request with a different Idempotency-Key is treated as a repeat.':
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
    'v3-idempotency-in-any-case: Idempotency-Keys are compared case-insensitively.': shortenKeys(
      (key) => key.toLowerCase(),
    ),
  },
  'V3-IDEM-03': {
    'v3-idempotency-forgets-renamed-chats: The Idempotency-Keys of a chat are forgotten when it is renamed.':
      perServer(() => {
        const renamed = new Set<string>()
        return compose([
          noteNames(renamed),
          onRequest(v3Generate, (call) =>
            renamed.has(String(toObject(call.body)['chat_id'])) &&
            call.headers['idempotency-key'] !== undefined
              ? { ...call, headers: { ...call.headers, 'idempotency-key': call.id } }
              : call,
          ),
        ])
      }),
  },
})

/** Compares keys in a shortened form. */
function shortenKeys(short: (key: string) => string): Patch {
  const of = (scope: IdempotencyScope): IdempotencyScope => ({ ...scope, key: short(scope.key) })
  return onStore('idempotency', (original) => ({
    reserve: (scope, print, now) => original.reserve(of(scope), print, now),
    finish: (scope, run) => original.finish(of(scope), run),
    release: (scope) => original.release(of(scope)),
  }))
}

function rejectKeys(when: (key: string) => boolean): Patch {
  return rejectRequests(v3Generate, (_body, { headers }) => {
    const key = headers['idempotency-key']
    return typeof key === 'string' && when(key)
  })
}
