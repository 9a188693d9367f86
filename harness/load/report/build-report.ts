import { hash } from 'node:crypto'
import { count } from '../../../contract/text.ts'
import type { ArrivalRow, LoadReport } from '../../../reports/load/model/report.ts'
import type { WorkerPoolResult } from '../engine/worker-thread.ts'
import { buildIntegrity } from '../judging/integrity.ts'
import type { PlannedTransaction } from '../metrics/outcome-counts.ts'
import type { RunRecorder } from '../metrics/run-metrics.ts'
import { packed } from '../metrics/samples/histogram.ts'
import type { LoadOptions } from '../options.ts'
import { type Mix, surfaceOf } from '../plan/mix.ts'
import { type PlanSpec, partSize, planHash, wholePlan } from '../plan/plan.ts'
import { warningText } from '../setup/chat-journal.ts'
import type { ClockOffset } from '../shards/target-clock.ts'
import { unmeasured } from '../slo/implied.ts'
import { summarize } from '../summary/summary.ts'
import type { LoadTarget } from '../target.ts'
import {
  connectionCounts,
  conservationAudit,
  invalidate,
  loadOutcome,
  type Measurements,
} from './outcome.ts'

/** Times of a run up to its last answer, which are set later; what follows is cleanup. */
export function startOfRun() {
  return {
    startedAt: new Date(),
    /** Delay of the start after --start-at, in milliseconds. */
    lateMs: 0,
    /** Time from the start to the last answer, or to the interruption. */
    lastedMs: 0,
    /** CPU of this process in that time. */
    cpuMs: 0,
    /** Undefined if it was not measured; null if that failed. */
    clock: undefined as ClockOffset | null | undefined,
  }
}

interface RunResult extends Readonly<ReturnType<typeof startOfRun>> {
  readonly stats: RunRecorder
  readonly outcome: WorkerPoolResult
  /** Further notes on the run, as sentences. */
  readonly notes: readonly string[]
}

export function buildReport(options: LoadOptions, findings: RunResult): LoadReport {
  const { spec, target, slos, signal } = options
  const { stats, outcome, startedAt, lateMs, lastedMs, clock } = findings
  const cut = {
    warmUpNs: warmUpNs(options),
    untilNs: signal.aborted ? lastedMs * 1e6 : spec.durationNs,
  }
  const { reused, connectMs, ...measured } = summarize(stats.metrics, {
    slos,
    maxRefusals: options.maxRefusals,
    ...cut,
    transactions: plannedTransactions(spec.mix),
    endpoints: target.endpoints?.list,
  })
  const threads = outcome.done
  const { tally, size, duplicates } = stats.ids
  const config = configOf(options)
  const integrity = buildIntegrity(
    threads.map((done) => done.integrity),
    stats.ids,
  )
  const lost = conservationAudit(options, stats)
  const audits = [...measured.audits, lost]
  const slo = [...measured.slo, ...unmeasured({ ...measured, planned: lost.expected, integrity })]
  const { maxTimestampErrorMs } = options
  const row = stats.generator.row(threads, {
    cpuMs: findings.cpuMs,
    durationMs: lastedMs,
    undispatched: stats.dropped,
    maxTimestampErrorMs,
  })
  const faults = [...outcome.internalErrors]
  const generator = invalidate(row, {
    lateMs,
    requests: stats.requests,
    due: lost.expected,
    audits,
    errors: measured.errors,
  })
  return {
    kind: 'load-report',
    schemaVersion: 1,
    outcome: loadOutcome({
      integrity,
      generator,
      slo,
      config,
      faults,
      interrupted: signal.aborted,
    }),
    interrupted: signal.aborted,
    suite: options.suite,
    target: targetOf(spec.mix, target),
    seed: spec.seed,
    startedAt: startedAt.toISOString(),
    durationMs: lastedMs,
    plan: planOf(options),
    config,
    ...measured,
    slo,
    audits,
    connections: { ...connectionCounts(outcome), reused, connectMs },
    integrity,
    generator,
    faults,
    notes: [...notesOf(options, outcome), ...findings.notes],
    ...(clock === undefined ? {} : { clock }),
    ...(options.shard === null
      ? {}
      : {
          measurements: packed({
            ...cut,
            metrics: stats.metrics,
            integrity: threads.map((done) => done.integrity),
            ids: { tally, size, duplicates },
          } satisfies Measurements),
        }),
  }
}

function plannedTransactions({ entries }: Mix): PlannedTransaction[] {
  const total = entries.reduce((sum, { weight }) => sum + weight, 0)
  return entries.map(({ name, kind, weight }) => {
    return { name, surface: surfaceOf(kind), share: weight / total }
  })
}

/** The target of a load or capacity report. */
export function targetOf(
  { entries }: Mix,
  { baseUrl, prefixes, capabilities = {}, endpoints }: LoadTarget,
): LoadReport['target'] {
  const surfaces = [...new Set(entries.map(({ kind }) => surfaceOf(kind)))]
  const [only, ...others] = surfaces
  const profile = only === undefined || others.length > 0 ? 'full' : only
  return {
    ...{ baseUrl, profile, capabilities, surfaces },
    ...(prefixes && { prefixes }),
    ...(endpoints && { endpoints: [...endpoints.list] }),
  }
}

function notesOf({ target }: LoadOptions, { warnings, chatsLeft }: WorkerPoolResult): string[] {
  return [
    ...(target.network?.insecure === true
      ? ['the certificate of the target was not verified (--insecure)']
      : []),
    ...warnings.map(warningText),
    ...(chatsLeft === 0 ? [] : [`${count(chatsLeft, 'chat')} could not be deleted`]),
  ]
}

/** Warm-up to cut; none for ramps and steps, whose start and end differ on purpose. */
function warmUpNs({ warmUpMs, spec }: LoadOptions): number | 'auto' {
  if (warmUpMs !== 'auto') return warmUpMs * 1e6
  return ['poisson', 'constant', 'closed'].includes(spec.arrival.kind) ? 'auto' : 0
}

function planOf(options: LoadOptions): LoadReport['plan'] {
  const { spec, shard } = options
  return {
    hash: planHash(spec),
    arrival: arrivalRow(spec),
    durationMs: spec.durationNs / 1e6,
    transactions: partSize(spec, wholePlan).transactions,
    ownTransactions: partSize(spec, shard ?? wholePlan).transactions,
    shard,
    mix: spec.mix.name,
  }
}

export function arrivalRow({ arrival }: Pick<PlanSpec, 'arrival'>): ArrivalRow {
  if (arrival.kind === 'closed') return { kind: 'closed', concurrency: arrival.concurrency }
  if (arrival.kind !== 'trace') return arrival
  const { kind, file, lines } = arrival
  return { kind, file, digest: hash('sha256', JSON.stringify(lines)) }
}

function configOf(options: LoadOptions): LoadReport['config'] {
  const { spec, target, workers, drainMs, maxInFlight, keepAlive, startAt } = options
  const { maxConnections, maxRefusals } = options
  return {
    workers,
    timeoutMs: target.timeoutMs,
    drainMs,
    mostInFlight: maxInFlight,
    judgedShare: 1,
    idempotencyRaceShare: spec.idempotencyRaces,
    misbehavior: spec.misbehavior,
    keepAlive,
    ...(target.endpoints === undefined ? {} : { spread: target.endpoints.spread }),
    ...(maxConnections === undefined ? {} : { mostConnections: maxConnections }),
    startAt: startAt?.toISOString() ?? null,
    ...(maxRefusals === undefined ? {} : { maxRefusals }),
    ...(options.strict === true ? { strict: true } : {}),
    mix: spec.mix.entries,
  }
}
