import type { Ending, Header } from '../../../contract/index.ts'
import { AnswerBody, type DecodedSink, LimitMonitor } from '../http/answer-body.ts'
import type { AnswerSink, Channel, ChannelPool } from '../http/channel.ts'
import { AnswerJudge } from '../judging/answer-judge.ts'
import { type Failure, failure, type RequestOutcome, type RequestResult } from '../record.ts'
import { type PlannedRequest, RecordBuilder } from './record-builder.ts'
import { classify, connectFailure, cutOf, requestOutcome } from './request-outcome.ts'
import type { WorkerContext } from './worker-context.ts'

/** Callbacks of a request; exactly one of them is called, once. */
interface ResultHandlers {
  readonly onResult: (result: RequestResult) => void
  /** An internal error of the engine kept the request from settling. */
  readonly onError: (error: unknown) => void
}

/** Maximum number of content fragments before an aborting client disconnects. */
const maxFragmentsBeforeAbort = 20
/** Time without a byte after which an answer that has begun counts as stalled. */
const stallNs = 10e9
/** Maximum pause of a slow reader after each read. */
const maxReadPauseMs = 60

/** A request under way: timestamps its reads, passes the bytes to the judge and settles once. */
export class InFlightRequest implements AnswerSink, DecodedSink {
  readonly plan: PlannedRequest
  readonly record: RecordBuilder
  readonly #services: WorkerContext
  readonly #handlers: ResultHandlers
  readonly #limits: LimitMonitor
  /** Undefined before the status line. */
  #body: AnswerBody | undefined
  #channel: Channel | undefined
  #judge: AnswerJudge | undefined
  #cut: Failure | undefined
  #settled = false
  #endWait = () => {}

  constructor(plan: PlannedRequest, services: WorkerContext, handlers: ResultHandlers) {
    this.plan = plan
    this.record = new RecordBuilder(plan)
    this.#services = services
    this.#handlers = handlers
    this.#limits = new LimitMonitor(services.buffers, services.target.limits)
  }

  /** Starts as soon as the connection limit allows. */
  startOn(channels: ChannelPool): void {
    const own = this.plan.clientBehavior === 'churn'
    this.#endWait = channels.acquire((channel) => this.start(channel), { own })
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
    const excess = this.#limits.check(judge?.isStream === true, record.events)
    if (excess !== undefined) this.#stop(failure('limit', excess), at)
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
    const { status, lastActivity } = this.record
    const isStalled = status !== null && at - lastActivity >= stallNs
    this.#stop(isStalled ? { kind: 'open', isStalled } : { kind: 'open' }, at)
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
    const { integrity } = this.#services
    const { finding, required } = integrity.recordAnswer(judgement, judge, record, plan)
    const { failure: reported } = record.contents
    const outcome = requestOutcome({
      status: record.status,
      ending,
      hasTerminalEvent: record.timestamps.terminal !== null,
      cut: this.#cut,
      serverFailure: reported === undefined ? undefined : integrity.redact(reported),
      violation: required,
    })
    record.finding = finding
    this.#settle(classify(outcome, plan), json)
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
