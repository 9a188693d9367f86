import type { Ending, Header } from '../../../contract/index.ts'
import type { ContentKind, StreamWatcher } from '../../judges/index.ts'
import { type AnswerHold, LimitWatch } from '../http/answer-limits.ts'
import type { AnswerSink, Channel, Opened } from '../http/channel.ts'
import { bodyCodings, CodedBody, type DecodedSink, type DecodeGate } from '../http/coded-body.ts'
import { readAnswer } from '../http/read-answer.ts'
import { AnswerReader, type Question } from '../judging/answer-reader.ts'
import { CrossTalkWatch } from '../judging/cross-talk.ts'
import type { IntegrityLedger } from '../judging/integrity-ledger.ts'
import type { Manner } from '../plan/plan.ts'
import type { RequestOutcome, RequestRecord } from '../record.ts'
import type { LoadTarget } from '../target.ts'
import { causeOf, connectFailure, outcomeOf } from './outcome.ts'
import { Stopwatch } from './stopwatch.ts'

/** One request as it is about to go out. */
export interface FlightPlan extends Question {
  readonly index: number
  readonly step: number
  readonly transaction: string
  readonly surface: 'openai' | 'v2' | 'v3'
  readonly planned: number
  readonly dispatched: number
  readonly nonce: string
  readonly noncePrefix: string
  readonly manner: Manner
  readonly degree: number
  readonly requestId: string
  /** The second of two requests with one idempotency key. */
  readonly twin: boolean
}

/** What the transaction learns of its answer. */
export interface Landing {
  readonly record: RequestRecord
  /** Of an answer in one piece. */
  readonly json: unknown
  /** Id of the response that was streamed, or that the body shows. */
  readonly id: string | undefined
}

/** What all flights of a thread share. */
export interface FlightPlace {
  readonly ledger: IntegrityLedger
  readonly hold: AnswerHold
  readonly gate: DecodeGate
  readonly target: Pick<LoadTarget, 'limits'>
}

/** Who waits for a flight; exactly one of them is called, once. */
export interface FlightEnd {
  readonly landed: (landing: Landing) => void
  /** An error of the kit itself kept it from landing. */
  readonly broke: (error: unknown) => void
}

/** Where an aborting client leaves at the latest, in fragments of generated content. */
const latestAbort = 20
const slowestReadMs = 60

/** One request under way: it keeps the time, passes the bytes to the judges, and lands once. */
export class Flight implements AnswerSink, DecodedSink, StreamWatcher {
  readonly plan: FlightPlan
  readonly watch: Stopwatch
  readonly #ledger: IntegrityLedger
  readonly #to: FlightEnd
  readonly #limits: LimitWatch
  readonly #gate: DecodeGate
  /** Of an answer with a Content-Encoding. */
  #coded: CodedBody | undefined
  readonly #crossTalk: CrossTalkWatch
  #channel: Channel | undefined
  #reader: AnswerReader | undefined
  #status: number | null = null
  #failure: string | undefined
  #cut: string | undefined
  #id: string | undefined
  #landed = false

  constructor(plan: FlightPlan, place: FlightPlace, to: FlightEnd) {
    const { ledger, hold, gate, target } = place
    this.plan = plan
    this.watch = new Stopwatch(plan.planned, plan.dispatched)
    this.#ledger = ledger
    this.#to = to
    this.#gate = gate
    this.#limits = new LimitWatch(hold, target.limits)
    this.#crossTalk = new CrossTalkWatch(plan.noncePrefix, plan.nonce)
  }

  launch(channel: Channel): void {
    // It waited for the connection for too long.
    if (this.#landed) {
      channel.abandon()
      return
    }
    this.#channel = channel
    channel.send(this.plan.request, this)
  }

  sent(at: number, opened: Opened | null): void {
    this.watch.sent(at, opened)
    // After the write, so that the server has begun to work for a client that is gone.
    if (this.plan.manner === 'churn') setImmediate(() => this.#leave('churn'))
  }

  head(status: number, headers: readonly Header[], at: number): void {
    if (this.#landed) return
    this.watch.read(0, at)
    this.watch.moments.headers = at
    this.#status = status
    const reader = new AnswerReader(this.plan, { status, headers }, this)
    this.#reader = reader
    const codings = bodyCodings(headers)
    if (codings.length === 0) return
    const { streamBytes, bodyBytes } = this.#limits.limits
    const most = reader.isStream ? streamBytes : bodyBytes
    this.#coded = new CodedBody(codings, most, this.#gate, this)
  }

  data(bytes: Uint8Array, at: number): void {
    // One read may bring more than what it was left for.
    if (this.#landed) return
    this.watch.read(bytes.length, at)
    if (this.#coded === undefined) this.decoded(bytes, at)
    else {
      this.#coded.push(bytes, at)
      if (this.#coded.isFull) this.#channel?.pause()
    }
    if (this.plan.manner === 'slow-reader') this.#dawdle()
  }

  decoded(bytes: Uint8Array, at: number): void {
    if (this.#landed) return
    const { watch } = this
    const { events } = watch
    watch.at = at
    this.#reader?.push(bytes, this.#sinceSent(at))
    this.#limits.took(bytes.length, watch.events > events)
    if (this.#limits.due) this.#checkLimits()
    if (this.plan.manner === 'abort') this.#perhapsAbort()
  }

  drained(): void {
    this.#channel?.resume()
  }

  undecodable(why: string, at: number): void {
    if (this.#landed) return
    this.#channel?.abandon()
    this.watch.moments.ended = at
    this.#cut = why
    this.#finish({ kind: 'undecodable', atMs: this.#sinceSent(at), error: why })
  }

  end(at: number): void {
    this.#afterDecoding(at, true, () => {
      this.watch.moments.ended = at
      this.#finish({ kind: 'complete', atMs: this.#sinceSent(at) })
    })
  }

  /** What ends an answer waits until all of it is decoded. */
  #afterDecoding(at: number, whole: boolean, run: () => void): void {
    if (this.#landed) return
    // It may carry another request meanwhile.
    this.#channel = undefined
    if (this.#coded === undefined) run()
    else this.#coded.finish(at, whole, run)
  }

  failed(error: Error, at: number): void {
    if (this.#landed) return
    if (this.#reader === undefined) {
      this.#landWith(connectFailure(error, this.watch.moments.sent !== null))
      return
    }
    this.#afterDecoding(at, false, () => {
      this.watch.moments.ended = at
      this.#cut = causeOf(error)
      this.#finish({ kind: 'cut', atMs: this.#sinceSent(at), error: error.message })
    })
  }

  broke(error: unknown): void {
    if (this.#landed) return
    this.#channel?.abandon()
    // Of a judge that ran out of stack.
    if (error instanceof RangeError) {
      this.watch.moments.ended = this.watch.at
      this.#landWith({ kind: 'limit', detail: 'an answer too deep or too large to be judged' })
      return
    }
    this.#landed = true
    this.#limits.over()
    this.#coded?.drop()
    this.#to.broke(error)
  }

  /** The peer was silent for too long. */
  timeout(at: number): void {
    this.#channel?.abandon()
    this.watch.moments.ended = at
    const where = this.#reader === undefined ? 'before headers' : 'inside the body'
    this.#landWith({ kind: 'timeout', detail: where })
  }

  /** The run ends while the request is in flight. */
  cutOff(at: number): void {
    this.#channel?.abandon()
    this.watch.moments.ended = at
    this.#landWith({ kind: 'open' })
  }

  event(): void {
    this.watch.event()
  }

  content(kind: ContentKind, text: string): void {
    this.watch.content(kind)
    this.#crossTalk.text(text)
  }

  terminal(): void {
    this.watch.terminal()
  }

  usage(usage: Readonly<Record<string, unknown>>): void {
    this.watch.usage(usage)
  }

  id(id: string): void {
    this.#id ??= id
  }

  serverFailed(why: string): void {
    this.#failure ??= this.#ledger.redact(why)
  }

  #finish(ending: Ending): void {
    const { plan, watch } = this
    const reader = this.#reader
    if (reader === undefined || this.#status === null) return
    if (!reader.isStream && this.#tooDeep(reader)) return
    const judgement = reader.end(ending)
    const occasion = { ...this.#occasion(), atNs: watch.at }
    const came = reader.isStream ? undefined : () => reader.came()
    const violated = this.#ledger.judgement(judgement, occasion, came)
    const json = reader.isStream ? undefined : reader.json()
    if (reader.isStream) this.#ledger.stream(watch.events)
    else this.#readBody(json, ending)
    const leaked = this.#ledger.crossTalk(plan.surface, this.#crossTalk.leaked, occasion)
    // A repeat may be answered with the response that is there already.
    if (this.#id !== undefined && !plan.twin) {
      this.#ledger.id({ id: this.#id, surface: plan.surface, occasion })
    }
    const outcome = outcomeOf({
      status: this.#status,
      ending,
      wholeStream: !reader.isStream || watch.moments.terminal !== null,
      cut: this.#cut,
      failure: this.#failure,
      violated: violated === undefined ? leaked : `${violated}${reader.oddType()}`,
    })
    this.#landWith(this.#forgive(outcome), json)
  }

  /** What is recursive would run out of stack. */
  #tooDeep(reader: AnswerReader): boolean {
    const { jsonDepth } = this.#limits.limits
    if (!reader.isDeeperThan(jsonDepth)) return false
    this.#landWith({ kind: 'limit', detail: `JSON nested more than ${jsonDepth} levels deep` })
    return true
  }

  /** An answer in one piece: all of it is generated at once. */
  #readBody(json: unknown, ending: Ending): void {
    const { watch } = this
    this.#ledger.body()
    if (ending.kind === 'complete') watch.moments.terminal = watch.moments.ended
    const read = readAnswer(json)
    if (read === undefined) return
    this.#id = read.id
    if (read.usage !== undefined) watch.usage(read.usage)
    if (read.failure !== undefined) this.#failure ??= this.#ledger.redact(read.failure)
    this.#crossTalk.text(read.text)
  }

  /** Such answers are judged, and their times say nothing of the target. */
  #forgive(outcome: RequestOutcome): RequestOutcome {
    const { manner, race, twin } = this.plan
    // Which of the two is refused is up to the target.
    if (twin || (race && outcome.kind === 'status')) return { kind: 'left', why: 'race' }
    if (outcome.kind !== 'ok' || manner !== 'slow-reader') return outcome
    return { kind: 'left', why: 'slow-reader' }
  }

  #checkLimits(): void {
    const passed = this.#limits.check(this.#reader?.isStream === true, this.watch.events)
    if (passed === undefined) return
    this.#channel?.abandon()
    this.watch.moments.ended = this.watch.at
    this.#landWith({ kind: 'limit', detail: passed })
  }

  #perhapsAbort(): void {
    if (this.watch.generated > this.plan.degree * latestAbort) this.#leave('abort')
  }

  #leave(why: 'abort' | 'churn'): void {
    if (this.#landed) return
    this.#channel?.abandon()
    this.#landWith({ kind: 'left', why })
  }

  #dawdle(): void {
    const channel = this.#channel
    channel?.pause()
    setTimeout(() => channel?.resume(), 1 + this.plan.degree * slowestReadMs)
  }

  #landWith(outcome: RequestOutcome, json?: unknown): void {
    if (this.#landed) return
    this.#landed = true
    this.#limits.over()
    this.#coded?.drop()
    const { index, step, transaction, surface, operation, form } = this.plan
    const { moments, gapsNs, counts } = this.watch
    const record: RequestRecord = {
      index,
      step,
      transaction,
      surface,
      operation,
      form,
      stamps: moments,
      gapsNs,
      counts,
      status: this.#status,
      outcome,
    }
    this.#to.landed({ record, json, id: this.#id })
  }

  #occasion() {
    const { index, step, operation, requestId } = this.plan
    return { index, step, operation, requestId }
  }

  #sinceSent(at: number): number {
    return (at - (this.watch.moments.sent ?? at)) / 1e6
  }
}
