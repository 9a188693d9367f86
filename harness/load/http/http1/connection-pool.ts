import type { RunClock } from '../../clock.ts'
import type { ChannelPool } from '../channel.ts'
import type { Route } from '../route.ts'
import { createReadBuffer, Http1Connection } from './connection.ts'

/**
 * Idle time after which a connection is given up without a word of the peer, before common servers close
 * it (Node's default is 5 s), so that a request is not sent into a connection that is being closed.
 */
const idleSeconds = 2
/** Given up so much before the peer's own limit. */
const marginSeconds = 1

type Use = (connection: Http1Connection) => void

/**
 * The HTTP/1.1 connections of one thread; the one that was idle last is used first. Without a
 * limit no request waits for one; with it, requests that find none free wait in order.
 */
export class Http1ConnectionPool implements ChannelPool {
  readonly httpVersion = 'http1'
  readonly http2 = null
  opened = 0
  readonly #idle: Http1Connection[] = []
  readonly #memory = createReadBuffer()
  readonly #route: Route
  readonly #clock: RunClock
  readonly #keepAlive: boolean
  readonly #maxConnections: number
  readonly #waiting: Use[] = []
  readonly #sweep: NodeJS.Timeout
  #open = 0

  constructor(
    route: Route,
    clock: RunClock,
    keepAlive: boolean,
    maxConnections = Number.POSITIVE_INFINITY,
  ) {
    this.#route = route
    this.#clock = clock
    this.#keepAlive = keepAlive
    this.#maxConnections = maxConnections
    this.#sweep = setInterval(() => this.#closeOld(), 500)
    this.#sweep.unref()
  }

  acquire(): Http1Connection {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (this.#isUsable(idle)) return idle
      idle.abandon()
    }
    return this.dedicated()
  }

  whenAvailable(use: Use): void {
    if (this.#open < this.#maxConnections || this.#idle.some((idle) => this.#isUsable(idle)))
      use(this.acquire())
    else this.#waiting.push(use)
  }

  dedicated(): Http1Connection {
    this.opened += 1
    this.#open += 1
    return new Http1Connection(this.#route, this.#memory, this.#clock, {
      onIdle: (idle) => {
        const next = this.#keepAlive ? this.#waiting.shift() : undefined
        if (next !== undefined) next(idle)
        else if (this.#keepAlive) this.#idle.push(idle)
        else idle.abandon()
      },
      onClosed: () => {
        this.#open -= 1
        if (this.#open < this.#maxConnections) this.#waiting.shift()?.(this.dedicated())
      },
    })
  }

  close(): void {
    clearInterval(this.#sweep)
    for (const idle of this.#idle) idle.abandon()
    this.#idle.length = 0
  }

  #closeOld(): void {
    const kept = this.#idle.filter((idle) => this.#isUsable(idle))
    if (kept.length === this.#idle.length) return
    for (const idle of this.#idle) if (!kept.includes(idle)) idle.abandon()
    this.#idle.splice(0, this.#idle.length, ...kept)
  }

  #isUsable(idle: Http1Connection): boolean {
    return idle.alive && !this.#isOld(idle)
  }

  #isOld({ idleSince, idleSeconds: announced }: Http1Connection): boolean {
    const limit = announced === undefined ? idleSeconds : Math.max(announced - marginSeconds, 0.5)
    return this.#clock.now() - idleSince > limit * 1e9
  }
}
