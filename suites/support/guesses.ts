import { type Exchange, statusOf } from '../../harness/conformance/scenario/index.ts'

/**
 * Whether a request was refused for what is in it. Where the document does not show all of that and
 * the profile is silent, the refusal is one of our guess: it accuses nobody.
 */
export function refusesGuess(exchange: Exchange): boolean {
  const status = statusOf(exchange)
  return /^4\d\d$/.test(status) && !otherReasons.includes(status)
}

/** No key, no route, no such method, too slow, too often. */
const otherReasons = ['401', '403', '404', '405', '408', '429']
