import { setMaxListeners } from 'node:events'

/** Requests in a row without an answer in time, after which no further one is sent. */
const maxTimeouts = 3

export interface GuardLimits {
  /** Longest wait for an answer, in milliseconds. */
  readonly timeoutMs: number
  /** Longest preparation, in milliseconds; without it as long as there are answers. */
  readonly runMs?: number
}

/** Ends a preparation that leads nowhere: by the answers that do not come, and by the time in all. */
export class PreparationGuard {
  /** Why it was given up, as a sentence; undefined as long as it was not. */
  failure: string | undefined
  /** Aborted when it is given up. */
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
      () => this.#giveUp(`making the chats took longer than ${runMs} ms (limits.runMs)`),
      Math.min(runMs, maxTimerMs),
    )
  }

  /** @param request by its method and path. */
  recordAnswer(request: string, timedOut: boolean): void {
    this.#timeouts = timedOut ? this.#timeouts + 1 : 0
    if (this.#timeouts < maxTimeouts) return
    const { timeoutMs } = this.#limits
    this.#giveUp(
      `${request} had no answer within ${timeoutMs} ms (limits.timeoutMs), ${maxTimeouts} times in a row`,
    )
  }

  /** It is over, whether or not it was given up. */
  close(): void {
    clearTimeout(this.#timer)
  }

  #giveUp(why: string): void {
    this.failure ??= `${why}, while the chats of the run were made. No load was sent.`
    this.#end.abort()
  }
}

/** Node fires a timer with a longer delay at once. */
const maxTimerMs = 2 ** 31 - 1
