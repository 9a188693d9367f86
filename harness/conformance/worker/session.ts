import { notRecorded } from '../../client/index.ts'
import {
  type Exchange,
  type ExchangeLabels,
  type Finding,
  type Observation,
  type OpenQuestionId,
  type RequirementId,
  requestPath,
  requirements,
} from '../../contract/index.ts'
import { judge } from '../../judges/index.ts'
import { type CreationKind, journalled } from '../journal.ts'
import { type Cost, noCost, type Reservation, type ScenarioOutcome } from '../run-setup.ts'
import { givenUpText } from './back-off.ts'
import type { RunContext } from './context.ts'
import { costOf } from './cost.ts'
import { InconclusiveError } from './errors.ts'
import { uuidFrom, wordFrom } from './identities.ts'
import { type RequestSpec, wireRequest } from './wire-request.ts'

export interface Started {
  /** Resolves when the first try has a status line or has ended. */
  readonly answered: Promise<void>
  /** The last try. Rejects with InconclusiveError where the target gave no usable answer. */
  readonly exchange: Promise<Exchange>
}

/** What an interrupt gives a request to end by itself, and a deletion after it. */
const graceMs = 1_000

/** One scenario at work: it sends, is judged passively, claims, and brings an outcome home. */
export class Session {
  readonly context: RunContext
  readonly slug: string
  private readonly title: string
  private readonly covers: readonly RequirementId[]
  private readonly signal: AbortSignal
  private readonly leaving = new AbortController()
  private readonly findings: Finding[] = []
  private readonly observations: Observation[] = []
  private readonly inconclusive: Reservation[] = []
  private readonly unproven: Reservation[] = []
  private readonly cleanups: (() => Promise<unknown>)[] = []
  private cost: Cost = noCost
  private ordinal = 0
  private drawn = 0
  private latest: Exchange | undefined

  constructor(
    context: RunContext,
    scenario: { slug: string; title: string; covers: readonly RequirementId[] },
    signal: AbortSignal,
  ) {
    this.context = context
    this.slug = scenario.slug
    this.title = scenario.title
    this.covers = scenario.covers
    this.signal = signal
    const leave = () => setTimeout(() => this.leaving.abort(signal.reason), graceMs)
    signal.addEventListener('abort', leave, { once: true })
  }

  /** True where the row is judged in this run. */
  judges(row: RequirementId): boolean {
    return this.context.setup.rows.includes(row)
  }

  send(spec: RequestSpec): Promise<Exchange> {
    return this.start(spec).exchange
  }

  start(spec: RequestSpec): Started {
    const ordinal = ++this.ordinal
    const answered = Promise.withResolvers<void>()
    const exchange = this.converse(spec, ordinal, answered.resolve)
    exchange.then(
      () => answered.resolve(),
      () => answered.resolve(),
    )
    return { answered: answered.promise, exchange }
  }

  /** Ends with the run. */
  sleep(ms: number): Promise<void> {
    return this.context.sleep(ms, this.signal)
  }

  /** Sends what creates something, with the journal written around it. */
  create(
    kind: CreationKind,
    name: string,
    send: () => Promise<Exchange>,
    idIn: (answer: Exchange) => string | undefined,
  ): Promise<Exchange> {
    return journalled(this.context.journal, { kind, name, scenario: this.slug }, send, idIn)
  }

  /** A word that occurs nowhere else; the same in a run that is repeated with its seed. */
  nonce(): string {
    return wordFrom(this.draw())
  }

  uuid(): string {
    return uuidFrom(this.draw())
  }

  /** Name of something that the run creates. */
  name(): string {
    return `${this.nonce()} ${this.context.setup.tag}`
  }

  record(
    row: RequirementId,
    verdict: Finding['verdict'],
    why: string,
    evidence?: readonly Exchange[],
  ): void {
    if (!this.covers.includes(row)) {
      throw new Error(`the scenario claims ${row} but does not cover it`)
    }
    this.findings.push({ row, verdict, why, exchanges: this.idsOf(evidence) })
  }

  observe(question: OpenQuestionId, answer: string, evidence?: readonly Exchange[]): void {
    this.observations.push({ question, answer, exchanges: this.idsOf(evidence) })
  }

  /** Leaves rows undecided, with the reason; the scenario goes on. */
  reserve(kind: 'inconclusive' | 'unproven', rows: readonly RequirementId[], reason: string): void {
    this[kind].push({ rows, reason, exchanges: this.idsOf(undefined) })
  }

  /** Runs after the scenario, whatever became of it; the last one first. */
  onCleanup(action: () => Promise<unknown>): void {
    this.cleanups.push(action)
  }

  async cleanUp(): Promise<void> {
    for (const action of this.cleanups.reverse()) {
      try {
        await action()
      } catch {
        // What could not be removed stays in the journal; the verdicts stand without it.
      }
    }
  }

  /** What the scenario brings home; how it ended is added by whoever saw it end. */
  outcome(): ScenarioOutcome {
    const text = this.context.redactor.text
    const clean = (list: readonly Reservation[]) =>
      list.map((entry) => ({ ...entry, reason: text(entry.reason) }))
    return {
      slug: this.slug,
      title: this.title,
      covers: this.covers,
      findings: this.findings.map((finding) => ({ ...finding, why: text(finding.why) })),
      observations: this.observations.map((seen) => ({ ...seen, answer: text(seen.answer) })),
      inconclusive: clean(this.inconclusive),
      unproven: clean(this.unproven),
      cost: this.cost,
    }
  }

  private async converse(
    spec: RequestSpec,
    ordinal: number,
    onAnswered: () => void,
  ): Promise<Exchange> {
    for (let attempt = 0; ; attempt += 1) {
      if (spec.role !== 'cleanup') this.signal.throwIfAborted()
      const { toWait, toLeave } = this.patience(spec)
      const outgoing = {
        id: this.context.nextExchangeId(),
        labels: this.labels(spec, ordinal, attempt),
        request: wireRequest(spec, this.context.setup, `${this.slug}/${ordinal}`),
        timeoutMs: this.context.setup.profile.limits.timeoutMs,
        signal: toLeave,
        ...(spec.leaveAfterEvents === undefined ? {} : { leaveAfterEvents: spec.leaveAfterEvents }),
      }
      const pending = await this.context.send(outgoing, toWait)
      pending.answered.then(onAnswered)
      const exchange = await pending.exchange
      this.cost = costOf(this.cost, exchange)
      // Half an answer, because we left, shows nothing.
      if (exchange.ending.kind === 'aborted') toLeave.throwIfAborted()
      this.take(exchange)
      this.context.assertWithinLimits(exchange)
      const status = exchange.response?.status
      if (status !== 429 && status !== 503) return this.usable(exchange)
      const waitMs = this.context.retryAfter(exchange, attempt)
      if (waitMs === null) {
        const { limits } = this.context.setup.profile
        throw new InconclusiveError(`the target ${givenUpText(exchange, limits)}`, [exchange.id])
      }
      await this.context.sleep(waitMs, toWait)
    }
  }

  /** An interrupt ends all waiting, but for what tidies up. */
  private patience({ role }: RequestSpec) {
    if (role !== 'cleanup') return { toWait: this.signal, toLeave: this.leaving.signal }
    const signal = this.signal.aborted ? AbortSignal.timeout(graceMs) : this.leaving.signal
    return { toWait: signal, toLeave: signal }
  }

  private take(exchange: Exchange): void {
    this.latest = exchange
    const { findings, observations } = judge(exchange)
    this.findings.push(...findings.filter(({ row }) => row in requirements))
    this.observations.push(...observations)
  }

  /** Trouble of the transport is no verdict; a stream that was cut is one, and its judge has spoken. */
  private usable(exchange: Exchange): Exchange {
    const { ending, response } = exchange
    const where = `${exchange.request.method} ${requestPath(exchange)}`
    if (ending.kind === 'timeout') {
      const limit = this.context.setup.profile.limits.timeoutMs
      throw new InconclusiveError(`${where} was silent for more than ${limit} ms`, [exchange.id])
    }
    if (ending.kind === 'unreachable' && ending.code === notRecorded) {
      throw new InconclusiveError(`the recording lacks ${where}, which this kit asks`, [
        exchange.id,
      ])
    }
    if (ending.kind === 'undecodable') {
      throw new InconclusiveError(`${where}: ${ending.error}`, [exchange.id])
    }
    if (response === null || (ending.kind === 'cut' && exchange.events.length === 0)) {
      const error = 'error' in ending ? ending.error : ending.kind
      throw new InconclusiveError(`${where} got no whole answer: ${error}`, [exchange.id])
    }
    return exchange
  }

  private labels(spec: RequestSpec, ordinal: number, attempt: number): ExchangeLabels {
    const labels = { scenario: this.slug, ordinal, attempt, role: spec.role ?? 'act' }
    return spec.repeatOf === undefined ? labels : { ...labels, repeatOf: spec.repeatOf }
  }

  private idsOf(evidence: readonly Exchange[] | undefined): string[] {
    if (evidence) return evidence.map((exchange) => exchange.id)
    return this.latest ? [this.latest.id] : []
  }

  private draw(): string {
    this.drawn += 1
    return `${this.context.setup.seed}/${this.slug}/${this.drawn}`
  }
}
