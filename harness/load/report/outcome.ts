import type { AuditRow, GeneratorRow } from '../../../reports/load/model/generator.ts'
import { isViolation } from '../../../reports/load/model/integrity.ts'
import type { LoadReport } from '../../../reports/load/model/report.ts'
import type { WorkerPoolResult } from '../engine/worker-thread.ts'
import { http2Of } from '../http/channel.ts'
import type { IdCounts } from '../judging/integrity.ts'
import type { IntegrityCounts } from '../judging/integrity-recorder.ts'
import type { MetricsData, RunRecorder } from '../metrics/run-metrics.ts'
import type { LoadOptions } from '../options.ts'
import { partSize, shareOf, wholePlan } from '../plan/plan.ts'
import { noUnboundedAnswer } from '../slo/implied.ts'

/**
 * Decides the outcome of a run, for exit code and reports. A violation counts however the run was timed, and
 * so does an endless answer, which keeps the generator from its work; an SLO counts only if the generator
 * kept time. A run that was interrupted, has missing shards or an internal error is never met.
 */
export function loadOutcome(
  report: Pick<
    LoadReport,
    'integrity' | 'generator' | 'slo' | 'partial' | 'interrupted' | 'faults'
  > & {
    readonly config: Pick<LoadReport['config'], 'strict'>
  },
): LoadReport['outcome'] {
  const { integrity, generator, slo, partial, interrupted, faults, config } = report
  if (integrity.findings.some((finding) => isViolation(finding, config))) return 'violated'
  if (slo.some(({ expression }) => expression === noUnboundedAnswer)) return 'missed'
  if (generator.verdict === 'invalid') return 'invalid'
  if (slo.some(({ verdict }) => verdict === 'missed')) return 'missed'
  const isWhole = partial === undefined && !interrupted && faults.length === 0
  return isWhole && slo.every(({ verdict }) => verdict === 'met') ? 'met' : 'undecided'
}

/** Maximum delay of the start: shards that start apart do not send the planned load. */
const maxStartDelayMs = 100

/** Connections that this machine could not open, whatever the target does, with the remedy. */
const exhausted: Readonly<Record<string, string>> = {
  EMFILE: 'raise its limit of open files (ulimit -n)',
  ENFILE: 'raise the limit of open files of the system',
  EADDRNOTAVAIL: 'it has no free local port: use more machines or fewer connections',
  ENOBUFS: 'it has no memory left for sockets',
}

/** Adds reasons for invalidity other than a slow generator. */
export function invalidate(
  generator: GeneratorRow,
  run: {
    /** Delay of the start after --start-at, in milliseconds. */
    readonly lateMs: number
    readonly requests: number
    /** Transactions planned for the duration of the run; null if unknown. */
    readonly due: number | null
    readonly audits: readonly AuditRow[]
    readonly errors: LoadReport['errors']
  },
): GeneratorRow {
  const reasons = [
    ...(run.lateMs > maxStartDelayMs
      ? [`it started ${(run.lateMs / 1000).toFixed(1)} s after the time of --start-at`]
      : []),
    ...(run.requests === 0 && run.due !== 0 ? ['no request was sent'] : []),
    ...run.audits
      .filter(({ name, verdict }) => name.startsWith('conservation') && verdict === 'fail')
      .map(({ name, message }) => `the audit ${name} fails: ${message}`),
    ...run.errors.flatMap(({ kind, detail, count }) => {
      const remedy = kind === 'connect' ? exhausted[detail] : undefined
      return remedy === undefined
        ? []
        : [`this machine could not open ${count} connections (${detail}): ${remedy}`]
    }),
  ]
  if (reasons.length === 0) return generator
  return { ...generator, verdict: 'invalid', reasons: [...generator.reasons, ...reasons] }
}

export const transactionAudit = 'conservation-transactions'

/** Checks that every due transaction was started or is known to be dropped. */
export function conservationAudit(
  { spec, shard, signal }: LoadOptions,
  book: RunRecorder,
): AuditRow {
  const name = transactionAudit
  const part = shard ?? wholePlan
  const { arrival } = spec
  // Of fewer clients than shards, some shards have none, and send nothing.
  const isUnknown = arrival.kind === 'closed' && shareOf(arrival.concurrency, part) > 0
  const due = arrival.kind === 'closed' ? 0 : partSize(spec, part).transactions
  const expected = isUnknown ? null : due
  const { started } = book.metrics.transactions
  const observed = started + book.dropped
  if (expected === null || signal.aborted) {
    const message =
      'The number of due transactions is known only for an open loop that ran to its end.'
    return { name, verdict: 'not-applicable', expected, observed, message }
  }
  const message = `${expected} due = ${started} started + ${book.dropped} not sent.`
  return { name, verdict: observed === expected ? 'pass' : 'fail', expected, observed, message }
}

/** The connections of all workers, including those of setup and cleanup. */
export function connectionCounts({ done, connectionsOpened }: WorkerPoolResult) {
  const versions = done.map(({ httpVersion }) => (httpVersion === 'http2' ? '2' : '1.1'))
  return {
    opened: connectionsOpened,
    httpVersions: [...new Set(versions)].sort(),
    ...http2Of(done.flatMap(({ http2 }) => (http2 === null ? [] : [http2]))),
  }
}

/** Data needed to merge the report of a shard, in addition to the report. */
export interface Measurements {
  readonly metrics: MetricsData
  /** Counts by thread. */
  readonly integrity: readonly IntegrityCounts[]
  readonly ids: IdCounts
  readonly warmUpNs: number | 'auto'
  readonly untilNs: number
}
