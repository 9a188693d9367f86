/** A capacity search against a real target: baseline, probes with rests between them, hysteresis. */
import { medianOf } from '../../contract/averages.ts'
import { type CapacityProbe, loadOf } from '../../reports/capacity/model/probe.ts'
import type { CapacityReport } from '../../reports/capacity/model/report.ts'
import type { LoadProgress } from '../load/options.ts'
import { PreparationError } from '../load/run.ts'
import { attainablePrecision, budgetText, defaultProbeMs, type Probe } from './probe.ts'
import {
  type CapacityOptions,
  type CapacityProgress,
  type ProbeRun,
  type Rest,
  rest,
  runBaseline,
  runLoadProbe,
} from './probing/load-probe.ts'
import { probeLimits } from './probing/probe-limits.ts'
import { medianLatencyMs } from './probing/probe-observer.ts'
import { measuredProbe } from './probing/probe-row.ts'
import { buildCapacityReport, type SearchRecord, searchRecord } from './report/build-report.ts'
import { answer, type Capacity, searchCapacity } from './search.ts'

const maxProbes = 200

/** Searches until the interval is narrow or the budget is spent. */
export async function runCapacity(options: CapacityOptions): Promise<CapacityReport> {
  return new CapacityRun(options).run()
}

class CapacityRun {
  readonly #options: CapacityOptions
  /** Share over the limit that the tightest SLO allows. */
  readonly #allowed: number
  readonly #start = performance.now()
  readonly #probes: Probe[] = []
  /** Everything in the report besides the answer. */
  readonly #found: SearchRecord
  /** Ends the search; aborted by an interruption, or when the target is gone. */
  readonly #ending = new AbortController()
  #unloadedMs: number | null = null
  #rest: Rest | null = null

  constructor(options: CapacityOptions) {
    this.#options = options
    const limits = probeLimits(options.load.slos, options.load.maxRefusals)
    const shares = limits.flatMap(({ isFailures, allowed }) => (isFailures ? [] : allowed))
    this.#allowed = Math.min(...shares, 0.5)
    this.#found = searchRecord(options.probeMs ?? defaultProbeMs(options.budgetMs, 0))
  }

  async run(): Promise<CapacityReport> {
    const { min, max, precision, mayWiden = false, loop, signal } = this.#options
    if (signal.aborted) this.#ending.abort()
    signal.addEventListener('abort', () => this.#ending.abort(), { once: true })
    await this.#baseline()
    const probe = (load: number, effort: number) => this.#probe('search', load, { effort })
    const capacity = await searchCapacity(probe, {
      probes: this.#probes,
      min,
      max,
      precision: mayWiden ? (rate) => Math.max(precision, this.#attainable(rate)) : precision,
      maxProbes,
      probesLeft: () => this.#left() / this.#found.probeMs,
      signal: this.#ending.signal,
      ...(loop === 'closed' ? { step: 1 } : {}),
    })
    await this.#hysteresis(capacity)
    return this.#report(capacity)
  }

  #report(capacity: Capacity): CapacityReport {
    const run = { ...this.#found, capacity, durationMs: this.#elapsed() }
    return buildCapacityReport(this.#options, run)
  }

  async #baseline(): Promise<void> {
    this.#progress('baseline', null)
    const found = await this.#measure('baseline', 1, () => runBaseline(this.#options), 'closed')
    if (found === null) return
    const { observer } = found.run
    const answerMs = medianOf(observer.requests.flatMap(({ e2eMs }) => e2eMs ?? []))
    this.#unloadedMs = medianLatencyMs(observer.requests)
    this.#found.probeMs =
      this.#options.probeMs ?? defaultProbeMs(this.#options.budgetMs, answerMs ?? 0)
    this.#keep(found.row, found.run)
    this.#tellBudget(answerMs)
  }

  /** Sends a run; null if chats could not be created, which ends the search: the target is gone. */
  async #measure(
    purpose: CapacityProbe['purpose'],
    load: number,
    send: () => Promise<ProbeRun>,
    loop = this.#options.loop,
  ) {
    const atMs = this.#elapsed()
    const facts = {
      ...{ index: this.#found.rows.length, purpose, load, loop, atMs },
      unloadedMs: this.#unloadedMs,
      rest: this.#rest && { ms: this.#rest.ms, recovered: this.#rest.recovered },
    }
    try {
      const run = await send()
      return { run, ...measuredProbe(run, facts) }
    } catch (error) {
      if (!(error instanceof PreparationError)) throw error
      this.#found.notes.push(error.message)
      this.#found.isUnreachable = true
      this.#ending.abort()
      return null
    }
  }

  /** Reports in advance what the budget can decide, at the rate of one client or the minimum if that is higher. */
  #tellBudget(answerMs: number | null): void {
    const { loop, min, precision, onMessage } = this.#options
    if (loop === 'closed') return
    const rate = Math.max(min, answerMs === null ? 0 : 1000 / answerMs)
    const detail = { probeMs: this.#found.probeMs, precision }
    const sentence = budgetText(this.#question(rate), detail)
    if (sentence === null) return
    this.#found.notes.push(sentence)
    onMessage?.(sentence)
  }

  #question(rate: number) {
    return { rate, allowed: this.#allowed, budgetMs: this.#options.budgetMs }
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
    const run = {
      index: this.#found.rows.length,
      arrival:
        loop === 'open'
          ? ({ kind: arrival, perSecond: amount } as const)
          : ({ kind: 'closed', concurrency: amount, maxTransactions } as const),
      durationMs: effort * this.#found.probeMs,
      onProgress: (progress: LoadProgress) => this.#progress('probe', amount, progress),
    }
    const found = await this.#measure(purpose, amount, () => runLoadProbe(this.#options, run))
    if (found === null) return { rate: amount, limits: [], atMs, valid: false }
    const { row, probe } = found
    const { rateLimitHeaders } = found.run.observer
    if (probe.policy !== undefined) this.#found.rateLimit = rateLimitHeaders
    this.#rest = null
    const isDone = this.#ending.signal.aborted || (row.verdict === 'met' && row.valid)
    if (!isDone && mayRest) await this.#recover()
    // Failures of this probe mean that the target is gone, not slow.
    const isGone = this.#found.isUnreachable
    const unanswered = { valid: false, verdict: 'invalid', stopped: stoppedAnswering } as const
    this.#keep(isGone ? { ...row, ...unanswered } : row, found.run)
    return isGone ? { ...probe, valid: false } : probe
  }

  async #recover(): Promise<void> {
    this.#progress('rest', null)
    this.#rest = await rest(this.#options, this.#unloadedMs)
    this.#found.notes.push(...this.#rest.notes)
    if (!this.#rest.isUnreachable || this.#options.signal.aborted) return
    this.#found.isUnreachable = true
    this.#ending.abort()
  }

  /** Probes an overload, then at once a rate that was met before: a slowly recovering target misses it. */
  async #hysteresis({ end, interval, rate }: Capacity): Promise<void> {
    if (end !== 'precise' || rate === null || interval === null) return
    const below = interval[0] * downShare
    if (this.#left() < 2 * this.#found.probeMs || this.#ending.signal.aborted) return
    await this.#probe('hysteresis', rate * overload, { mayRest: false })
    if (!this.#ending.signal.aborted) await this.#probe('hysteresis', below, { mayRest: false })
  }

  #keep(row: CapacityProbe, { report, notes }: ProbeRun): void {
    this.#found.rows.push(row)
    this.#found.environment = report.generator.environment
    this.#found.notes.push(...notes, ...report.notes)
    this.#found.faults.push(...report.faults)
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
    const counted = this.#found.rows.filter(({ valid, purpose }) => valid && purpose === 'search')
    const of = (verdict: CapacityProbe['verdict']) =>
      counted.filter((row) => row.verdict === verdict).map(loadOf)
    const [met, missed] = [of('met'), of('missed')]
    this.#options.onProgress({
      phase,
      elapsedMs: this.#elapsed(),
      budgetMs: this.#options.budgetMs,
      probes: this.#found.rows,
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
