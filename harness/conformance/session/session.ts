import type {
  Exchange,
  Finding,
  Observation,
  OpenQuestionId,
  RequirementId,
} from '../../../contract/index.ts'
import { type CreationKind, withJournal } from '../cleanup/journal.ts'
import { interruptRequestMs } from '../defaults.ts'
import { endpointsOf } from '../profile/index.ts'
import { type Prompts, plainPrompts } from '../prompts/prompts.ts'
import { isIncognito, type ScenarioOutcome, type Undecided } from '../run-setup.ts'
import { addExchangeCost, addExchangeTraffic, noCost, noTraffic } from '../usage.ts'
import type { RunContext } from './context.ts'
import { type EndpointRouting, type RequestRoute, routingOf } from './endpoint-routing.ts'
import { type Evidence, judgeForeign, ScenarioFindings } from './findings.ts'
import { newNonce, saidNonces, toUuid } from './identities.ts'
import type { Slot } from './limits/semaphore.ts'
import { isOdd } from './requests/failure.ts'
import type { FormStyle } from './requests/imitation.ts'
import { sendWithRetries } from './requests/send-with-retries.ts'
import { formStyleOf, type RequestSpec, type Started } from './requests/wire-request.ts'
import { createSettling, type Settling } from './settling.ts'

/** One running scenario: sends requests, judges them, takes claims and returns an outcome. */
export class Session {
  readonly context: RunContext
  readonly slug: string
  readonly contentSeed: string
  readonly prompts: Prompts
  readonly settling: Settling
  readonly #scenario: Pick<ScenarioOutcome, 'slug' | 'title' | 'covers'>
  readonly #signal: AbortSignal
  readonly #abortController = new AbortController()
  readonly findings = new ScenarioFindings()
  readonly #observations: Observation[] = []
  readonly #undecided = { inconclusive: [] as Undecided[], unproven: [] as Undecided[] }
  readonly #cleanups: (() => Promise<unknown>)[] = []
  #cost = noCost
  #traffic = noTraffic
  #ordinal = 0
  #drawn = 0
  /** Sessions outlive their scenarios, bodies must not. */
  #latest: readonly Evidence[] = []
  readonly #slot: Slot | undefined
  #routing: EndpointRouting | undefined

  constructor(
    context: RunContext,
    scenario: Pick<ScenarioOutcome, 'slug' | 'title' | 'covers'> & { prompts?: Prompts },
    signal: AbortSignal,
    slot?: Slot,
  ) {
    this.context = context
    this.slug = scenario.slug
    this.prompts = scenario.prompts ?? plainPrompts
    this.settling = createSettling(context.setup.profile.limits)
    this.#scenario = { slug: scenario.slug, title: scenario.title, covers: scenario.covers }
    this.#signal = signal
    this.#slot = slot
    this.contentSeed = `${context.setup.seed}/${scenario.slug}`
    this.#routing = routingOf(context.setup, this.contentSeed)
    signal.addEventListener('abort', this.#leaveSoon, { once: true })
  }

  /** Requests wait until earlier changes must be visible, also with one endpoint. */
  set waitsForChanges(waits: boolean) {
    this.#routing = routingOf(this.context.setup, this.contentSeed, waits)
  }

  get isAborted(): boolean {
    return this.#signal.aborted
  }

  isJudged(requirement: RequirementId): boolean {
    return this.context.setup.requirements.includes(requirement)
  }

  send(spec: RequestSpec): Promise<Exchange> {
    return this.start(spec).exchange
  }

  start(spec: RequestSpec): Started {
    const answered = Promise.withResolvers<void>()
    const route = this.#routing?.route(spec)
    const exchange = sendWithRetries({
      ...{ context: this.context, slug: this.slug, spec, ordinal: ++this.#ordinal, route },
      ...{ signal: this.#signal, lateSignal: this.#abortController.signal },
      ...{ lendSlot: this.#lendSlot, waitForOthers: () => this.waitForOthers() },
      onAnswered: answered.resolve,
      recordExchange: (ended) => this.#take(ended, spec, route),
      observe: (question, answer, evidence) => this.observe(question, answer, evidence),
    })
    exchange.finally(answered.resolve).catch(() => {})
    return { answered: answered.promise, exchange }
  }

  /** One read for each endpoint, repeated until a change must be visible; each always uses the same one. */
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

  /** Waits until the rate limit allows this number of requests at once, and endpoints show earlier writes. */
  async waitForBurst(requests: number): Promise<void> {
    if (this.#routing !== undefined) await this.sleep(this.settling.ms)
    await this.context.gate.waitForBurst(requests, this.#signal)
  }

  /** Waits, in an incognito run, until all scenarios have sent what is not refused, by which a test is recognized. */
  async waitForOthers(): Promise<void> {
    if (isIncognito(this.context.setup)) await this.#slot?.waitForOthers()
  }

  /** Rejects when the run ends; other scenarios run meanwhile. */
  sleep(ms: number): Promise<void> {
    return this.#lendSlot(() => this.context.gate.sleep(ms, this.#signal))
  }

  /** Sends a request that creates something, recorded in the journal before and after. */
  create(
    kind: CreationKind,
    name: string,
    send: () => Promise<Exchange>,
    idIn: (answer: Exchange) => string | undefined,
  ): Promise<Exchange> {
    return withJournal(this.context.journal, { kind, name, scenario: this.slug }, send, idIn)
  }

  /** A unique word, another one in each run: what an earlier run with this seed has left behind has others. */
  nonce(): string {
    return newNonce(this.context.setup, `${this.context.setup.keySeed}${this.#draw()}`)
  }

  /** Nonces in a text that any scenario has said. */
  noncesSaidIn(text: string): readonly string[] {
    return saidNonces(this.context.setup, text)
  }

  uuid(): string {
    return toUuid(`${this.context.setup.keySeed}${this.#draw()}`)
  }

  /** Form of a multipart body. */
  formStyle(): FormStyle {
    return formStyleOf(this.context.setup, this.slug, this.#draw())
  }

  /** Name of something that the run creates. */
  name(): string {
    return this.prompts.title(this.nonce(), this.context.setup.tag)
  }

  /** `isConfirmed`: a repeat of its requests showed it again, so it needs no confirmation. */
  addFinding(
    requirement: RequirementId,
    verdict: Finding['verdict'],
    why: string,
    evidence: readonly Evidence[] = this.#latest,
    isConfirmed = false,
  ): void {
    if (!this.#scenario.covers.includes(requirement)) {
      throw new Error(`the scenario claims ${requirement} but does not cover it`)
    }
    this.findings.add({ requirement, verdict, why }, evidence, isConfirmed)
  }

  observe(
    question: OpenQuestionId,
    answer: string,
    evidence: readonly Evidence[] = this.#latest,
  ): void {
    this.#observations.push({ question, answer, exchanges: evidence.map(({ id }) => id) })
  }

  /** Leaves requirements undecided, with the reason; the scenario continues. */
  markUndecided(
    kind: 'inconclusive' | 'unproven',
    requirements: readonly RequirementId[],
    reason: string,
  ): void {
    const exchanges = this.#latest.map(({ id }) => id)
    this.#undecided[kind].push({ requirements, reason, exchanges })
  }

  /** Runs after the scenario, however it ended; in reverse order. */
  onCleanup(action: () => Promise<unknown>): void {
    this.#cleanups.push(action)
  }

  async cleanUp(): Promise<void> {
    for (const action of this.#cleanups.splice(0).reverse()) {
      try {
        await action()
      } catch {
        // What was not removed stays in the journal; the verdicts do not depend on it.
      }
    }
    this.#signal.removeEventListener('abort', this.#leaveSoon)
  }

  /** Requests that were sent once more. */
  get retries(): number {
    return this.#traffic.retries
  }

  /** Result of the scenario; its end is added by the caller. */
  outcome(): ScenarioOutcome {
    const text = this.context.redactor.text
    const clean = (list: readonly Undecided[]) =>
      list.map((entry) => ({ ...entry, reason: text(entry.reason) }))
    return {
      ...this.#scenario,
      ...this.findings.outcome(text, this.settling.isLate && this.#routing === undefined),
      observations: this.#observations.map((one) => ({ ...one, answer: text(one.answer) })),
      inconclusive: clean(this.#undecided.inconclusive),
      unproven: clean(this.#undecided.unproven),
      cost: this.#cost,
      traffic: this.#traffic,
    }
  }

  readonly #lendSlot = (wait: () => Promise<void>) => this.#slot?.lend(wait) ?? wait()

  readonly #leaveSoon = () => {
    setTimeout(() => this.#abortController.abort(this.#signal.reason), interruptRequestMs)
  }

  #take(exchange: Exchange, spec: RequestSpec, route: RequestRoute | undefined): void {
    route?.ended(exchange)
    this.#cost = addExchangeCost(this.#cost, exchange)
    // A response that chatgen aborted is incomplete and proves nothing.
    if (exchange.ending.kind === 'aborted' && this.#abortController.signal.aborted) return
    this.#traffic = addExchangeTraffic(this.#traffic, exchange)
    this.#latest = [{ id: exchange.id, isOdd: isOdd(exchange) }]
    const foreign = judgeForeign(this.context.setup, spec, exchange)
    this.#observations.push(...this.findings.judge(exchange, foreign))
  }

  #draw(): string {
    return `${this.contentSeed}/${++this.#drawn}`
  }
}
