import { rankOf } from '../../../../contract/averages.ts'
import type { LoadReport } from '../../../../reports/load/model/report.ts'
import { arrivalText } from '../../../../reports/load/outcome.ts'
import { clean, shorten } from '../../../../reports/text/escape.ts'
import { columns, count, figure } from '../../../../reports/text/format.ts'
import { TargetUnusableError } from '../../../conformance/errors.ts'
import type { RunMetrics } from '../../../load/metrics/run-metrics.ts'
import type { ChartedMetric } from '../../../load/metrics/timeline.ts'
import type { LoadOptions, LoadProgress } from '../../../load/options.ts'
import {
  arrivals,
  isOwnArrival,
  minRequests,
  type Part,
  type PlanSpec,
  planHash,
  wholePlan,
} from '../../../load/plan/plan.ts'
import { arrivalRow } from '../../../load/report/build-report.ts'
import type { Io } from '../../terminal/io.ts'
import { showLatest } from '../../terminal/progress.ts'

/** Window of rates and quantiles, in seconds. */
const lookBack = 5
const maxProblems = 3

/** Progress of a load run, in four lines for a terminal of this width. */
export function liveLines(progress: LoadProgress, width: number): readonly string[] {
  const { phase, elapsedMs, durationMs, stats } = progress
  if (elapsedMs <= 0) return [phase]
  const metrics = stats.metrics
  const now = Math.max(1, Math.floor(elapsedMs / 1000))
  const from = Math.max(0, now - lookBack)
  const { completed, failed, shed, outputTokens } = metrics.seconds.sum(from, now)
  const rate = (number: number, over = now - from) => `${figure(number / over)}/s`
  // In-flight requests have no record yet, so the send rate is that of the whole run.
  const sent = rate(stats.requests + stats.inFlight, elapsedMs / 1000)
  const problems = problemText(metrics)
  return [
    `${phase}  ${seconds(elapsedMs)} of ${seconds(durationMs)}, ${seconds(durationMs - elapsedMs)} left  ${count(stats.requests, 'request')}, ${stats.inFlight} in flight`,
    `  sent ${sent}  completed ${rate(completed)}  failed ${rate(failed)}  shed ${rate(shed)}  tokens ${rate(outputTokens)}`,
    `  ${(['ttft', 'e2e', 'icl'] as const).map((name) => quantileText(metrics, name, from, now)).join('   ')}  ms`,
    ...(problems === '' ? [] : [`  ${problems}`]),
  ].map((line) => shorten(line, width))
}

export function progressLine({ phase, elapsedMs, durationMs, stats }: LoadProgress): string {
  const now = Math.max(1, Math.floor(elapsedMs / 1000))
  const from = Math.max(0, now - lookBack)
  const parts = [
    `${phase} ${seconds(elapsedMs)} of ${seconds(durationMs)}: ${count(stats.requests, 'request')}`,
    `${stats.inFlight} in flight`,
    `${stats.failed} failed`,
    `${quantileText(stats.metrics, 'ttft', from, now)} ms`,
    ...[problemText(stats.metrics)].filter((text) => text !== ''),
  ]
  return parts.join(', ')
}

/** Quantiles of a range of seconds, with two significant digits. */
function quantileText(metrics: RunMetrics, name: ChartedMetric, from: number, to: number): string {
  const sum = metrics.secondQuantiles.between(name, from, to + 1)
  const at = (q: number) => figure(sum.count === 0 ? null : sum.highAt(rankOf(q, sum.count)) / 1e6)
  return `${name} p50 ${at(0.5)} p90 ${at(0.9)} p99 ${at(0.99)}`
}

/** Violations and failures, the most frequent first. */
function problemText({ failures }: RunMetrics): string {
  const rows = failures.rows(0)
  const texts = rows
    .slice(0, maxProblems)
    .map(({ kind, detail, count }) => `${kind} ${clean(detail)} ×${count}`)
  const more = rows.length - texts.length
  return [...texts, ...(more > 0 ? [`${more} more`] : [])].join(', ')
}

function seconds(ms: number): string {
  return `${Math.max(0, Math.round(ms / 1000))} s`
}

/** Shows the progress of a load run, on the main thread, which sends nothing. */
export function showLoadProgress(io: Io, enabled: boolean) {
  return showLatest<LoadProgress>(io, enabled, {
    drawn: (latest, width) =>
      latest === undefined ? 'preparing' : liveLines(latest, width).join('\n'),
    logged: (latest) => `load: ${latest === undefined ? 'preparing' : progressLine(latest)}`,
    live: (latest) => ({ report: liveReport(latest), text: progressLine(latest) }),
  })
}

interface Shown {
  readonly isShown: boolean
  /** Runs it; `runLoad` by default. */
  readonly start?: (run: LoadOptions) => Promise<LoadReport>
  /** Closes what the run has opened; its notes belong to the report, or to the error. */
  readonly close?: () => readonly string[]
}

/**
 * Runs a load, and shows its progress.
 * @throws TargetUnusableError if the chats of the run cannot be created
 */
export async function runShown(
  run: Omit<LoadOptions, 'onProgress' | 'signal'>,
  { isShown, start, close = () => [] }: Shown,
  io: Io,
): Promise<LoadReport> {
  const { runLoad, PreparationError } = await import('../../../load/run.ts')
  const progress = showLoadProgress(io, isShown)
  try {
    const options = { ...run, signal: io.signal, onProgress: progress.update }
    const report = await (start ?? runLoad)(options)
    return { ...report, notes: [...report.notes, ...close()] }
  } catch (error) {
    if (!(error instanceof PreparationError)) throw error
    const sentences = [`${run.target.baseUrl}: ${error.message}`, ...close()]
    throw new TargetUnusableError('E_UNREACHABLE', sentences.join('\n'))
  } finally {
    progress.stop()
  }
}

/** The report so far; null before the start. */
export function liveReport({ elapsedMs, report }: LoadProgress): LoadReport | null {
  return elapsedMs > 0 ? report() : null
}

/** `--dry-run` of a load run, as text or JSON: what it costs its target. */
export function loadPlan(spec: PlanSpec, shard: Part | null, json = false): string {
  const none = { transactions: 0, requests: 0, promptWords: 0, answerTokens: 0 }
  const totals = new Map(spec.mix.entries.map(({ name }) => [name, { ...none }]))
  let count = 0
  for (const arrival of arrivals(spec)) {
    // The size of a closed loop is unknown before the run: a sample shows its composition.
    if (arrival.plannedNs === null && arrival.index >= closedSample) break
    if (!isOwnArrival(arrival, shard ?? wholePlan)) continue
    count += 1
    const entry = spec.mix.entries[arrival.entry]
    const total = entry === undefined ? undefined : totals.get(entry.name)
    if (entry === undefined || total === undefined) continue
    total.transactions += 1
    total.requests += minRequests(entry, arrival)
    total.promptWords += arrival.promptWords * arrival.turns
    total.answerTokens += (arrival.answerTokens ?? 0) * arrival.turns
  }
  const closed = spec.arrival.kind === 'closed'
  const seconds = spec.durationNs / 1e9
  const { mix, seed } = spec
  if (json) {
    const entries = [...totals].map(([name, total]) => ({ name, ...total }))
    const load = { arrival: arrivalRow(spec), seconds, mix: mix.name, seed, plan: planHash(spec) }
    return JSON.stringify({ ...load, shard, isSample: closed, entries }, null, 2)
  }
  const rows = [...totals].map(([name, total]) => [name, ...Object.values(total).map(String)])
  return [
    'Nothing was sent.',
    `Load      ${arrivalText(arrivalRow(spec))}, ${seconds} s`,
    `Mix       ${mix.name}`,
    `Seed      ${seed}`,
    `Plan      ${planHash(spec)}`,
    ...(shard === null ? [] : [`Shard     ${shard.index}/${shard.of}`]),
    '',
    closed
      ? `The first ${count} transactions (the total depends on the target):`
      : `${count} transactions:`,
    '',
    ...columns([['', 'transactions', 'requests', 'prompt words', 'answer tokens'], ...rows]),
    '',
    'This is the minimum: the number of pages of a history depends on the target.',
    'Chats are created before the run and deleted after it.',
  ].join('\n')
}

const closedSample = 1000
