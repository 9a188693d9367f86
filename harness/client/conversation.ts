import { performance } from 'node:perf_hooks'
import type {
  Ending,
  Exchange,
  ExchangeLabels,
  Header,
  Protocol,
  SendTime,
  WireRequest,
} from '../../contract/index.ts'
import { maxTimerMs } from '../../contract/timer.ts'
import { announcedBytes, type BodyLimits, defaultBodyLimits } from './body/limits.ts'
import { BodyReader } from './body/reader.ts'
import { describeFailure } from './network/failures.ts'

/** Maximum duration of a stream that keeps sending, as a multiple of the longest silence. */
const maxSilences = 10

/** Lateness of a timer, in milliseconds, from which this process and not the peer was silent. */
const maxLateMs = 100

interface Head {
  readonly status: number
  readonly headers: Header[]
  readonly headersAtMs: number
}

/** Builds one exchange from what arrives, over any protocol. */
export class Conversation {
  readonly answered = Promise.withResolvers<void>()
  readonly ended = Promise.withResolvers<Exchange>()
  readonly outgoing: Outgoing
  readonly #limits: BodyLimits
  readonly #startedAt = new Date().toISOString()
  readonly #start = performance.now()
  readonly #silence: NodeJS.Timeout
  readonly #patience: NodeJS.Timeout
  /** Time as `performance.now()`. */
  #silentSinceMs = performance.now()
  #sent: SendTime | undefined
  #head: Head | undefined
  #protocol: Protocol | undefined
  #body: BodyReader | undefined
  #receivedBytes = 0
  #breakOff: (() => void) | undefined
  #left: 'aborted' | 'timeout' | undefined
  #over = false

  constructor(outgoing: Outgoing, limits: BodyLimits = defaultBodyLimits) {
    this.outgoing = outgoing
    this.#limits = limits
    const giveUp = () => this.#leave('timeout')
    this.#silence = setTimeout(() => {
      // A process that was stopped, or too busy, reads what has arrived only after its timers ran.
      const lateMs = performance.now() - this.#silentSinceMs - outgoing.timeoutMs
      if (lateMs < maxLateMs) giveUp()
      else this.#restartSilence()
    }, outgoing.timeoutMs)
    this.#patience = setTimeout(giveUp, Math.min(outgoing.timeoutMs * maxSilences, maxTimerMs))
    outgoing.signal?.addEventListener('abort', this.#abort, { once: true })
    if (outgoing.signal?.aborted) this.#abort()
  }

  /** True once the exchange is made, or about to be. */
  get isOver(): boolean {
    return this.#over || this.#left !== undefined
  }

  /** True once a status line has come. */
  get hasHead(): boolean {
    return this.#head !== undefined
  }

  /** The request is on its way; `breakOff` ends it, and its transport reports the end. */
  sending(breakOff: () => void): void {
    this.#sent = { atMs: this.#sinceStart(), clockMs: rounded(performance.now()) }
    this.#breakOff = breakOff
    if (this.#left) breakOff()
  }

  /** The final status line and its headers, with names in lower case. */
  answer(status: number, headers: Header[], protocol: Protocol): void {
    this.#restartSilence()
    this.#protocol = protocol
    this.#head = { status, headers, headersAtMs: this.#sinceStart() }
    this.#body = new BodyReader(headers, this.#limits, {
      onEvents: (count) => this.#leaveAfter(count),
      onUnreadable: () => this.#breakOff?.(),
    })
    this.answered.resolve()
  }

  data(bytes: Uint8Array): void {
    this.#restartSilence()
    this.#receivedBytes += bytes.length
    if (this.#left === undefined) this.#body?.push({ atMs: this.#sinceStart(), bytes })
  }

  /** The body ended: regularly, unless more bytes were announced. */
  end(): void {
    const atMs = this.#sinceStart()
    const missing = this.#left === undefined ? this.#missing() : undefined
    void this.#finish(
      missing === undefined
        ? { kind: this.#left ?? 'complete', atMs }
        : { kind: 'cut', atMs, error: missing },
    )
  }

  fail(error: Error): void {
    const atMs = this.#sinceStart()
    if (this.#left) {
      void this.#finish({ kind: this.#left, atMs })
      return
    }
    const { code, message } = describeFailure(error, this.outgoing.request.url)
    void this.#finish(
      this.#head
        ? { kind: 'cut', atMs, error: message }
        : { kind: 'unreachable', atMs, code, error: message },
    )
  }

  /** HTTP/2 can end a stream without an error and without an end of its body (RFC 9113, section 8.1). */
  #missing(): string | undefined {
    const head = this.#head
    const receivedBytes = this.#receivedBytes
    if (head === undefined) return undefined
    const announced = announcedBytes(this.outgoing.request.method, head.status, head.headers)
    if (announced === undefined || receivedBytes >= announced) return undefined
    return `the body ends after ${receivedBytes} bytes, its Content-Length is ${announced}`
  }

  readonly #abort = () => this.#leave('aborted')

  #leaveAfter(events: number): void {
    const { leaveAfterEvents } = this.outgoing
    if (leaveAfterEvents !== undefined && events >= leaveAfterEvents) this.#leave('aborted')
  }

  #leave(why: 'aborted' | 'timeout'): void {
    if (this.#left || this.#over) return
    this.#left = why
    if (this.#breakOff) this.#breakOff()
    else void this.#finish({ kind: why, atMs: this.#sinceStart() })
  }

  async #finish(ending: Ending): Promise<void> {
    if (this.#over) return
    this.#over = true
    clearTimeout(this.#silence)
    clearTimeout(this.#patience)
    this.outgoing.signal?.removeEventListener('abort', this.#abort)
    this.answered.resolve()
    const body = this.#body
    const bodyEnding = await body?.finish(ending)
    const coded = body?.coded
    const { id, labels, request } = this.outgoing
    this.ended.resolve({
      id,
      labels,
      startedAt: this.#startedAt,
      request,
      ...(this.#sent === undefined ? {} : { sent: this.#sent }),
      ...(this.#protocol === undefined ? {} : { protocol: this.#protocol }),
      response:
        this.#head && body
          ? {
              ...this.#head,
              get chunks() {
                return body.chunks
              },
              ...(coded === undefined ? {} : { coded }),
            }
          : null,
      get events() {
        return body?.events ?? []
      },
      ending: bodyEnding ?? ending,
    })
  }

  #restartSilence(): void {
    this.#silentSinceMs = performance.now()
    this.#silence.refresh()
  }

  /** Milliseconds with three decimals. */
  #sinceStart(): number {
    return rounded(performance.now() - this.#start)
  }
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000
}

export interface Outgoing {
  /** Id of the exchange to be made. */
  readonly id: string
  readonly labels: ExchangeLabels
  readonly request: WireRequest
  /** Longest silence of the target, in milliseconds: before its headers and inside its body. */
  readonly timeoutMs: number
  /** Uses HTTP/1.1 even if the target chose HTTP/2 for other requests. */
  readonly protocol?: 'http/1.1'
  /** The imitated client: the headers of the request are complete, host and length included. */
  readonly client?: ImitatedClient
  /** Number of events of a stream after which the conversation is left on purpose. */
  readonly leaveAfterEvents?: number
  /** Leaves the conversation on purpose when aborted. */
  readonly signal?: AbortSignal
}

/** A client with its own connections. */
export interface ImitatedClient {
  readonly name: string
  readonly keepsConnections: boolean
}

/** A conversation under way. */
export interface Pending {
  /** Resolves when the status line is there, or when the conversation ended without one. */
  readonly answered: Promise<void>
  /** Never rejects: the `ending` of the exchange shows what happened. */
  readonly exchange: Promise<Exchange>
}

/** Makes exchanges. It never retries, follows no redirect and throws on no status. */
export interface Transport {
  send(outgoing: Outgoing): Pending
  close(): Promise<void>
}
