import type { Exchange } from '../../../contract/index.ts'

/** So many conversations in a row that led to nothing, and the target is taken for gone. */
const tolerated = 8

/** Spares a run the wait for a target that hangs, died or turns everybody away. */
export function createBreaker() {
  let inARow = 0
  let reason = ''

  function lose(why: string): void {
    inARow += 1
    reason = `${tolerated} requests in a row ${why}`
  }

  return {
    get open(): boolean {
      return inARow >= tolerated
    },
    get reason(): string {
      return reason
    },
    note({ ending, response }: Exchange): void {
      if (ending.kind === 'timeout') lose('got no answer in time')
      else if (response === null && ending.kind === 'aborted') lose('were left without an answer')
      else if (response === null && ending.kind === 'unreachable') {
        lose(`found no answer (${ending.code})`)
      }
      // A gateway that waited in vain is no sign of life, and one that found nobody is none either way.
      else if (response?.status === 504) lose('were answered 504 by a gateway')
      else if (response?.status === 502) return
      // To be turned away is no answer yet: it is tried again.
      else if (response?.status !== 429 && response?.status !== 503) inARow = 0
    },
    /** The last try was turned away as well. */
    giveUp({ response }: Exchange): void {
      lose(`were answered ${response?.status} to the last try`)
    },
  }
}
