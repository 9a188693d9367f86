import type { Ending, Header } from '../../../contract/index.ts'
import type { ContentKind, StreamWatcher } from '../../judges/index.ts'
import { type BufferUsage, LimitMonitor } from '../http/answer-limits.ts'
import type { AnswerSink, Channel, OpenedConnection } from '../http/channel.ts'
import {
  bodyCodings,
  type DecodedSink,
  type DecodeGate,
  EncodedBody,
} from '../http/encoded-body.ts'
import { answerFields } from '../judging/answer-fields.ts'
import { AnswerJudge, type JudgedRequest } from '../judging/answer-judge.ts'
import { CrossTalkDetector } from '../judging/cross-talk-detector.ts'
import type { IntegrityRecorder } from '../judging/integrity-recorder.ts'
import type { ClientBehavior } from '../plan/plan.ts'
import type { RequestOutcome, RequestRecord } from '../record.ts'
import type { LoadTarget } from '../target.ts'
import { connectFailure, cutReasonOf, requestOutcome } from './request-outcome.ts'
import { RequestTimings } from './request-timings.ts'

/** One request as it is about to go out. */
export interface PlannedRequest extends JudgedRequest {
  readonly index: number
  readonly step: number
  readonly transaction: string
  readonly surface: 'openai' | 'v2' | 'v3'
  readonly planned: number
  readonly dispatched: number
  readonly nonce: string
  readonly noncePrefix: string
  readonly clientBehavior: ClientBehavior
  readonly intensity: number
  readonly requestId: string
  /** The second of two requests with one idempotency key. */
  readonly duplicate: boolean
}

/** What the transaction learns of its answer. */
export interface RequestResult {
  readonly record: RequestRecord
  /** Of an answer in one piece. */
  readonly json: unknown
  /** Id of the response that was streamed, or that the body shows. */
  readonly id: string | undefined
}

/** What all flights of a thread share. */
export interface RequestServices {
  readonly integrity: IntegrityRecorder
  readonly buffers: BufferUsage
  readonly decodeGate: DecodeGate
  readonly target: Pick<LoadTarget, 'limits'>
}

/** Who waits for a flight; exactly one of them is called, once. */
export interface ResultHandlers {
  readonly onResult: (landing: RequestResult) => void
  /** An error of the kit itself kept it from landing. */
  readonly broke: (error: unknown) => void
}

/** Where an aborting client leaves at the latest, in fragments of generated content. */
const maxFragmentsBeforeAbort = 20
const maxReadPauseMs = 60

/** One request under way: it keeps the time, passes the bytes to the judges, and lands once. */
export class InFlightRequest implements AnswerSink, DecodedSink, StreamWatcher {
  readonly plan: PlannedRequest
  readonly timings: RequestTimings
  readonly #integrity: IntegrityRecorder
  readonly #handlers: ResultHandlers
  readonly #limits: LimitMonitor
  readonly #decodeGate: DecodeGate
  /** Of an answer with a Content-Encoding. */
  #encodedBody: EncodedBody | undefined
  readonly #crossTalk: CrossTalkDetector
  #channel: Channel | undefined
  #reader: AnswerJudge | undefined
  #status: number | null = null
  #serverFailure: string | undefined
  #cutReason: string | undefined
  #id: string | undefined
  #settled = false

  constructor(plan: PlannedRequest, services: RequestServices, to: ResultHandlers) {
    const { integrity, buffers, decodeGate, target } = services
    this.plan = plan
    this.timings = new RequestTimings(plan.planned, plan.dispatched)
    this.#integrity = integrity
    this.#handlers = to
    this.#decodeGate = decodeGate
    this.#limits = new LimitMonitor(buffers, target.limits)
    this.#crossTalk = new CrossTalkDetector(plan.noncePrefix, plan.nonce)
  }

  start(channel: Channel): void {
    // It waited for the connection for too long.
    if (this.#settled) {
      channel.abandon()
      return
    }
    this.#channel = channel
    channel.send(this.plan.request, this)
  }

  sent(at: number, opened: OpenedConnection | null): void {
    this.timings.sent(at, opened)
    // After the write, so that the server has begun to work for a client that is gone.
    if (this.plan.clientBehavior === 'churn') setImmediate(() => this.#disconnect('churn'))
  }

  head(status: number, headers: readonly Header[], at: number): void {
    if (this.#settled) return
    this.timings.read(0, at)
    this.timings.timestamps.headers = at
    this.#status = status
    const reader = new AnswerJudge(this.plan, { status, headers }, this)
    this.#reader = reader
    const codings = bodyCodings(headers)
    if (codings.length === 0) return
    const { streamBytes, bodyBytes } = this.#limits.limits
    const most = reader.isStream ? streamBytes : bodyBytes
    this.#encodedBody = new EncodedBody(codings, most, this.#decodeGate, this)
  }

  data(bytes: Uint8Array, at: number): void {
    // One read may bring more than what it was left for.
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
    this.#reader?.push(bytes, this.#msSinceSent(at))
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
    this.timings.timestamps.ended = at
    this.#cutReason = why
    this.#judge({ kind: 'undecodable', atMs: this.#msSinceSent(at), error: why })
  }

  end(at: number): void {
    this.#whenDecoded(at, true, () => {
      this.timings.timestamps.ended = at
      this.#judge({ kind: 'complete', atMs: this.#msSinceSent(at) })
    })
  }

  /** What ends an answer waits until all of it is decoded. */
  #whenDecoded(at: number, whole: boolean, run: () => void): void {
    if (this.#settled) return
    // It may carry another request meanwhile.
    this.#channel = undefined
    if (this.#encodedBody === undefined) run()
    else this.#encodedBody.finish(at, whole, run)
  }

  failed(error: Error, at: number): void {
    if (this.#settled) return
    if (this.#reader === undefined) {
      this.#settle(connectFailure(error, this.timings.timestamps.sent !== null))
      return
    }
    this.#whenDecoded(at, false, () => {
      this.timings.timestamps.ended = at
      this.#cutReason = cutReasonOf(error)
      this.#judge({ kind: 'cut', atMs: this.#msSinceSent(at), error: error.message })
    })
  }

  internalError(error: unknown): void {
    if (this.#settled) return
    this.#channel?.abandon()
    // Of a judge that ran out of stack.
    if (error instanceof RangeError) {
      this.timings.timestamps.ended = this.timings.readAt
      this.#settle({ kind: 'limit', detail: 'an answer too deep or too large to be judged' })
      return
    }
    this.#settled = true
    this.#limits.release()
    this.#encodedBody?.discard()
    this.#handlers.broke(error)
  }

  /** The peer was silent for too long. */
  timeout(at: number): void {
    this.#channel?.abandon()
    this.timings.timestamps.ended = at
    const where = this.#reader === undefined ? 'before headers' : 'inside the body'
    this.#settle({ kind: 'timeout', detail: where })
  }

  /** The run ends while the request is in flight. */
  stop(at: number): void {
    this.#channel?.abandon()
    this.timings.timestamps.ended = at
    this.#settle({ kind: 'open' })
  }

  event(): void {
    this.timings.event()
  }

  content(kind: ContentKind, text: string): void {
    this.timings.content(kind)
    this.#crossTalk.add(text)
  }

  terminal(): void {
    this.timings.terminal()
  }

  usage(usage: Readonly<Record<string, unknown>>): void {
    this.timings.usage(usage)
  }

  id(id: string): void {
    this.#id ??= id
  }

  serverFailed(why: string): void {
    this.#serverFailure ??= this.#integrity.redact(why)
  }

  #judge(ending: Ending): void {
    const { plan, timings } = this
    const reader = this.#reader
    if (reader === undefined || this.#status === null) return
    if (!reader.isStream && this.#settleIfTooDeep(reader)) return
    const judgement = reader.end(ending)
    const occasion = { ...this.#reference(), atNs: timings.readAt }
    const came = reader.isStream ? undefined : () => reader.describe()
    const violated = this.#integrity.recordFindings(judgement, occasion, came)
    const json = reader.isStream ? undefined : reader.json()
    if (reader.isStream) this.#integrity.recordStream(timings.events)
    else this.#readBody(json, ending)
    const leaked = this.#integrity.recordCrossTalk(
      plan.surface,
      this.#crossTalk.foreignNonce,
      occasion,
    )
    // A repeat may be answered with the response that is there already.
    if (this.#id !== undefined && !plan.duplicate) {
      this.#integrity.id({ id: this.#id, surface: plan.surface, request: occasion })
    }
    const outcome = requestOutcome({
      status: this.#status,
      ending,
      hasTerminalEvent: !reader.isStream || timings.timestamps.terminal !== null,
      cutReason: this.#cutReason,
      serverFailure: this.#serverFailure,
      violation: violated === undefined ? leaked : `${violated}${reader.unexpectedType()}`,
    })
    this.#settle(this.#classify(outcome), json)
  }

  /** What is recursive would run out of stack. */
  #settleIfTooDeep(reader: AnswerJudge): boolean {
    const { jsonDepth } = this.#limits.limits
    if (!reader.isDeeperThan(jsonDepth)) return false
    this.#settle({ kind: 'limit', detail: `JSON nested more than ${jsonDepth} levels deep` })
    return true
  }

  /** An answer in one piece: all of it is generated at once. */
  #readBody(json: unknown, ending: Ending): void {
    const { timings } = this
    this.#integrity.recordBody()
    if (ending.kind === 'complete') timings.timestamps.terminal = timings.timestamps.ended
    const read = answerFields(json)
    if (read === undefined) return
    this.#id = read.id
    if (read.usage !== undefined) timings.usage(read.usage)
    if (read.failure !== undefined) this.#serverFailure ??= this.#integrity.redact(read.failure)
    this.#crossTalk.add(read.text)
  }

  /** Such answers are judged, and their times say nothing of the target. */
  #classify(outcome: RequestOutcome): RequestOutcome {
    const { clientBehavior, race, duplicate } = this.plan
    // Which of the two is refused is up to the target.
    if (duplicate || (race && outcome.kind === 'status')) return { kind: 'left', why: 'race' }
    if (outcome.kind !== 'ok' || clientBehavior !== 'slow-reader') return outcome
    return { kind: 'left', why: 'slow-reader' }
  }

  #checkLimits(): void {
    const passed = this.#limits.check(this.#reader?.isStream === true, this.timings.events)
    if (passed === undefined) return
    this.#channel?.abandon()
    this.timings.timestamps.ended = this.timings.readAt
    this.#settle({ kind: 'limit', detail: passed })
  }

  #maybeAbort(): void {
    if (this.timings.generated > this.plan.intensity * maxFragmentsBeforeAbort)
      this.#disconnect('abort')
  }

  #disconnect(why: 'abort' | 'churn'): void {
    if (this.#settled) return
    this.#channel?.abandon()
    this.#settle({ kind: 'left', why })
  }

  #throttleReads(): void {
    const channel = this.#channel
    channel?.pause()
    setTimeout(() => channel?.resume(), 1 + this.plan.intensity * maxReadPauseMs)
  }

  #settle(outcome: RequestOutcome, json?: unknown): void {
    if (this.#settled) return
    this.#settled = true
    this.#limits.release()
    this.#encodedBody?.discard()
    const { index, step, transaction, surface, operation, form } = this.plan
    const { timestamps, gapsNs, counts } = this.timings
    const record: RequestRecord = {
      index,
      step,
      transaction,
      surface,
      operation,
      form,
      timestamps,
      gapsNs,
      counts,
      status: this.#status,
      outcome,
    }
    this.#handlers.onResult({ record, json, id: this.#id })
  }

  #reference() {
    const { index, step, operation, requestId } = this.plan
    return { index, step, operation, requestId }
  }

  #msSinceSent(at: number): number {
    return (at - (this.timings.timestamps.sent ?? at)) / 1e6
  }
}
