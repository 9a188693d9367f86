import type { RunClock } from '../../clock.ts'
import {
  type AcquireOptions,
  addHttp2Figures,
  type Channel,
  type ChannelPool,
  ConnectionLimit,
  type Http2Figures,
  noHttp2Figures,
} from '../channel.ts'
import type { Route } from '../dial.ts'
import { Http2Connection } from './connection.ts'
import { type ConnectionSource, Http2Stream } from './stream.ts'

/** Idle time after which a connection without streams is closed, before common servers do. */
const idleSeconds = 20

/**
 * The HTTP/2 connections of one thread. A request goes to the first connection with room for it, by the
 * SETTINGS_MAX_CONCURRENT_STREAMS of the peer; if none has room, connections are opened for the waiting
 * requests, as many as the limit allows.
 */
export class Http2ConnectionPool implements ChannelPool {
  readonly httpVersion = 'http2'
  readonly #route: Route
  readonly #clock: RunClock
  readonly #keepAlive: boolean
  readonly #limit: ConnectionLimit
  /** All open connections, including those for a single stream. */
  readonly #connections = new Set<Http2Connection>()
  /** Connections that carry as many streams as the peer allows. */
  readonly #sharedConnections = new Set<Http2Connection>()
  /** Streams that wait for a connection, in order of request. */
  readonly #waiting = new Set<Http2Stream>()
  readonly #figures: Http2Figures = { ...noHttp2Figures }
  readonly #sweep: NodeJS.Timeout
  #closed = false

  constructor(
    route: Route,
    clock: RunClock,
    keepAlive: boolean,
    maxConnections = Number.POSITIVE_INFINITY,
  ) {
    this.#route = route
    this.#clock = clock
    this.#keepAlive = keepAlive
    this.#limit = new ConnectionLimit(maxConnections, () => 0)
    this.#sweep = setInterval(() => this.#closeIdle(), 1000)
    this.#sweep.unref()
  }

  get http2(): Http2Figures {
    const figures = { ...this.#figures }
    for (const connection of this.#connections) addHttp2Figures(figures, connection.figures)
    return figures
  }

  get opened(): number {
    return this.#limit.opened
  }

  acquire(
    use: (...channels: Channel[]) => void,
    { count = 1, own = false }: AcquireOptions = {},
  ): () => void {
    const all = (next: () => Channel) => use(...Array.from({ length: count }, next))
    if (!this.#keepAlive || (own && this.#limit.room > 0)) {
      return this.#limit.wait(count, () => all(() => this.#ownStream()))
    }
    all(() => new Http2Stream(this.#clock, this.#shared, this.#figures))
    return () => {}
  }

  close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#sweep)
    const closed = this.#limit.close()
    for (const connection of [...this.#connections]) connection.close()
    return closed
  }

  /** Creates a stream on a connection of its own, which the limit allows by now. */
  #ownStream(): Http2Stream {
    let own: Http2Connection | undefined
    let endWait = () => {}
    const open = (stream: Http2Stream) => {
      own = this.#open(
        () => {
          if (own !== undefined && own.capacity > 0 && own.streams === 0) stream.assign(own)
          // Its one stream has ended.
          else if (own?.streams === 1 && own.active === 0) own.close()
        },
        (error) => {
          if (own?.streams === 0) stream.reject(error ?? new Error('the connection was closed'))
        },
      )
    }
    const source: ConnectionSource = {
      request: (stream) => {
        if (own === undefined) open(stream)
        else endWait = this.#limit.wait(1, () => open(stream))
      },
      cancel: () => {
        endWait()
        if (own?.streams === 0) own.close()
      },
    }
    return new Http2Stream(this.#clock, source, this.#figures)
  }

  readonly #shared: ConnectionSource = {
    request: (stream) => {
      this.#waiting.add(stream)
      this.#assignWaiting()
      this.#openMore()
    },
    cancel: (stream) => void this.#waiting.delete(stream),
  }

  /** Assigns connections to waiting streams, as far as there is room. */
  #assignWaiting(): void {
    for (const connection of this.#sharedConnections) {
      for (const stream of this.#waiting) {
        if (connection.capacity < 1) break
        this.#waiting.delete(stream)
        stream.assign(connection)
      }
    }
  }

  #openMore(): void {
    if (this.#closed) return
    const usable = [...this.#sharedConnections].filter(({ goaway }) => goaway === undefined)
    const limit = usable.find(({ allowed }) => allowed !== null)?.allowed ?? null
    // A peer that accepts no stream accepts none over another connection either.
    if (limit === 0) return
    // The stream limit is unknown until the first connection is open.
    const needed =
      limit === null ? Math.min(1, this.#waiting.size) : Math.ceil(this.#waiting.size / limit)
    const opening = usable.filter((connection) => connection.opening).length
    const more = Math.min(needed - opening, this.#limit.room)
    for (let at = 0; at < more; at += 1) this.#openShared()
  }

  #openShared(): void {
    const connection: Http2Connection = this.#open(
      () => {
        this.#assignWaiting()
        this.#openMore()
      },
      (error) => {
        this.#sharedConnections.delete(connection)
        if (error !== undefined) this.#rejectWaiting(error)
      },
    )
    this.#sharedConnections.add(connection)
  }

  /** Rejects the waiting streams if no connection could be opened and none is being opened. */
  #rejectWaiting(error: Error): void {
    if ([...this.#sharedConnections].some(({ goaway }) => goaway === undefined)) return
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const stream of waiting) stream.reject(error)
  }

  #open(onRoom: () => void, onGone: (error: Error | undefined) => void): Http2Connection {
    this.#limit.opening()
    const made: Http2Connection = new Http2Connection(
      this.#route,
      this.#clock,
      onRoom,
      (error, reached) => {
        this.#connections.delete(made)
        addHttp2Figures(this.#figures, made.figures)
        this.#limit.closed(reached)
        onGone(error)
        // Another try may fail as fast as this one, so it waits for the next request.
        if (error === undefined) this.#openMore()
      },
    )
    this.#connections.add(made)
    return made
  }

  #closeIdle(): void {
    const oldest = this.#clock.now() - idleSeconds * 1e9
    for (const connection of this.#sharedConnections) {
      const idle = connection.active === 0 && !connection.opening
      if (idle && connection.idleSince < oldest) connection.close()
    }
  }
}
