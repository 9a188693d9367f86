import type { RunClock } from '../../engine/clock.ts'
import type { Route } from '../../setup/route.ts'
import type { Channels } from '../channel.ts'
import { Connection, createReadBuffer } from './connection.ts'

/**
 * Without a word of the peer, an idle connection is given up before common servers close it (Node's
 * default is 5 s), so that a request is not sent into a connection that is being closed.
 */
const idleSeconds = 2
/** Given up so much before the peer's own limit. */
const marginSeconds = 1

type Use = (connection: Connection) => void

/**
 * The HTTP/1.1 connections of one thread; the one that was idle last is used first. Without a
 * limit nobody ever waits for one; with it, whoever finds none free waits in the order of asking.
 */
export class Connections implements Channels {
  readonly httpVersion = 'http1'
  readonly http2 = null
  opened = 0
  readonly #idle: Connection[] = []
  readonly #memory = createReadBuffer()
  readonly #route: Route
  readonly #clock: RunClock
  readonly #keepAlive: boolean
  readonly #most: number
  readonly #waiting: Use[] = []
  readonly #sweep: NodeJS.Timeout
  #open = 0

  constructor(route: Route, clock: RunClock, keepAlive: boolean, most = Number.POSITIVE_INFINITY) {
    this.#route = route
    this.#clock = clock
    this.#keepAlive = keepAlive
    this.#most = most
    this.#sweep = setInterval(() => this.#giveUpOld(), 500)
    this.#sweep.unref()
  }

  take(): Connection {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (this.#isGood(idle)) return idle
      idle.abandon()
    }
    return this.fresh()
  }

  lend(use: Use): void {
    if (this.#open < this.#most || this.#idle.some((idle) => this.#isGood(idle))) use(this.take())
    else this.#waiting.push(use)
  }

  fresh(): Connection {
    this.opened += 1
    this.#open += 1
    return new Connection(this.#route, this.#memory, this.#clock, {
      onIdle: (idle) => {
        const next = this.#keepAlive ? this.#waiting.shift() : undefined
        if (next !== undefined) next(idle)
        else if (this.#keepAlive) this.#idle.push(idle)
        else idle.abandon()
      },
      onGone: () => {
        this.#open -= 1
        if (this.#open < this.#most) this.#waiting.shift()?.(this.fresh())
      },
    })
  }

  close(): void {
    clearInterval(this.#sweep)
    for (const idle of this.#idle) idle.abandon()
    this.#idle.length = 0
  }

  #giveUpOld(): void {
    const kept = this.#idle.filter((idle) => this.#isGood(idle))
    if (kept.length === this.#idle.length) return
    for (const idle of this.#idle) if (!kept.includes(idle)) idle.abandon()
    this.#idle.splice(0, this.#idle.length, ...kept)
  }

  #isGood(idle: Connection): boolean {
    return idle.alive && !this.#isOld(idle)
  }

  #isOld({ idleSince, idleSeconds: told }: Connection): boolean {
    const limit = told === undefined ? idleSeconds : Math.max(told - marginSeconds, 0.5)
    return this.#clock.now() - idleSince > limit * 1e9
  }
}
