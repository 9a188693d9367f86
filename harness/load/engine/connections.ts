import type { RunClock } from './clock.ts'
import { Connection, createReadBuffer, type Origin } from './connection.ts'

/**
 * Without a word of the peer, an idle connection is given up before common servers close it (Node's
 * default is 5 s), so that a request is not sent into a connection that is being closed.
 */
const idleSeconds = 2
/** Given up so much before the peer's own limit. */
const marginSeconds = 1

/** The connections of one thread to one origin; the one that was idle last is used first. */
export class Connections {
  /** How many were opened. */
  opened = 0
  readonly #idle: Connection[] = []
  readonly #memory = createReadBuffer()
  readonly #origin: Origin
  readonly #clock: RunClock
  readonly #keepAlive: boolean
  readonly #sweep: NodeJS.Timeout

  constructor(origin: Origin, clock: RunClock, keepAlive: boolean) {
    this.#origin = origin
    this.#clock = clock
    this.#keepAlive = keepAlive
    this.#sweep = setInterval(() => this.#giveUpOld(), 500)
    this.#sweep.unref()
  }

  take(): Connection {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (idle.alive && !this.#isOld(idle)) return idle
      idle.abandon()
    }
    return this.fresh()
  }

  fresh(): Connection {
    this.opened += 1
    return new Connection(this.#origin, this.#memory, this.#clock, (idle) => {
      if (this.#keepAlive) this.#idle.push(idle)
      else idle.abandon()
    })
  }

  close(): void {
    clearInterval(this.#sweep)
    for (const idle of this.#idle) idle.abandon()
    this.#idle.length = 0
  }

  #giveUpOld(): void {
    const kept = this.#idle.filter((idle) => idle.alive && !this.#isOld(idle))
    if (kept.length === this.#idle.length) return
    for (const idle of this.#idle) if (!kept.includes(idle)) idle.abandon()
    this.#idle.splice(0, this.#idle.length, ...kept)
  }

  #isOld({ idleSince, idleSeconds: told }: Connection): boolean {
    const limit = told === undefined ? idleSeconds : Math.max(told - marginSeconds, 0.5)
    return this.#clock.now() - idleSince > limit * 1e9
  }
}
