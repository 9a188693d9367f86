/** The Idempotency-Key header (section 4.3) and the payload that it stands for. */
import { hash } from 'node:crypto'
import type { ResponseRun } from '../../events/run.ts'
import { ApiError } from '../../http/errors.ts'
import type { IdempotencyScope, IdempotencyStore } from '../../store/types.ts'

const header = 'idempotency-key'

/**
 * Bare or quoted, 1 to 255 printable characters.
 *
 * @throws ApiError 400 for a header that is missing or unfit
 */
export function idempotencyKey(headers: Readonly<Record<string, unknown>>): string {
  const given = headers[header]
  if (typeof given !== 'string' || given.trim() === '') {
    throw refused('The header Idempotency-Key is required', 'idempotency_key_missing')
  }
  const key = given.trim().replace(/^"(.*)"$/, '$1')
  if (!/^[\x20-\x7e\x80-\xff]{1,255}$/.test(key)) {
    throw refused(
      'Idempotency-Key must have 1 to 255 printable characters',
      'idempotency_key_invalid',
    )
  }
  return key
}

/**
 * Takes the key, or gives back the run that it stands for.
 *
 * @returns undefined if the key is now ours
 * @throws ApiError 409 while the first request runs; 422 for another payload
 */
export async function earlierRun(
  idempotency: IdempotencyStore,
  scope: IdempotencyScope,
  payload: unknown,
  now: number,
): Promise<ResponseRun | undefined> {
  const reservation = await idempotency.reserve(scope, fingerprint(payload), now)
  switch (reservation.state) {
    case 'first':
      return undefined
    case 'finished':
      return reservation.run
    case 'running':
      throw new ApiError(409, 'The request with this Idempotency-Key is still running', {
        code: 'idempotency_key_in_use',
        headers: { 'retry-after': '1' },
      })
    case 'mismatch':
      throw new ApiError(422, 'This Idempotency-Key was used with another payload', {
        code: 'idempotency_key_reused',
      })
  }
}

function refused(message: string, code: string): ApiError {
  return new ApiError(400, message, { code, param: 'Idempotency-Key' })
}

/** Hash of the JSON value, not of its bytes: the order of members does not matter. */
function fingerprint(payload: unknown): string {
  return hash('sha256', canonical(payload), 'base64url')
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
}
