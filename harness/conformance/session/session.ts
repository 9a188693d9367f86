import {
  type Exchange,
  type Finding,
  type Observation,
  type OpenQuestionId,
  type RequirementId,
  requirements,
} from '../../../contract/index.ts'
import { judge } from '../../judges/index.ts'
import { type CreationKind, withJournal } from '../cleanup/journal.ts'
import { endpointsOf } from '../profile/index.ts'
import { isIncognito, type ScenarioOutcome, type Undecided } from '../run-setup.ts'
import {
  addExchangeCost,
  addExchangeTraffic,
  type Cost,
  noCost,
  noTraffic,
  type Traffic,
} from '../usage.ts'
import type { RunContext } from './context.ts'
import { type EndpointRouting, type RequestRoute, routingOf } from './endpoint-routing.ts'
import { contentSeed } from './former-slugs.ts'
import { toBoundary, toReference, toUuid, toWord, wordsIn } from './identities.ts'
import { interruptRequestMs } from './limits/grace-periods.ts'
import type { Slot } from './limits/slot.ts'
import { type Prompts, plainPrompts } from './prompts.ts'
import { sendWithRetries } from './requests/send-with-retries.ts'
import type { RequestSpec } from './requests/wire-request.ts'

export interface Started {
  /** Resolves when the first try has a status line or has ended. */
  readonly answered: Promise<void>
  /** The last try. Rejects with InconclusiveError where the target gave no usable answer. */
  readonly exchange: Promise<Exchange>
}

/** One scenario at work: it sends, is judged passively, claims, and brings an outcome home. */
export class Session {
  readonly context: RunContext
  readonly slug: string
  readonly contentSeed: string
  readonly prompts: Prompts
  readonly #title: string
  readonly #covers: readonly RequirementId[]
  readonly #signal: AbortSignal
  readonly #abortController = new AbortController()
  readonly #findings: Finding[] = []
  readonly #observations: Observation[] = []
  readonly #inconclusive: Undecided[] = []
  readonly #unproven: Undecided[] = []
  readonly #cleanups: (() => Promise<unknown>)[] = []
  #cost: Cost = noCost
  #traffic: Traffic = noTraffic
  #ordinal = 0
  #drawn = 0
  #latest: Exchange | undefined
  readonly #slot: Slot | undefined
  readonly #routing: EndpointRouting | undefined

  constructor(
    context: RunContext,
    scenario: Pick<ScenarioOutcome, 'slug' | 'title' | 'covers'> & { prompts?: Prompts },
    signal: AbortSignal,
    slot?: Slot,
  ) {
    this.context = context
    this.slug = scenario.slug
    this.prompts = scenario.prompts ?? plainPrompts
    this.#title = scenario.title
    this.#covers = scenario.covers
    this.#signal = signal
    this.#slot = slot
    this.contentSeed = `${context.setup.seed}/${contentSeed(scenario.slug)}`
    this.#routing = routingOf(context.setup, this.contentSeed)
    const leave = () =>
      setTimeout(() => this.#abortController.abort(signal.reason), interruptRequestMs)
    signal.addEventListener('abort', leave, { once: true })
  }

  /** True where the row is judged in this run. */
  isJudged(row: RequirementId): boolean {
    return this.context.setup.rows.includes(row)
  }

  send(spec: RequestSpec): Promise<Exchange> {
    return this.start(spec).exchange
  }

  start(spec: RequestSpec): Started {
    const ordinal = ++this.#ordinal
    const answered = Promise.withResolvers<void>()
    const route = this.#routing?.route(spec)
    const exchange = sendWithRetries(
      {
        context: this.context,
        slug: this.slug,
        signal: this.#signal,
        lateSignal: this.#abortController.signal,
        lendSlot: (wait) => (this.#slot === undefined ? wait() : this.#slot.lend(wait)),
        recordExchange: (ended) => this.#take(ended, spec, route),
        observe: (question, answer, evidence) => this.observe(question, answer, evidence),
      },
      { spec, ordinal, ...(route === undefined ? {} : { route }) },
      answered.resolve,
    )
    exchange.then(
      () => answered.resolve(),
      () => answered.resolve(),
    )
    return { answered: answered.promise, exchange }
  }

  /**
   * A read that is repeated until a change must be visible, once for each endpoint of the target: it
   * begins there, and goes to the same endpoints each time.
   */
  polls<Value>(read: () => Promise<Value>): readonly (() => Promise<Value>)[] {
    const routing = this.#routing
    if (routing === undefined) return [read]
    const { profile } = this.context.setup
    return endpointsOf(profile).map(() => routing.repeated(read, { isPoll: true }))
  }

  /** Requests that are repeated at the same endpoints, after earlier changes have become visible. */
  repeated<Value>(read: () => Promise<Value>): () => Promise<Value> {
    return this.#routing?.repeated(read, { isPoll: false }) ?? read
  }

  /** Ends with the run. */
  sleep(ms: number): Promise<void> {
    return this.context.sleep(ms, this.#signal)
  }

  /** Sends what creates something, with the journal written around it. */
  create(
    kind: CreationKind,
    name: string,
    send: () => Promise<Exchange>,
    idIn: (answer: Exchange) => string | undefined,
  ): Promise<Exchange> {
    return withJournal(this.context.journal, { kind, name, scenario: this.slug }, send, idIn)
  }

  /** A word that occurs nowhere else; the same in a run that is repeated with its seed. */
  nonce(): string {
    const text = this.#draw()
    return isIncognito(this.context.setup) ? toReference(text) : toWord(text)
  }

  /** Nonces of any scenario in a text; in an incognito run they have no form of their own, and none is found. */
  noncesIn(text: string): readonly string[] {
    return isIncognito(this.context.setup) ? [] : wordsIn(text)
  }

  uuid(): string {
    return toUuid(this.#draw())
  }

  /** Boundary of a multipart body (RFC 2046, 5.1.1). */
  boundary(): string {
    return isIncognito(this.context.setup) ? toBoundary(this.#draw()) : `chatgen-${this.nonce()}`
  }

  /** Name of something that the run creates. */
  name(): string {
    const { setup } = this.context
    return isIncognito(setup) ? this.prompts.title(this.nonce()) : `${this.nonce()} ${setup.tag}`
  }

  addFinding(
    row: RequirementId,
    verdict: Finding['verdict'],
    why: string,
    evidence?: readonly Exchange[],
  ): void {
    if (!this.#covers.includes(row)) {
      throw new Error(`the scenario claims ${row} but does not cover it`)
    }
    this.#findings.push({ row, verdict, why, exchanges: this.#idsOf(evidence) })
  }

  observe(question: OpenQuestionId, answer: string, evidence?: readonly Exchange[]): void {
    this.#observations.push({ question, answer, exchanges: this.#idsOf(evidence) })
  }

  /** Leaves rows undecided, with the reason; the scenario goes on. */
  markUndecided(
    kind: 'inconclusive' | 'unproven',
    rows: readonly RequirementId[],
    reason: string,
  ): void {
    const list = kind === 'inconclusive' ? this.#inconclusive : this.#unproven
    list.push({ rows, reason, exchanges: this.#idsOf(undefined) })
  }

  /** Runs after the scenario, whatever became of it; the last one first. */
  onCleanup(action: () => Promise<unknown>): void {
    this.#cleanups.push(action)
  }

  async cleanUp(): Promise<void> {
    for (const action of this.#cleanups.reverse()) {
      try {
        await action()
      } catch {
        // What could not be removed stays in the journal; the verdicts stand without it.
      }
    }
  }

  /** Result of the scenario; its end is added by the caller. */
  outcome(): ScenarioOutcome {
    const text = this.context.redactor.text
    const clean = (list: readonly Undecided[]) =>
      list.map((entry) => ({ ...entry, reason: text(entry.reason) }))
    return {
      slug: this.slug,
      title: this.#title,
      covers: this.#covers,
      findings: this.#findings.map((finding) => ({ ...finding, why: text(finding.why) })),
      observations: this.#observations.map((one) => ({ ...one, answer: text(one.answer) })),
      inconclusive: clean(this.#inconclusive),
      unproven: clean(this.#unproven),
      cost: this.#cost,
      traffic: this.#traffic,
    }
  }

  #take(exchange: Exchange, { protocol }: RequestSpec, route: RequestRoute | undefined): void {
    route?.ended(exchange)
    this.#cost = addExchangeCost(this.#cost, exchange)
    if (protocol !== undefined) return
    // Half an answer, because we left, shows nothing.
    if (exchange.ending.kind === 'aborted' && this.#abortController.signal.aborted) return
    this.#traffic = addExchangeTraffic(this.#traffic, exchange)
    this.#latest = exchange
    const { findings, observations } = judge(exchange)
    this.#findings.push(...findings.filter(({ row }) => row in requirements))
    this.#observations.push(...observations)
  }

  #idsOf(evidence: readonly Exchange[] | undefined): string[] {
    return (evidence ?? (this.#latest ? [this.#latest] : [])).map(({ id }) => id)
  }

  #draw(): string {
    return `${this.contentSeed}/${++this.#drawn}`
  }
}
