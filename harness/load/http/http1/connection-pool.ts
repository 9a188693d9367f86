import type { RunClock } from '../../clock.ts'
import { type AcquireOptions, type ChannelPool, ConnectionLimit } from '../channel.ts'
import type { Route } from '../dial.ts'
import { createReadBuffer, Http1Connection } from './connection.ts'

/**
 * Idle time after which a connection is closed if the peer announces none, before common servers close it
 * (Node's default is 5 s), so that no request is sent on a connection that is being closed.
 */
const idleSeconds = 2
/** Margin before the peer's own limit. */
const marginSeconds = 1

/**
 * A peer that closed this number of connections this soon after an answer, without `Connection: close`, gets
 * one request per connection: the next request would race with its close.
 */
const earlyCloses = 2
const earlySeconds = 0.05

/** The HTTP/1.1 connections of one thread; the most recently idle one is used first. */
export class Http1ConnectionPool implements ChannelPool {
  readonly httpVersion = 'http1'
  readonly http2 = null
  readonly #idle: Http1Connection[] = []
  readonly #all = new Set<Http1Connection>()
  readonly #memory = createReadBuffer()
  readonly #route: Route
  readonly #clock: RunClock
  #keepAlive: boolean
  #earlyCloses = 0
  readonly #limit: ConnectionLimit
  readonly #sweep: NodeJS.Timeout

  constructor(
    route: Route,
    clock: RunClock,
    keepAlive: boolean,
    maxConnections = Number.POSITIVE_INFINITY,
  ) {
    this.#route = route
    this.#clock = clock
    this.#keepAlive = keepAlive
    this.#limit = new ConnectionLimit(maxConnections, () => this.#countUsable())
    this.#sweep = setInterval(() => this.#countUsable(), 500)
    this.#sweep.unref()
  }

  get opened(): number {
    return this.#limit.opened
  }

  acquire(
    use: (...channels: Http1Connection[]) => void,
    { count = 1, own = false }: AcquireOptions = {},
  ): () => void {
    const next = () => (own && this.#limit.room > 0 ? this.#open() : this.#take())
    return this.#limit.wait(count, () => use(...Array.from({ length: count }, next)))
  }

  close(): Promise<void> {
    clearInterval(this.#sweep)
    const closed = this.#limit.close()
    for (const connection of this.#all) connection.abandon()
    this.#idle.length = 0
    return closed
  }

  #take(): Http1Connection {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (this.#isUsable(idle)) return idle
      idle.abandon()
    }
    return this.#open()
  }

  #open(): Http1Connection {
    this.#limit.opening()
    const opened = new Http1Connection(this.#route, this.#memory, this.#clock, {
      onIdle: (idle) => {
        if (!this.#keepAlive) {
          idle.abandon()
          return
        }
        this.#idle.push(idle)
        this.#limit.serve()
      },
      onClosed: (connection, reached) => {
        this.#all.delete(connection)
        this.#countEarlyClose(connection)
        this.#limit.closed(reached)
      },
    })
    this.#all.add(opened)
    return opened
  }

  #countEarlyClose({ idleSince, isClosedByPeer }: Http1Connection): void {
    if (!isClosedByPeer || idleSince === 0) return
    if (this.#clock.now() - idleSince > earlySeconds * 1e9) return
    this.#earlyCloses += 1
    if (this.#earlyCloses >= earlyCloses) this.#keepAlive = false
  }

  /** Closes dead and expired idle connections, and counts the others. */
  #countUsable(): number {
    const kept = this.#idle.filter((idle) => this.#isUsable(idle))
    if (kept.length < this.#idle.length) {
      for (const idle of this.#idle) if (!kept.includes(idle)) idle.abandon()
      this.#idle.splice(0, this.#idle.length, ...kept)
    }
    return kept.length
  }

  #isUsable({ alive, idleSince, idleSeconds: announced }: Http1Connection): boolean {
    const limit = announced === undefined ? idleSeconds : Math.max(announced - marginSeconds, 0.5)
    return alive && this.#clock.now() - idleSince <= limit * 1e9
  }
}
