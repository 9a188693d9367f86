import type { Ending, Header } from '../../../contract/index.ts'
import { LimitMonitor } from '../http/answer-limits.ts'
import type { AnswerSink, Channel, OpenedConnection } from '../http/channel.ts'
import {
  bodyCodings,
  type DecodedSink,
  type DecodeGate,
  EncodedBody,
} from '../http/encoded-body.ts'
import { AnswerJudge } from '../judging/answer-judge.ts'
import type { IntegrityRecorder } from '../judging/integrity-recorder.ts'
import type { RequestOutcome } from '../record.ts'
import { AnswerObserver } from './answer-observer.ts'
import {
  type PlannedRequest,
  type RequestServices,
  type ResultHandlers,
  requestRecord,
} from './planned-request.ts'
import { classify, connectFailure, cutReasonOf, requestOutcome } from './request-outcome.ts'
import { RequestTimings } from './request-timings.ts'

/** Maximum number of content fragments before an aborting client disconnects. */
const maxFragmentsBeforeAbort = 20
/** Maximum pause of a slow reader after each read. */
const maxReadPauseMs = 60

/** A request under way: stamps its reads, passes the bytes to the judge and settles once. */
export class InFlightRequest implements AnswerSink, DecodedSink {
  readonly plan: PlannedRequest
  readonly timings: RequestTimings
  readonly #integrity: IntegrityRecorder
  readonly #handlers: ResultHandlers
  readonly #limits: LimitMonitor
  readonly #decodeGate: DecodeGate
  readonly #observer: AnswerObserver
  /** Undefined unless the answer has a Content-Encoding. */
  #encodedBody: EncodedBody | undefined
  #channel: Channel | undefined
  #judge: AnswerJudge | undefined
  #status: number | null = null
  #cutReason: string | undefined
  #settled = false

  constructor(plan: PlannedRequest, services: RequestServices, handlers: ResultHandlers) {
    this.plan = plan
    this.timings = new RequestTimings(plan.planned, plan.dispatched)
    this.#integrity = services.integrity
    this.#handlers = handlers
    this.#decodeGate = services.decodeGate
    this.#limits = new LimitMonitor(services.buffers, services.target.limits)
    this.#observer = new AnswerObserver(plan, this.timings, services.integrity.redact)
  }

  start(channel: Channel): void {
    // It may have timed out while it waited for the connection.
    if (this.#settled) {
      channel.abandon()
      return
    }
    this.#channel = channel
    channel.send(this.plan.request, this)
  }

  sent(at: number, opened: OpenedConnection | null): void {
    this.timings.sent(at, opened)
    // After the write, so that the server starts to work for a client that has disconnected.
    if (this.plan.clientBehavior === 'churn') setImmediate(() => this.#disconnect('churn'))
  }

  head(status: number, headers: readonly Header[], at: number): void {
    if (this.#settled) return
    this.timings.head(status, headers, at)
    this.#status = status
    const judge = new AnswerJudge(this.plan, { status, headers }, this.#observer)
    this.#judge = judge
    const codings = bodyCodings(headers)
    if (codings.length === 0) return
    const { streamBytes, bodyBytes } = this.#limits.limits
    const maxBytes = judge.isStream ? streamBytes : bodyBytes
    this.#encodedBody = new EncodedBody(codings, maxBytes, this.#decodeGate, this)
  }

  data(bytes: Uint8Array, at: number): void {
    // One read may bring more bytes after the client has disconnected.
    if (this.#settled) return
    this.timings.read(bytes.length, at)
    if (this.#encodedBody === undefined) this.decoded(bytes, at)
    else {
      this.#encodedBody.push(bytes, at)
      if (this.#encodedBody.isFull) this.#channel?.pause()
    }
    if (this.plan.clientBehavior === 'slow-reader') this.#throttleReads()
  }

  decoded(bytes: Uint8Array, at: number): void {
    if (this.#settled) return
    const { timings } = this
    const { events } = timings
    timings.readAt = at
    this.#judge?.push(bytes, this.timings.msSinceSent(at))
    this.#limits.add(bytes.length, timings.events > events)
    if (this.#limits.isDue) this.#checkLimits()
    if (this.plan.clientBehavior === 'abort') this.#maybeAbort()
  }

  drained(): void {
    this.#channel?.resume()
  }

  undecodable(why: string, at: number): void {
    if (this.#settled) return
    this.#channel?.abandon()
    this.#cutReason = why
    this.#finish({ kind: 'undecodable', atMs: this.timings.msSinceSent(at), error: why }, at)
  }

  end(at: number): void {
    this.#whenDecoded(at, true, () => {
      this.#finish({ kind: 'complete', atMs: this.timings.msSinceSent(at) }, at)
    })
  }

  failed(error: Error, at: number): void {
    if (this.#settled) return
    if (this.#judge === undefined) {
      this.#settle(connectFailure(error, this.timings.timestamps.sent !== null))
      return
    }
    this.#whenDecoded(at, false, () => {
      this.#cutReason = cutReasonOf(error)
      this.#finish({ kind: 'cut', atMs: this.timings.msSinceSent(at), error: error.message }, at)
    })
  }

  internalError(error: unknown): void {
    if (this.#settled) return
    // A judge ran out of stack.
    if (error instanceof RangeError) {
      const detail = 'answer too deep or too large to be judged'
      this.#stop({ kind: 'limit', detail }, this.timings.readAt)
      return
    }
    this.#channel?.abandon()
    this.#settled = true
    this.#limits.release()
    this.#encodedBody?.discard()
    this.#handlers.onError(error)
  }

  /** Settles as timed out: the peer sent nothing for too long. */
  timeout(at: number): void {
    const detail = this.#judge === undefined ? 'before headers' : 'inside the body'
    this.#stop({ kind: 'timeout', detail }, at)
  }

  /** Settles as open: the run ends while the request is in flight. */
  endRun(at: number): void {
    this.#stop({ kind: 'open' }, at)
  }

  /** Runs when everything that came before is decoded. `complete`: the body reached its end. */
  #whenDecoded(at: number, complete: boolean, run: () => void): void {
    if (this.#settled) return
    // The channel may carry another request meanwhile.
    this.#channel = undefined
    if (this.#encodedBody === undefined) run()
    else this.#encodedBody.finish(at, complete, run)
  }

  #finish(ending: Ending, at: number): void {
    const { plan, timings } = this
    timings.timestamps.ended = at
    const judge = this.#judge
    if (judge === undefined || this.#status === null) return
    const { jsonDepth } = this.#limits.limits
    // Judges and readers of JSON are recursive.
    if (!judge.isStream && judge.isDeeperThan(jsonDepth)) {
      this.#settle({ kind: 'limit', detail: `JSON nested more than ${jsonDepth} levels deep` })
      return
    }
    const { index, step, operation, requestId } = plan
    const request = { index, step, operation, requestId, atNs: timings.readAt }
    const violation = this.#integrity.recordFindings(
      judge.end(ending),
      request,
      judge.isStream ? undefined : () => judge.describe(),
    )
    const json = judge.isStream ? undefined : judge.json()
    if (judge.isStream) this.#integrity.recordStream(timings.events)
    else {
      this.#integrity.recordBody()
      if (ending.kind === 'complete') timings.timestamps.terminal = at
      this.#observer.body(json)
    }
    const { responseId, serverFailure, crossTalk } = this.#observer
    const leak = this.#integrity.recordCrossTalk(plan.surface, crossTalk.foreignNonce, request)
    // A duplicate may be answered with the existing response.
    if (responseId !== undefined && !plan.duplicate) {
      this.#integrity.recordId({ id: responseId, surface: plan.surface, request })
    }
    const outcome = requestOutcome({
      status: this.#status,
      ending,
      hasTerminalEvent: timings.timestamps.terminal !== null,
      cutReason: this.#cutReason,
      serverFailure,
      violation: violation === undefined ? leak : `${violation}${judge.unexpectedType()}`,
    })
    this.#settle(classify(outcome, plan), json)
  }

  #checkLimits(): void {
    const detail = this.#limits.check(this.#judge?.isStream === true, this.timings.events)
    if (detail !== undefined) this.#stop({ kind: 'limit', detail }, this.timings.readAt)
  }

  #maybeAbort(): void {
    const maxFragments = this.plan.intensity * maxFragmentsBeforeAbort
    if (this.timings.generated > maxFragments) this.#disconnect('abort')
  }

  #throttleReads(): void {
    const channel = this.#channel
    channel?.pause()
    setTimeout(() => channel?.resume(), 1 + this.plan.intensity * maxReadPauseMs)
  }

  #disconnect(why: 'abort' | 'churn'): void {
    if (this.#settled) return
    this.#channel?.abandon()
    this.#settle({ kind: 'abandoned', why })
  }

  #stop(outcome: RequestOutcome, at: number): void {
    this.#channel?.abandon()
    this.timings.timestamps.ended = at
    this.#settle(outcome)
  }

  #settle(outcome: RequestOutcome, json?: unknown): void {
    if (this.#settled) return
    this.#settled = true
    this.#limits.release()
    this.#encodedBody?.discard()
    const record = requestRecord(this.plan, this.timings, this.#status, outcome)
    this.#handlers.onResult({ record, json, id: this.#observer.responseId })
  }
}
