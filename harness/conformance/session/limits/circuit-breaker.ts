import type { Exchange } from '../../../../contract/index.ts'

/** Number of consecutive failed conversations after which the target counts as unreachable. */
const maxConsecutiveFailures = 8

/** Spares a run the wait for a target that hangs, died or turns everybody away. */
export function createCircuitBreaker() {
  let consecutiveFailures = 0
  let reason = ''

  function recordFailure(why: string): void {
    consecutiveFailures += 1
    reason = `${maxConsecutiveFailures} requests in a row ${why}`
  }

  return {
    get isOpen(): boolean {
      return consecutiveFailures >= maxConsecutiveFailures
    },
    get reason(): string {
      return reason
    },
    recordEnding({ ending, response }: Exchange): void {
      if (ending.kind === 'timeout') recordFailure('got no answer in time')
      else if (response === null && ending.kind === 'aborted')
        recordFailure('were left without an answer')
      else if (response === null && ending.kind === 'unreachable') {
        recordFailure(`found no answer (${ending.code})`)
      }
      // A gateway that waited in vain is no sign of life, and one that found nobody is none either way.
      else if (response?.status === 504) recordFailure('were answered 504 by a gateway')
      else if (response?.status === 502) return
      // To be turned away is no answer yet: it is tried again.
      else if (response?.status !== 429 && response?.status !== 503) consecutiveFailures = 0
    },
    /** The last try was turned away as well. */
    giveUp({ response }: Exchange): void {
      recordFailure(`were answered ${response?.status} to the last try`)
    },
  }
}
