import { z } from 'zod'

/** Longest delay of a timer, in milliseconds: Node.js fires a timer with a longer one after 1 ms. */
export const maxTimerMs = 2 ** 31 - 1

export const timerLimitText = `must be at most ${maxTimerMs} ms (24.8 days), the longest delay of a timer`

/** Milliseconds of a wait; 0 and negative values are accepted. */
export const timerMs = z.number().max(maxTimerMs, timerLimitText)
