/** A capacity search against a real target: baseline, probes with rests between them, hysteresis. */
import type { CapacityProbe } from '../../reports/capacity/model/probe.ts'
import type { CapacityReport } from '../../reports/capacity/model/report.ts'
import { generatorEnvironment } from '../load/generator/generator-monitor.ts'
import { PreparationError } from '../load/run.ts'
import { attainablePrecision, budgetText, defaultProbeMs, type Probe } from './probe.ts'
import {
  type CapacityOptions,
  type CapacityProgress,
  type Rest,
  rest,
  runBaseline,
  runLoadProbe,
} from './probing/load-probe.ts'
import { probeLimits } from './probing/probe-limits.ts'
import { measuredProbe } from './probing/probe-row.ts'
import { buildCapacityReport } from './report/build-report.ts'
import { answer, type Capacity, searchCapacity } from './search.ts'

const maxProbes = 200

/** Searches until the interval is narrow or the budget is spent. */
export async function runCapacity(options: CapacityOptions): Promise<CapacityReport> {
  return new CapacityRun(options).run()
}

class CapacityRun {
  readonly #options: CapacityOptions
  readonly #startedAt = new Date()
  readonly #start = performance.now()
  readonly #rows: CapacityProbe[] = []
  readonly #probes: Probe[] = []
  readonly #notes: string[] = []
  readonly #faults: string[] = []
  /** Ends the search; aborted by an interruption, or when the target is gone. */
  readonly #ending = new AbortController()
  #unloadedMs: number | null = null
  #probeMs: number
  #isUnreachable = false
  #rest: Rest | null = null
  #environment = generatorEnvironment()
  #rateLimit: Readonly<Record<string, string>> = {}

  constructor(options: CapacityOptions) {
    this.#options = options
    this.#probeMs = options.probeMs ?? defaultProbeMs(options.budgetMs, 0)
  }

  async run(): Promise<CapacityReport> {
    const { min, max, precision, mayWiden = false, loop, signal } = this.#options
    if (signal.aborted) this.#ending.abort()
    signal.addEventListener('abort', () => this.#ending.abort(), { once: true })
    await this.#baseline()
    const probe = async (load: number, effort: number) => {
      const found = await this.#probe('search', load, { effort })
      this.#probes.push({ ...found, effort })
      return found
    }
    const capacity = await searchCapacity(probe, {
      min,
      max,
      precision: mayWiden ? (rate) => Math.max(precision, this.#attainable(rate)) : precision,
      maxProbes,
      probesLeft: () => this.#left() / this.#probeMs,
      signal: this.#ending.signal,
      ...(loop === 'closed' ? { step: 1 } : {}),
    })
    await this.#hysteresis(capacity)
    return this.#report(capacity)
  }

  #report(capacity: Capacity): CapacityReport {
    return buildCapacityReport(this.#options, {
      capacity,
      rows: this.#rows,
      startedAt: this.#startedAt,
      durationMs: this.#elapsed(),
      probeMs: this.#probeMs,
      isUnreachable: this.#isUnreachable,
      environment: this.#environment,
      rateLimit: this.#rateLimit,
      notes: [...new Set(this.#notes)],
      faults: this.#faults,
    })
  }

  async #baseline(): Promise<void> {
    this.#progress('baseline', null)
    const atMs = this.#elapsed()
    const run = await runBaseline(this.#options).catch((error: unknown) => this.#lost(error))
    if (run === null) return
    const { observer } = run
    this.#unloadedMs = observer.medianLatencyMs()
    this.#probeMs =
      this.#options.probeMs ??
      defaultProbeMs(this.#options.budgetMs, observer.medianResidenceMs() ?? 0)
    const { row } = measuredProbe(run, { ...this.#facts('baseline', 1, atMs), loop: 'closed' })
    this.#keep(row, run.report, run.notes)
    this.#tellBudget(observer.medianResidenceMs())
  }

  /** Reports in advance what the budget can decide, at the rate of one client or the minimum if that is higher. */
  #tellBudget(answerMs: number | null): void {
    const { loop, min, precision, onMessage } = this.#options
    if (loop === 'closed') return
    const rate = Math.max(min, answerMs === null ? 0 : 1000 / answerMs)
    const detail = { probeMs: this.#probeMs, precision, unit: '/s' }
    const sentence = budgetText(this.#question(rate), detail)
    if (sentence === null) return
    this.#notes.push(sentence)
    onMessage?.(sentence)
  }

  #question(rate: number) {
    const { load, budgetMs } = this.#options
    const limits = probeLimits(load.slos, load.maxRefusals).filter(({ isFailures }) => !isFailures)
    const allowed = Math.min(...limits.map((limit) => limit.allowed), 0.5)
    return { rate, allowed, budgetMs }
  }

  #attainable(rate: number): number {
    return this.#options.loop === 'closed' ? 0 : attainablePrecision(this.#question(rate))
  }

  async #probe(
    purpose: 'search' | 'hysteresis',
    load: number,
    { effort = 1, mayRest = true } = {},
  ): Promise<Probe> {
    const { loop, arrival } = this.#options
    const amount = loop === 'closed' ? Math.max(1, Math.round(load)) : load
    const atMs = this.#elapsed()
    this.#progress('probe', amount)
    const run = await runLoadProbe(this.#options, {
      index: this.#rows.length,
      arrival:
        loop === 'open'
          ? { kind: arrival, perSecond: amount }
          : { kind: 'closed', concurrency: amount, maxTransactions: maxTransactions },
      durationMs: effort * this.#probeMs,
      mayGiveUp: true,
      isDistributed: true,
      onProgress: (progress) => this.#progress('probe', amount, progress),
    }).catch((error: unknown) => this.#lost(error))
    if (run === null) return { rate: amount, limits: [], atMs, valid: false }
    const { row, probe } = measuredProbe(run, this.#facts(purpose, amount, atMs))
    if (probe.policy !== undefined) this.#rateLimit = run.observer.rateLimitHeaders
    this.#rest = null
    const isDone = this.#ending.signal.aborted || (row.verdict === 'met' && row.valid)
    if (!isDone && mayRest) await this.#recover()
    // Failures of this probe mean that the target is gone, not slow.
    const isGone = this.#isUnreachable
    this.#keep(
      isGone ? { ...row, valid: false, verdict: 'invalid', stopped: stoppedAnswering } : row,
      run.report,
      run.notes,
    )
    return isGone ? { ...probe, valid: false } : probe
  }

  async #recover(): Promise<void> {
    this.#progress('rest', null)
    this.#rest = await rest(this.#options, this.#unloadedMs)
    this.#notes.push(...this.#rest.notes)
    if (!this.#rest.isUnreachable || this.#options.signal.aborted) return
    this.#isUnreachable = true
    this.#ending.abort()
  }

  /** Probes an overload, then at once a rate that was met before: a slowly recovering target misses it. */
  async #hysteresis({ end, interval, rate }: Capacity): Promise<void> {
    if (end !== 'precise' || rate === null || interval === null) return
    const below = interval[0] * downShare
    if (this.#left() < 2 * this.#probeMs || this.#ending.signal.aborted) return
    await this.#probe('hysteresis', rate * overload, { mayRest: false })
    if (!this.#ending.signal.aborted) await this.#probe('hysteresis', below, { mayRest: false })
  }

  #facts(purpose: CapacityProbe['purpose'], load: number, atMs: number) {
    const { loop, load: options } = this.#options
    const rested = this.#rest
    return {
      index: this.#rows.length,
      purpose,
      load,
      loop,
      atMs,
      limits: probeLimits(options.slos, options.maxRefusals),
      unloadedMs: this.#unloadedMs,
      rest: rested === null ? null : { ms: rested.ms, recovered: rested.recovered },
    }
  }

  #keep(
    row: CapacityProbe,
    report: Parameters<typeof measuredProbe>[0]['report'],
    notes: readonly string[],
  ): void {
    this.#rows.push(row)
    this.#environment = report.generator.environment
    this.#notes.push(...notes, ...report.notes)
    this.#faults.push(...report.faults)
  }

  /** Ends the search if chats could not be created: the target is gone. */
  #lost(error: unknown): null {
    if (!(error instanceof PreparationError)) throw error
    this.#notes.push(error.message)
    this.#isUnreachable = true
    this.#ending.abort()
    return null
  }

  #elapsed(): number {
    return performance.now() - this.#start
  }

  #left(): number {
    return this.#options.budgetMs - this.#elapsed()
  }

  #progress(
    phase: CapacityProgress['phase'],
    rate: number | null,
    load: CapacityProgress['load'] = null,
  ): void {
    const counted = this.#rows.filter(({ valid, purpose }) => valid && purpose === 'search')
    const loadOf = (row: CapacityProbe) => row.clients ?? row.rate
    const of = (verdict: CapacityProbe['verdict']) =>
      counted.filter((row) => row.verdict === verdict).map(loadOf)
    const [met, missed] = [of('met'), of('missed')]
    this.#options.onProgress({
      phase,
      elapsedMs: this.#elapsed(),
      budgetMs: this.#options.budgetMs,
      probes: this.#rows,
      rate,
      met: met.length === 0 ? null : Math.max(...met),
      missed: missed.length === 0 ? null : Math.min(...missed),
      load,
      report: () => this.#report(answer('interrupted', this.#probes)),
    })
  }
}

const stoppedAnswering = 'the target stopped answering'
/** Bound of the plan of a closed loop, above the transactions of any probe. */
const maxTransactions = 100_000_000
const overload = 1.5
const downShare = 0.9
