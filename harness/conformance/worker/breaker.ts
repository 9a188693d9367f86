import type { Exchange } from '../../contract/index.ts'

/** So many conversations in a row that led to nothing, and the target is taken for gone. */
const tolerated = 8

/** Spares a run the wait for a target that hangs or died. */
export function createBreaker() {
  let inARow = 0
  let reason = ''
  return {
    get open(): boolean {
      return inARow >= tolerated
    },
    get reason(): string {
      return reason
    },
    note(exchange: Exchange): void {
      const { ending, response } = exchange
      const lost = response === null && (ending.kind === 'timeout' || ending.kind === 'unreachable')
      inARow = lost ? inARow + 1 : 0
      if (lost) {
        reason =
          ending.kind === 'timeout'
            ? `${tolerated} requests in a row got no answer in time`
            : `${tolerated} requests in a row found no answer (${ending.code})`
      }
    },
  }
}
