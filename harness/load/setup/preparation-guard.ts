import { setMaxListeners } from 'node:events'
import { maxTimerMs } from '../../../contract/timer.ts'

/** Consecutive timeouts after which the preparation is given up. */
const maxTimeouts = 3

export interface GuardLimits {
  /** Timeout of one request, in milliseconds. */
  readonly timeoutMs: number
  /** Timeout of the whole preparation, in milliseconds; unlimited by default. */
  readonly runMs?: number
}

/** Gives up a preparation after consecutive timeouts, or when it takes too long. */
export class PreparationGuard {
  /** Reason why it was given up, as a sentence. */
  failure: string | undefined
  /** Aborted when the preparation is given up. */
  readonly signal: AbortSignal
  readonly #limits: GuardLimits
  readonly #end = new AbortController()
  readonly #timer: NodeJS.Timeout | undefined
  #timeouts = 0

  constructor(limits: GuardLimits) {
    this.#limits = limits
    this.signal = this.#end.signal
    setMaxListeners(0, this.signal)
    const { runMs } = limits
    if (runMs === undefined) return
    this.#timer = setTimeout(
      () => this.#giveUp(`creating the chats took longer than ${runMs} ms (limits.runMs)`),
      Math.min(runMs, maxTimerMs),
    )
  }

  /** @param request method and path */
  recordAnswer(request: string, timedOut: boolean): void {
    this.#timeouts = timedOut ? this.#timeouts + 1 : 0
    if (this.#timeouts < maxTimeouts) return
    const { timeoutMs } = this.#limits
    this.#giveUp(
      `${request} had no answer within ${timeoutMs} ms (limits.timeoutMs), ${maxTimeouts} times in a row`,
    )
  }

  /** Stops the timer after the preparation. */
  close(): void {
    clearTimeout(this.#timer)
  }

  #giveUp(why: string): void {
    this.failure ??= `${why}, while the chats of the run were created. No load was sent.`
    this.#end.abort()
  }
}
