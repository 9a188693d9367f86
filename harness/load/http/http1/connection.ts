import type { Socket } from 'node:net'
import type { WireRequest } from '../../../../contract/index.ts'
import type { RunClock } from '../../clock.ts'
import { type AnswerSink, type Channel, HttpSyntaxError } from '../channel.ts'
import { dial, type Route } from '../dial.ts'
import { requestBytes } from '../wire-request.ts'
import { ResponseParser } from './response-parser.ts'

/** Maximum size of a read; all connections of a thread share the memory. */
const readSize = 64 * 1024

/** Creates the read buffer of a thread: a read is processed before the next one begins. */
export function createReadBuffer(): Uint8Array {
  return new Uint8Array(Buffer.allocUnsafeSlow(readSize).buffer)
}

/** Turns of the event loop before the next request, to notice a close by the peer. */
const restTurns = 2

/** One connection, one request at a time, one timestamp for each read of its socket. */
export class Http1Connection implements Channel {
  readonly #clock: RunClock
  readonly #route: Route
  readonly #hangUp: () => void
  #socket: Socket | undefined
  #isClosed = false
  readonly #onIdle: (connection: Http1Connection) => void
  #readyAt: number | null = null
  #used = false
  #sink: AnswerSink | undefined
  #parser: ResponseParser | undefined
  #pendingWrite: (() => void) | undefined
  readonly #settled = Promise.withResolvers<void>()
  readonly settled = this.#settled.promise
  /** Time at which it became idle, in nanoseconds of the run. */
  idleSince = 0
  idleSeconds: number | undefined
  /** True if the peer ended it first. */
  isClosedByPeer = false

  constructor(
    route: Route,
    memory: Uint8Array,
    clock: RunClock,
    use: {
      readonly onIdle: (connection: Http1Connection) => void
      readonly onClosed: (connection: Http1Connection, reached: boolean) => void
    },
  ) {
    this.#route = route
    this.#clock = clock
    this.#onIdle = use.onIdle
    const read = { memory, onBytes: (bytes: number) => this.#read(memory, bytes) }
    this.#hangUp = dial(
      route,
      { alpn: ['http/1.1'], read },
      {
        ready: (socket) => this.#ready(socket),
        closed: (error, reached) => {
          this.#isClosed = true
          this.#closed(error)
          use.onClosed(this, reached)
        },
      },
    )
  }

  get alive(): boolean {
    if (this.#isClosed) return false
    return this.#socket?.destroyed !== true && this.#socket?.readyState !== 'closed'
  }

  send(request: WireRequest, sink: AnswerSink): void {
    this.#sink = sink
    this.#parser = new ResponseParser(request.method, sink)
    const bytes = requestBytes(request, this.#route.forward)
    const write = () => {
      const at = this.#clock.now()
      const readyAt = this.#used ? null : this.#readyAt
      this.#used = true
      sink.sent(at, readyAt)
      // The sink may have abandoned the request already.
      if (this.#sink === sink) this.#socket?.write(bytes)
    }
    if (!this.alive) queueMicrotask(() => this.#closed(undefined))
    else if (this.#readyAt === null) this.#pendingWrite = write
    else write()
  }

  pause(): void {
    this.#socket?.pause()
  }

  resume(): void {
    this.#socket?.resume()
  }

  abandon(): void {
    this.#sink = undefined
    this.#hangUp()
  }

  #ready(socket: Socket): void {
    this.#socket = socket
    socket.on('end', () => this.#ended())
    this.#readyAt = this.#clock.now()
    this.#pendingWrite?.()
    this.#pendingWrite = undefined
    this.#settled.resolve()
  }

  #read(memory: Uint8Array, length: number): boolean {
    const parser = this.#parser
    // Bytes without a request: the connection cannot be trusted any more.
    if (parser === undefined) {
      this.#hangUp()
      return true
    }
    const at = this.#clock.now()
    try {
      if (parser.push(memory.subarray(0, length), at)) this.#complete(parser, at)
    } catch (error) {
      if (error instanceof HttpSyntaxError) this.#fail(error)
      else this.#broke(error)
    }
    return true
  }

  #complete(parser: ResponseParser, at: number): void {
    this.#sink = undefined
    this.#parser = undefined
    if (!parser.reusable) {
      this.#hangUp()
      return
    }
    this.idleSince = at
    this.idleSeconds = parser.idleSeconds
    this.#rest(restTurns)
  }

  /** Waits, since some servers announce a persistent connection but close it after a stream. */
  #rest(turns: number): void {
    if (!this.alive) return
    if (turns === 0) this.#onIdle(this)
    else setImmediate(() => this.#rest(turns - 1))
  }

  #ended(): void {
    this.isClosedByPeer = true
    try {
      if (this.#sink !== undefined && this.#parser?.close(this.#clock.now()) === true) {
        this.#sink = undefined
      }
    } catch (error) {
      this.#broke(error)
    }
    this.#hangUp()
  }

  #closed(error: Error | undefined): void {
    this.#settled.resolve()
    if (this.#sink !== undefined) this.#fail(error ?? new PeerClosedError())
  }

  #broke(error: unknown): void {
    const sink = this.#sink
    this.abandon()
    sink?.internalError(error)
  }

  #fail(error: Error): void {
    const sink = this.#sink
    this.#sink = undefined
    this.#hangUp()
    sink?.failed(error, this.#clock.now())
  }
}

/** The peer closed the connection before the answer was whole. */
export class PeerClosedError extends Error {
  override readonly name = 'PeerClosedError'
  override readonly message = 'the peer closed the connection'
  readonly code = 'E_PEER_CLOSED'
}
