import type { ArrivalRow, LoadReport, TransactionRow } from '../../reports/model/load.ts'
import type { ThreadsOutcome } from './engine/threads.ts'
import { generatorOf } from './generator.ts'
import { type IdBook, integrityOf } from './judging/integrity.ts'
import { surfaceOf } from './plan/mix.ts'
import { sizeOf } from './plan/needs.ts'
import { type PlanSpec, planHash } from './plan/plan.ts'
import type { RequestRecord } from './record.ts'
import type { LoadOptions } from './run.ts'
import { measure } from './stand-in.ts'

export interface RunFindings {
  readonly records: readonly RequestRecord[]
  readonly ids: IdBook
  readonly outcome: ThreadsOutcome
  readonly startedAt: Date
  readonly durationMs: number
}

/** All that a run found, as its report. */
export function assemble(options: LoadOptions, findings: RunFindings): LoadReport {
  const { spec, target, signal } = options
  const { records, outcome, ids, startedAt, durationMs } = findings
  const { connectMs, ...measured } = measure(records, spec.durationNs)
  const integrity = integrityOf(
    outcome.done.map((done) => done.integrity),
    ids,
  )
  const generator = generatorOf(records, outcome, durationMs)
  return {
    kind: 'load-report',
    schemaVersion: 1,
    outcome: outcomeOf({ integrity, generator, slo: measured.slo }),
    interrupted: signal.aborted,
    suite: options.suite,
    target: {
      baseUrl: target.baseUrl,
      surfaces: [...new Set(spec.mix.entries.map(({ kind }) => surfaceOf(kind)))],
    },
    seed: spec.seed,
    startedAt: startedAt.toISOString(),
    durationMs,
    plan: planOf(options),
    config: configOf(options),
    ...measured,
    transactions: transactionsOf(spec, records),
    connections: {
      opened: outcome.done.reduce((sum, { connectionsOpened }) => sum + connectionsOpened, 0),
      reused: records.filter(({ stamps, counts }) => stamps.sent !== null && !counts.newConnection)
        .length,
      connectMs,
    },
    integrity,
    generator,
    faults: [...outcome.faults, ...outcome.troubles.map(([what, count]) => `${what} (${count}×)`)],
  }
}

/** A violation stands however the run was timed; an SLO only where the generator kept time. */
function outcomeOf(
  report: Pick<LoadReport, 'integrity' | 'generator' | 'slo'>,
): LoadReport['outcome'] {
  const { integrity, generator, slo } = report
  if (integrity.findings.some(({ level }) => level === 'required')) return 'violated'
  if (generator.verdict === 'invalid') return 'invalid'
  return slo.every(({ verdict }) => verdict === 'met') ? 'met' : 'missed'
}

function planOf(options: LoadOptions): LoadReport['plan'] {
  const { spec, shard } = options
  return {
    hash: planHash(spec),
    arrival: arrivalRow(spec),
    durationMs: spec.durationNs / 1e6,
    transactions: sizeOf(spec, { index: 0, of: 1 }).transactions,
    ownTransactions: sizeOf(spec, shard ?? { index: 0, of: 1 }).transactions,
    shard,
    mix: spec.mix.name,
  }
}

export function arrivalRow({ arrival }: PlanSpec): ArrivalRow {
  switch (arrival.kind) {
    case 'ramp': {
      const { kind, process, from, to, overNs } = arrival
      return { kind, process, from, to, overMs: overNs / 1e6 }
    }
    case 'steps': {
      const { kind, process, steps } = arrival
      const rows = steps.map(({ perSecond, forNs }) => ({ perSecond, forMs: forNs / 1e6 }))
      return { kind, process, steps: rows }
    }
    case 'closed':
      return { kind: 'closed', concurrency: arrival.concurrency }
    case 'trace':
      return { kind: 'trace', file: arrival.file }
    default:
      return arrival
  }
}

function configOf(options: LoadOptions): LoadReport['config'] {
  const { spec, target, workers, drainMs, mostInFlight, keepAlive, startAt } = options
  return {
    workers,
    timeoutMs: target.timeoutMs,
    drainMs,
    mostInFlight,
    judgedShare: 1,
    idempotencyRaceShare: spec.idempotencyRaces,
    misbehaviour: spec.misbehaviour,
    keepAlive,
    startAt: startAt?.toISOString() ?? null,
    mix: spec.mix.entries,
  }
}

function transactionsOf(spec: PlanSpec, records: readonly RequestRecord[]): TransactionRow[] {
  const total = spec.mix.entries.reduce((sum, { weight }) => sum + weight, 0)
  const byName = Map.groupBy(records, ({ transaction }) => transaction)
  return spec.mix.entries.map(({ name, kind, weight }) => {
    const own = byName.get(name) ?? []
    const byIndex = [...Map.groupBy(own, ({ index }) => index).values()]
    const ended = (kinds: readonly string[]) => (list: readonly RequestRecord[]) =>
      list.some(({ outcome }) => kinds.includes(outcome.kind))
    const open = byIndex.filter(ended(['open'])).length
    const completed = byIndex.filter((list) => list.every(wentWell)).length
    const operations = Map.groupBy(own, ({ operation, form }) => `${operation} ${form}`)
    return {
      name,
      surface: surfaceOf(kind),
      share: weight / total,
      planned: byIndex.length,
      completed,
      open,
      failed: byIndex.length - completed - open,
      requests: [...operations.values()].flatMap((list) => {
        const [first] = list
        if (first === undefined) return []
        const { operation, form } = first
        const done = list.filter(wentWell).length
        const cut = list.filter(({ outcome }) => outcome.kind === 'open').length
        return [
          {
            operation,
            form,
            count: list.length,
            completed: done,
            failed: list.length - done - cut,
          },
        ]
      }),
      metrics: [],
    }
  })
}

function wentWell({ outcome }: RequestRecord): boolean {
  return outcome.kind === 'ok' || outcome.kind === 'left'
}
