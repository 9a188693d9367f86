/** Times in ms that requests get after the end of the run. */

/** Time for cleanup once the time of the run is over. */
export const overtimeCleanupMs = 2_000

/** Time for cleanup after an interrupt: somebody who has pressed Ctrl-C is waiting. */
export const interruptCleanupMs = 2_000

/** Time that an interrupt leaves a request to end, and a deletion after it. */
export const interruptRequestMs = 1_000
