import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type OutgoingHttpHeaders,
} from 'node:http2'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { http2ErrorNames } from '../../../client/network/failures.ts'
import type { RunClock } from '../../clock.ts'
import { Http2Error, type Http2Figures, noHttp2Figures } from '../channel.ts'
import { dial, type Route } from '../dial.ts'
import { PeerClosedError } from '../http1/connection.ts'

/** Flow control window of a stream: as much as a socket of HTTP/1.1 buffers. */
const streamWindow = 256 * 1024
/** Flow control window of a connection, so that a slow reader does not stop the others. */
const connectionWindow = 16 * 1024 * 1024
/** Megabytes of one session; Node refuses streams beyond it. */
const maxSessionMemory = 256

/** One connection of HTTP/2: its streams, and one timestamp for each read of its socket. */
export class Http2Connection {
  readyAt: number | null = null
  active = 0
  /** Most streams at once so far. */
  maxAtOnce = 0
  streams = 0
  /** SETTINGS_MAX_CONCURRENT_STREAMS; null before the peer's settings, and if they set none. */
  allowed: number | null = null
  /** GOAWAY of the peer. */
  goaway: { readonly code: number; readonly lastStream: number } | undefined
  /** Time at which its last stream ended, in nanoseconds of the run. */
  idleSince: number
  readonly #clock: RunClock
  readonly #route: Route
  readonly #onCapacity: () => void
  readonly #hangUp: () => void
  #socket: Socket | undefined
  #session: ClientHttp2Session | undefined
  #error: Error | undefined
  #isClosed = false
  #bytesRead = -1
  #readAt = 0

  /**
   * @param onCapacity called when it accepts streams, or more than before
   * @param onClosed called when its socket is closed; `error`: why it was never ready, `reached`: the peer saw it
   */
  constructor(
    route: Route,
    clock: RunClock,
    onCapacity: () => void,
    onClosed: (error: Error | undefined, reached: boolean) => void,
  ) {
    this.#route = route
    this.#clock = clock
    this.#onCapacity = onCapacity
    this.idleSince = clock.now()
    this.#hangUp = dial(
      route,
      { alpn: ['h2'] },
      {
        ready: (socket) => this.#begin(socket),
        closed: (error, reached) => {
          this.#isClosed = true
          const why =
            this.readyAt === null ? (this.#error ?? error ?? new Http2Error(neverReady)) : undefined
          onClosed(why, reached)
        },
      },
    )
  }

  /** Number of further streams that it accepts now. */
  get capacity(): number {
    if (this.readyAt === null || this.#isClosed || this.goaway !== undefined) return 0
    return (this.allowed ?? Number.POSITIVE_INFINITY) - this.active
  }

  get figures(): Http2Figures {
    const { streams, maxAtOnce, allowed } = this
    return { ...noHttp2Figures, streams, maxAtOnce, allowed, goaways: this.goaway ? 1 : 0 }
  }

  get opening(): boolean {
    return this.readyAt === null && !this.#isClosed
  }

  /** Stamp of the socket read that is being processed, the same for everything that it brought. */
  get readAt(): number {
    const total = this.#socket?.bytesRead ?? 0
    if (total !== this.#bytesRead) {
      this.#bytesRead = total
      this.#readAt = this.#clock.now()
    }
    return this.#readAt
  }

  /** @throws the error of Node if the session has ended or the headers are invalid */
  open(headers: OutgoingHttpHeaders, body: Uint8Array | null): ClientHttp2Stream {
    if (this.#session === undefined) throw new Http2Error('the HTTP/2 connection is not ready')
    const stream = this.#session.request(headers, { endStream: body === null })
    this.active += 1
    this.streams += 1
    this.maxAtOnce = Math.max(this.maxAtOnce, this.active)
    let open = true
    const over = () => {
      if (!open) return
      open = false
      this.active -= 1
      this.idleSince = this.#clock.now()
      this.#onCapacity()
    }
    // The peer no longer counts a stream whose answer has ended (RFC 9113, section 5.1.2).
    stream.once('end', over)
    stream.once('close', over)
    if (body !== null) stream.end(body)
    return stream
  }

  /** Reason for the early end of a stream. */
  failureOf({ id, rstCode }: Pick<ClientHttp2Stream, 'id' | 'rstCode'>): Error {
    const { goaway } = this
    if (goaway !== undefined && id !== undefined && id > goaway.lastStream) {
      return new Http2Error(goawayText(goaway.code), { unprocessed: true })
    }
    // When the connection ends, Node ends every stream with a code that is not the peer's.
    if (this.#isClosed || this.#socket?.destroyed === true || this.#session?.destroyed === true) {
      if (goaway !== undefined && goaway.code !== constants.NGHTTP2_NO_ERROR) {
        return new Http2Error(goawayText(goaway.code))
      }
      return this.#error ?? new PeerClosedError()
    }
    return new Http2Error(`HTTP/2 stream reset: ${errorCodeName(rstCode ?? 0)}`, {
      unprocessed: rstCode === constants.NGHTTP2_REFUSED_STREAM,
      reset: true,
    })
  }

  close(): void {
    this.#isClosed = true
    this.#session?.destroy()
    this.#hangUp()
  }

  #begin(socket: Socket): void {
    if (socket instanceof TLSSocket && socket.alpnProtocol !== 'h2') {
      this.#error = new Http2Error('the target does not offer HTTP/2: try --http1')
      this.#hangUp()
      return
    }
    this.#socket = socket
    const session = connect(this.#route.origin, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: streamWindow },
      maxSessionMemory,
    })
    this.#session = session
    session.once('connect', () => session.setLocalWindowSize(connectionWindow))
    session.on('remoteSettings', ({ maxConcurrentStreams: limit = noLimit }) => {
      this.allowed = limit < noLimit ? limit : null
      this.readyAt ??= this.#clock.now()
      this.#onCapacity()
    })
    session.on('goaway', (code, lastStream) => {
      this.goaway ??= { code, lastStream }
    })
    session.on('error', (error: Error) => {
      this.#error ??= error
    })
    session.once('close', () => this.close())
  }
}

/** Number that Node reports if the peer set no limit of streams. */
const noLimit = 0xffff_ffff

function goawayText(code: number): string {
  return `HTTP/2 GOAWAY: ${errorCodeName(code)}`
}

const neverReady = 'the peer closed the connection before its HTTP/2 settings'

/** `INTERNAL_ERROR`, or the number of a code that has no name. */
function errorCodeName(code: number): string {
  return http2ErrorNames[code] ?? `error ${code}`
}
