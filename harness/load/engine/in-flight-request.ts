// biome-ignore-all lint/style/noExcessiveLinesPerFile: one request in flight: bytes, times and outcome
import type { Ending, Header } from '../../../contract/index.ts'
import { codeOf, rootOf } from '../../client/network/failures.ts'
import { ProxyError } from '../../client/network/proxy.ts'
import { StreamContents } from '../../judges/index.ts'
import type { RunClock } from '../clock.ts'
import {
  AnswerBody,
  type BufferUsage,
  type DecodedSink,
  type DecodeGate,
  LimitMonitor,
} from '../http/answer-body.ts'
import {
  type AnswerSink,
  type Channel,
  type ChannelPool,
  Http2Error,
  HttpSyntaxError,
} from '../http/channel.ts'
import { AnswerJudge, CrossTalkDetector } from '../judging/answer-judge.ts'
import type { IntegrityRecorder } from '../judging/integrity-recorder.ts'
import {
  type Failure,
  failure,
  type RequestOutcome,
  type RequestRecord,
  type RequestResult,
  type Timestamps,
} from '../record.ts'
import type { LoadTarget } from '../target.ts'
import {
  answerFields,
  type PlannedRequest,
  rateLimitHeaders,
  tokenCounts,
} from './answer-fields.ts'

/** Services that all requests of a worker share. */
interface RequestServices {
  readonly clock: RunClock
  readonly integrity: IntegrityRecorder
  readonly buffers: BufferUsage
  readonly decodeGate: DecodeGate
  readonly target: Pick<LoadTarget, 'limits'>
}

/** Callbacks of a request; exactly one of them is called, once. */
interface ResultHandlers {
  readonly onResult: (result: RequestResult) => void
  /** An internal error of the engine kept the request from settling. */
  readonly onError: (error: unknown) => void
}

/** Maximum number of content fragments before an aborting client disconnects. */
const maxFragmentsBeforeAbort = 20
/** Maximum pause of a slow reader after each read. */
const maxReadPauseMs = 60

/** A request under way: stamps its reads, passes the bytes to the judge and settles once. */
export class InFlightRequest implements AnswerSink, DecodedSink {
  readonly plan: PlannedRequest
  readonly record: RecordBuilder
  readonly #services: RequestServices
  readonly #handlers: ResultHandlers
  readonly #limits: LimitMonitor
  /** Undefined before the status line. */
  #body: AnswerBody | undefined
  #channel: Channel | undefined
  #judge: AnswerJudge | undefined
  #cut: Failure | undefined
  #settled = false
  #endWait = () => {}

  constructor(plan: PlannedRequest, services: RequestServices, handlers: ResultHandlers) {
    this.plan = plan
    this.record = new RecordBuilder(plan)
    this.#services = services
    this.#handlers = handlers
    this.#limits = new LimitMonitor(services.buffers, services.target.limits)
  }

  /** Starts as soon as the connection limit allows. */
  startOn(channels: ChannelPool): void {
    const isChurn = this.plan.clientBehavior === 'churn'
    this.#endWait = channels.acquire((channel) => this.start(channel), isChurn)
  }

  start(channel: Channel): void {
    this.record.lastActivity = this.#services.clock.now()
    this.#channel = channel
    channel.send(this.plan.request, this)
  }

  sent(at: number, readyAt: number | null): void {
    this.record.sent(at, readyAt)
    // After the write, so that the server starts to work for a client that has disconnected.
    if (this.plan.clientBehavior === 'churn')
      setImmediate(() => this.#stop({ kind: 'abandoned', why: 'churn' }, null))
  }

  head(status: number, headers: readonly Header[], at: number): void {
    if (this.#settled) return
    this.record.head(status, headers, at)
    const judge = new AnswerJudge(this.plan, { status, headers }, this.record.contents)
    this.#judge = judge
    const maxBytes = this.#limits.limits[judge.isStream ? 'streamBytes' : 'bodyBytes']
    this.#body = new AnswerBody(headers, maxBytes, this.#services.decodeGate, this)
  }

  data(bytes: Uint8Array, at: number): void {
    // One read may bring more bytes after the client has disconnected.
    if (this.#settled) return
    this.record.read(bytes.length, at)
    this.#body?.push(bytes, at)
    if (this.#body?.isFull === true) this.#channel?.pause()
    if (this.plan.clientBehavior === 'slow-reader') this.#throttleReads()
  }

  decoded(bytes: Uint8Array, at: number): void {
    if (this.#settled) return
    const { record } = this
    record.readAt = at
    const judge = this.#judge
    if (judge?.stream === undefined) judge?.keep(bytes)
    else judge.stream.push({ bytes, atMs: record.msSinceSent(at) })
    this.#limits.add(bytes.length, record.takeContents() > 0)
    if (this.#limits.isDue) this.#checkLimits()
    const { clientBehavior, intensity } = this.plan
    if (clientBehavior === 'abort' && record.generated > intensity * maxFragmentsBeforeAbort)
      this.#stop({ kind: 'abandoned', why: 'abort' }, null)
  }

  drained(): void {
    this.#channel?.resume()
  }

  undecodable(why: string, at: number): void {
    if (this.#settled) return
    this.#channel?.abandon()
    this.#cut = failure('unreadable', why)
    this.#finish({ kind: 'undecodable', atMs: this.record.msSinceSent(at), error: why }, at)
  }

  end(at: number): void {
    this.#whenDecoded(at, true, () => {
      this.#finish({ kind: 'complete', atMs: this.record.msSinceSent(at) }, at)
    })
  }

  failed(error: Error, at: number): void {
    if (this.#settled) return
    if (this.#judge === undefined) {
      this.#settle(connectFailure(error, this.record.timestamps.sent !== null))
      return
    }
    this.#whenDecoded(at, false, () => {
      this.#cut = cutOf(error)
      this.#finish({ kind: 'cut', atMs: this.record.msSinceSent(at), error: error.message }, at)
    })
  }

  internalError(error: unknown): void {
    if (this.#settled) return
    // A judge ran out of stack.
    if (error instanceof RangeError) {
      this.#stop(failure('limit', 'answer too deep or too large to judge'), this.record.readAt)
      return
    }
    this.#channel?.abandon()
    this.#release()
    this.#handlers.onError(error)
  }

  /** Settles as timed out: the peer sent nothing for too long. */
  timeout(at: number): void {
    const detail = this.#judge === undefined ? 'before headers' : 'inside the body'
    this.#stop(failure('timeout', detail), at)
  }

  /** Settles as open: the run ends while the request is in flight. */
  endRun(at: number): void {
    this.#stop({ kind: 'open' }, at)
  }

  /** Calls `run` once all earlier bytes are decoded. `complete`: the body reached its end. */
  #whenDecoded(at: number, complete: boolean, run: () => void): void {
    if (this.#settled) return
    // The channel may carry another request by now.
    this.#channel = undefined
    this.#body?.finish(at, complete, run)
  }

  #finish(ending: Ending, at: number): void {
    const { plan, record } = this
    record.timestamps.ended = at
    const judge = this.#judge
    if (judge === undefined || record.status === null) return
    const { jsonDepth } = this.#limits.limits
    // Judges and readers of JSON are recursive.
    if (!judge.isStream && judge.isDeeperThan(jsonDepth)) {
      this.#settle(failure('limit', `JSON nested more than ${jsonDepth} levels deep`))
      return
    }
    const json = judge.isStream ? undefined : judge.json()
    const judgement = judge.end(ending)
    if (judge.isStream) record.takeContents()
    else {
      if (ending.kind === 'complete') record.timestamps.terminal = at
      record.body(json)
    }
    const { operation, requestId, duplicate } = plan
    const { index, step, surface } = plan.head
    const { id, failure: reported } = record.contents
    const { finding, required } = this.#services.integrity.recordAnswer(judgement, {
      request: { index, step, operation, requestId, atMs: record.readAt / 1e6 },
      surface,
      events: judge.isStream ? record.events : null,
      foreignNonce: record.crossTalk.foreignNonce,
      // A duplicate may be answered with the existing response.
      id: duplicate ? undefined : id,
      judge,
    })
    const outcome = requestOutcome({
      status: record.status,
      ending,
      hasTerminalEvent: record.timestamps.terminal !== null,
      cut: this.#cut,
      serverFailure: reported === undefined ? undefined : this.#services.integrity.redact(reported),
      violation: required,
    })
    record.finding = finding
    this.#settle(classify(outcome, plan), json)
  }

  #checkLimits(): void {
    const detail = this.#limits.check(this.#judge?.isStream === true, this.record.events)
    if (detail !== undefined) this.#stop(failure('limit', detail), this.record.readAt)
  }

  #throttleReads(): void {
    const channel = this.#channel
    channel?.pause()
    setTimeout(() => channel?.resume(), 1 + this.plan.intensity * maxReadPauseMs)
  }

  #stop(outcome: RequestOutcome, at: number | null): void {
    if (this.#settled) return
    this.#channel?.abandon()
    this.record.timestamps.ended = at
    this.#settle(outcome)
  }

  #settle(outcome: RequestOutcome, json?: unknown): void {
    if (this.#settled) return
    this.#release()
    const record = this.record.build(outcome)
    this.#handlers.onResult({ record, json, id: this.record.contents.id })
  }

  #release(): void {
    this.#settled = true
    this.#endWait()
    this.#limits.release()
    this.#body?.discard()
  }
}

type MutableTimestamps = { -readonly [Name in keyof Timestamps]: Timestamps[Name] }

/**
 * Collects the record of one request while its answer arrives. All content of one read has the timestamp
 * of the read.
 */
export class RecordBuilder {
  /** Time of the read that is being processed. */
  readAt = 0
  /** Time of the last read or write; infinite while the request waits for the connection limit. */
  lastActivity = Number.POSITIVE_INFINITY
  readonly timestamps: MutableTimestamps
  /** Filled by the judge, or by `body`. */
  readonly contents = new StreamContents()
  readonly crossTalk: CrossTalkDetector
  /** First requirement that the answer violates. */
  finding: string | undefined
  events = 0
  generated = 0
  /** Null before the status line. */
  status: number | null = null
  readonly #plan: PlannedRequest
  readonly #gapsNs: number[] = []
  #reads = 0
  #bytes = 0
  #showedReasoning = false
  #newConnection = false
  /** Headers of a rate limit; only of an answer 429. */
  #rateLimit: Readonly<Record<string, string>> | undefined

  constructor(plan: PlannedRequest) {
    this.#plan = plan
    this.crossTalk = new CrossTalkDetector(plan.noncePrefix, plan.nonce)
    this.timestamps = {
      planned: plan.planned,
      dispatched: plan.dispatched,
      connected: null,
      sent: null,
      headers: null,
      firstEvent: null,
      firstGenerated: null,
      firstText: null,
      lastGenerated: null,
      terminal: null,
      ended: null,
    }
  }

  sent(at: number, readyAt: number | null): void {
    this.lastActivity = at
    this.timestamps.sent = at
    this.timestamps.connected = readyAt ?? at
    this.#newConnection = readyAt !== null
  }

  head(status: number, headers: readonly Header[], at: number): void {
    this.read(0, at)
    this.status = status
    this.timestamps.headers = at
    if (status === 429) this.#rateLimit = rateLimitHeaders(headers)
  }

  read(bytes: number, at: number): void {
    // An encoded body is processed later, with the timestamp of its own read.
    if (at !== this.lastActivity) this.#reads += 1
    this.readAt = at
    this.lastActivity = at
    this.#bytes += bytes
  }

  /** Stamps what the judge found in the bytes of a read; returns the number of events. */
  takeContents(): number {
    const { contents, timestamps, readAt } = this
    const { events, fragments, kinds, texts } = contents
    if (events > 0) timestamps.firstEvent ??= readAt
    this.events += events
    for (let at = 0; at < fragments; at += 1) {
      if (timestamps.lastGenerated === null) timestamps.firstGenerated = readAt
      else this.#gapsNs.push(readAt - timestamps.lastGenerated)
      timestamps.lastGenerated = readAt
      if (kinds[at] === 'text') timestamps.firstText ??= readAt
      else if (kinds[at] === 'reasoning') this.#showedReasoning = true
      this.crossTalk.add(texts[at] ?? '')
    }
    this.generated += fragments
    if (contents.isTerminal) timestamps.terminal ??= readAt
    contents.clear()
    return events
  }

  /** Reads an unstreamed answer, which counts as generated at its end. */
  body(json: unknown): void {
    const fields = answerFields(json)
    if (fields === undefined) return
    const { text, ...others } = fields
    Object.assign(this.contents, others)
    this.crossTalk.add(text)
  }

  msSinceSent(at: number): number {
    return (at - (this.timestamps.sent ?? at)) / 1e6
  }

  /** The record of the settled request. */
  build(outcome: RequestOutcome): RequestRecord {
    const { head, operation, form } = this.#plan
    return {
      ...head,
      operation,
      form,
      timestamps: this.timestamps,
      gapsNs: this.#gapsNs,
      counts: {
        bytes: this.#bytes,
        reads: this.#reads,
        events: this.events,
        generated: this.generated,
        ...tokenCounts(this.contents.usage, this.#showedReasoning),
        newConnection: this.#newConnection,
      },
      status: this.status,
      outcome,
      ...(this.finding === undefined ? {} : { finding: this.finding }),
      ...(this.#rateLimit === undefined ? {} : { rateLimit: this.#rateLimit }),
    }
  }
}

/** The end of an answer whose status line arrived. */
export interface AnswerEnd {
  readonly status: number
  readonly ending: Ending
  /** The terminal event of a stream, or the last byte of a body, arrived. */
  readonly hasTerminalEvent: boolean
  /** Reason of an early end; undefined for a complete answer. */
  readonly cut: Failure | undefined
  /** Failure that the server reports inside a 200. */
  readonly serverFailure: string | undefined
  /** First violated requirement of level `required`, with an unexpected media type. */
  readonly violation: string | undefined
}

/** Checks the transport first, then the server's own report, then the content. */
export function requestOutcome({
  status,
  ending,
  hasTerminalEvent,
  cut,
  serverFailure,
  violation,
}: AnswerEnd): RequestOutcome {
  if (status === 429) return failure('shed', '429')
  if (status >= 500 && status < 600) return failure('status', String(status), 'serverErrors')
  if (status < 200 || status > 299) return failure('status', String(status))
  // A cut after the terminal event loses nothing; judges report it if the contract forbids it.
  const isWhole = ending.kind === 'complete' || (ending.kind === 'cut' && hasTerminalEvent)
  if (!isWhole) return cut ?? failure('truncated', connectionCut)
  if (serverFailure !== undefined) return failure('in-band-error', serverFailure)
  if (!hasTerminalEvent) {
    return failure('truncated', 'the stream has no terminal event', 'incomplete')
  }
  return violation === undefined ? { kind: 'ok' } : failure('integrity', violation)
}

/** Excludes answers to misbehaving clients and to races: they are judged, but not timed. */
function classify(
  outcome: RequestOutcome,
  { clientBehavior, race, duplicate }: PlannedRequest,
): RequestOutcome {
  // The target decides which of the two requests it rejects.
  if (duplicate || (race && outcome.kind === 'status')) return { kind: 'abandoned', why: 'race' }
  if (outcome.kind !== 'ok' || clientBehavior !== 'slow-reader') return outcome
  return { kind: 'abandoned', why: 'slow-reader' }
}

/** Outcome of a request without a status line. `sent`: the request was written. */
export function connectFailure(error: Error, sent: boolean): Failure {
  if (error instanceof HttpSyntaxError) return failure('unreadable', error.message)
  const counter = sent ? 'droppedConnections' : 'unanswered'
  const root = rootOf(error)
  const cause = hasOwnMessage(error) ? error.message : (codeOf(root) ?? root.name)
  return failure('connect', sent ? `${cause} before headers` : cause, counter)
}

/** Cause of a cut inside an answer. */
export function cutOf(error: Error): Failure {
  if (error instanceof HttpSyntaxError) return failure('unreadable', error.message)
  return failure('truncated', hasOwnMessage(error) ? error.message : connectionCut)
}

const connectionCut = 'the connection was cut'

/** True for errors whose message says more than their code. */
function hasOwnMessage(error: Error): boolean {
  return error instanceof Http2Error || error instanceof ProxyError
}
