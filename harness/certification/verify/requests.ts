import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Exchange, Header } from '../../../contract/index.ts'
import { StoredRecording } from '../../client/index.ts'
import { exchangesName } from '../../conformance/defaults.ts'

/** Scenario of the requests that look for leftovers after a run; they decide no requirement. */
const audit = 'residue-audit'

/**
 * Compares the recorded requests of a round with those that this version sends for its seed, byte for
 * byte. `dir` holds the recording, `rejudgedDir` the same exchanges with the requests of this version.
 */
export function requestProblems(dir: string, rejudgedDir: string): string[] {
  const recorded = new StoredRecording(join(dir, exchangesName))
  const today = new StoredRecording(join(rejudgedDir, exchangesName))
  const problems: string[] = []
  for (const exchange of recorded.values()) {
    if (exchange.labels.scenario === audit) continue
    const own = today.get(exchange.id)
    const difference = own === undefined ? 'is not sent' : differenceOf(exchange, own)
    if (difference !== null) problems.push(`${nameOf(exchange)} ${difference}`)
  }
  for (const exchange of today.values()) {
    if (!recorded.has(exchange.id)) problems.push(`${nameOf(exchange)} is not recorded`)
  }
  if (recorded.lost > 0) problems.push(`${recorded.lost} lines of ${exchangesName} are unreadable`)
  const shown = 5
  return problems.length <= shown
    ? problems
    : [...problems.slice(0, shown), `${problems.length - shown} more requests differ`]
}

function differenceOf({ request }: Exchange, { request: own }: Exchange): string | null {
  if (request.method !== own.method) return `is sent with ${own.method}`
  if (request.url !== own.url) return `is sent to ${own.url}`
  if (!isDeepStrictEqual(comparable(request.headers), comparable(own.headers))) {
    return 'is sent with other headers'
  }
  return isDeepStrictEqual(bytesOf(request.body), bytesOf(own.body))
    ? null
    : 'is sent with another body'
}

/** Of a credential only its scheme is compared: keys are not stored, and wrong ones are made from them. */
function comparable(headers: readonly Header[]): Header[] {
  return headers.map(([name, value]) =>
    name === 'authorization' ? [name, value.split(' ')[0] ?? ''] : [name, value],
  )
}

function bytesOf(body: Uint8Array | null): Buffer | null {
  return body === null ? null : Buffer.from(body)
}

function nameOf({ id, labels, request }: Exchange): string {
  return `${request.method} ${new URL(request.url).pathname} (${id} of ${labels.scenario})`
}
