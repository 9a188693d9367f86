import { connect as connectTcp, isIP, type OnReadOpts, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import type { RunClock } from './clock.ts'
import { ResponseParser } from './response-parser.ts'
import type { ResponseSink } from './response-sink.ts'

/** Is told what becomes of one request; exactly one of `end` and `failed` comes, and comes last. */
export interface AnswerSink extends ResponseSink {
  /** The request was written. `opened`: when the connection was ready, where it was made for this one. */
  sent(at: number, opened: Opened | null): void
  failed(error: Error, at: number): void
}

export interface Opened {
  readonly startedAt: number
  readonly readyAt: number
}

export interface Origin {
  readonly secure: boolean
  readonly host: string
  readonly port: number
}

/** Where the address of a deployment leads. */
export function originOf(baseUrl: string): Origin {
  const { protocol, hostname, port } = new URL(baseUrl)
  const secure = protocol === 'https:'
  const host = hostname.replace(/^\[|\]$/g, '')
  return { secure, host, port: port === '' ? (secure ? 443 : 80) : Number(port) }
}

/** One read never brings more; all connections of a thread share the memory. */
const readSize = 64 * 1024

/** Buffers of reads belong to a thread: a read is worked off before the next one begins. */
export function createReadBuffer(): Uint8Array {
  return new Uint8Array(Buffer.allocUnsafeSlow(readSize).buffer)
}

/** One connection, one request at a time, one stamp for each read of its socket. */
export class Connection {
  readonly #clock: RunClock
  readonly #socket: Socket
  readonly #onIdle: (connection: Connection) => void
  readonly #startedAt: number
  #readyAt: number | null = null
  #used = false
  #sink: AnswerSink | undefined
  #parser: ResponseParser | undefined
  #waiting: (() => void) | undefined
  readonly #settled = Promise.withResolvers<void>()
  #error: Error | undefined
  /** When it became idle, in nanoseconds of the run. */
  idleSince = 0
  idleSeconds: number | undefined

  constructor(
    origin: Origin,
    memory: Uint8Array,
    clock: RunClock,
    use: { readonly onIdle: (connection: Connection) => void; readonly onGone: () => void },
  ) {
    this.#clock = clock
    this.#onIdle = use.onIdle
    this.#startedAt = clock.now()
    const onread: OnReadOpts = {
      buffer: memory,
      callback: (length) => this.#read(memory, length),
    }
    this.#socket = openSocket(origin, onread)
    this.#socket.setNoDelay(true)
    this.#socket.once(origin.secure ? 'secureConnect' : 'connect', () => this.#ready())
    this.#socket.on('end', () => this.#ended())
    this.#socket.on('error', (error: Error) => {
      this.#error = error
    })
    this.#socket.on('close', () => {
      this.#closed()
      use.onGone()
    })
  }

  /** Resolves when it is ready to send, or when it never will be. */
  get settled(): Promise<void> {
    return this.#settled.promise
  }

  get alive(): boolean {
    return !this.#socket.destroyed && this.#socket.readyState !== 'closed'
  }

  /** `bytes`: the whole request, head and body. */
  send(method: string, bytes: Uint8Array, sink: AnswerSink): void {
    this.#sink = sink
    this.#parser = new ResponseParser(method, sink)
    const write = () => {
      const at = this.#clock.now()
      const opened = this.#used || this.#readyAt === null ? null : this.#opened(this.#readyAt)
      this.#used = true
      sink.sent(at, opened)
      // The sink may have left at once.
      if (this.#sink === sink) this.#socket.write(bytes)
    }
    if (!this.alive) queueMicrotask(() => this.#closed())
    else if (this.#readyAt === null) this.#waiting = write
    else write()
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  /** Leaves without a word to the sink. */
  abandon(): void {
    this.#sink = undefined
    this.#socket.destroy()
  }

  #opened(readyAt: number): Opened {
    return { startedAt: this.#startedAt, readyAt }
  }

  #ready(): void {
    this.#readyAt = this.#clock.now()
    this.#waiting?.()
    this.#waiting = undefined
    this.#settled.resolve()
  }

  #read(memory: Uint8Array, length: number): boolean {
    const parser = this.#parser
    // Nothing was asked for: such a connection cannot be trusted any more.
    if (parser === undefined) {
      this.#socket.destroy()
      return true
    }
    const at = this.#clock.now()
    try {
      if (parser.push(memory.subarray(0, length), at)) this.#over(parser, at)
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)))
    }
    return true
  }

  #over(parser: ResponseParser, at: number): void {
    this.#sink = undefined
    this.#parser = undefined
    if (!parser.reusable) {
      this.#socket.destroy()
      return
    }
    this.idleSince = at
    this.idleSeconds = parser.idleSeconds
    this.#onIdle(this)
  }

  #ended(): void {
    if (this.#sink !== undefined && this.#parser?.close(this.#clock.now()) === true) {
      this.#sink = undefined
    }
    this.#socket.destroy()
  }

  #closed(): void {
    this.#settled.resolve()
    if (this.#sink !== undefined) this.#fail(this.#error ?? new PeerClosedError())
  }

  #fail(error: Error): void {
    const sink = this.#sink
    this.#sink = undefined
    this.#socket.destroy()
    sink?.failed(error, this.#clock.now())
  }
}

/** The peer closed the connection before the answer was whole. */
export class PeerClosedError extends Error {
  override readonly name = 'PeerClosedError'
  readonly code = 'E_PEER_CLOSED'

  constructor() {
    super('the peer closed the connection')
  }
}

function openSocket({ secure, host, port }: Origin, onread: OnReadOpts): Socket {
  if (!secure) return connectTcp({ host, port, onread })
  const servername = isIP(host) === 0 ? { servername: host } : {}
  // The types do not know that `onread` goes for TLS, too (Node's documentation of tls.connect).
  const options: ConnectionOptions & { readonly onread: OnReadOpts } = {
    host,
    port,
    ...servername,
    ALPNProtocols: ['http/1.1'],
    onread,
  }
  return connectTls(options)
}
