import { messageOf } from '../../../contract/text.ts'
import type { LoadReport } from '../../../reports/load/model/report.ts'
import { http2Of } from '../http/channel.ts'
import { buildIntegrity } from '../judging/integrity.ts'
import { addTally, type Tally } from '../judging/integrity-recorder.ts'
import { RunMetrics } from '../metrics/run-metrics.ts'
import { unpacked } from '../metrics/samples/histogram.ts'
import { InputError } from '../options.ts'
import { loadOutcome, type Measurements } from '../report/outcome.ts'
import { unmeasured } from '../slo/implied.ts'
import { parseSlos } from '../slo/parse.ts'
import { summarize } from '../summary/summary.ts'
import {
  mergedAudits,
  mergedGenerator,
  type NamedReport,
  notesOf,
  spreadNote,
  spreadProblem,
  startSpreadOf,
} from './merge-parts.ts'

/**
 * The report of a whole run from those of its shards. Histograms and counts are added, so every figure equals
 * that of one generator that saw every request; SLOs are decided on all of them. If shards are missing, the
 * report is `partial`.
 *
 * @throws InputError if they are not shards, or not of one run
 */
export function mergeShards(shards: readonly [NamedReport, ...NamedReport[]]): LoadReport {
  checkShards(shards)
  const [run, parts] = partsOf(shards)
  const reports = shards.map(({ report }) => report)
  const [{ report: first }] = shards
  const { reused, connectMs, ...measured } = summarize(run, {
    slos: parseSlos(givenSlos(first)),
    maxRefusals: first.config.maxRefusals,
    warmUpNs: parts[0]?.warmUpNs ?? 0,
    untilNs: Math.min(...parts.map(({ untilNs }) => untilNs)),
    transactions: first.transactions,
    endpoints: first.endpoints,
  })
  const integrity = buildIntegrity(
    parts.flatMap((part) => part.integrity),
    idsOf(parts),
  )
  const spread = startSpreadOf(reports)
  const generator = mergedGenerator(reports, spreadProblem(spread, first.plan.durationMs))
  const slo = [...measured.slo, ...unmeasured({ ...measured, planned: null, integrity })]
  const partial = missingOf(reports)
  const interrupted = reports.some((report) => report.interrupted)
  const faults = reports.flatMap((report) => report.faults)
  const { measurements: _, clock: __, ...head } = first
  return {
    ...head,
    ...measured,
    slo,
    outcome: loadOutcome({
      ...{ integrity, generator, slo, config: first.config, interrupted, faults },
      ...partial,
    }),
    interrupted,
    startedAt: reports.map(({ startedAt }) => startedAt).sort()[0] ?? first.startedAt,
    durationMs: Math.max(...reports.map(({ durationMs }) => durationMs)),
    plan: {
      ...first.plan,
      ownTransactions: sum(reports, ({ plan }) => plan.ownTransactions),
      shard: null,
    },
    config: { ...first.config, workers: sum(reports, ({ config }) => config.workers) },
    audits: mergedAudits(measured.audits, shards),
    connections: {
      opened: sum(reports, ({ connections }) => connections.opened),
      reused,
      connectMs,
      ...mergedVersions(reports),
    },
    integrity,
    generator,
    shards: spread,
    notes: [...notesOf(shards), ...(shards.length > 1 ? [spreadNote(spread)] : [])],
    faults,
    ...partial,
  }
}

/** The measurements of each shard, and the metrics of all. */
function partsOf(shards: readonly NamedReport[]): [RunMetrics, Measurements[]] {
  let run: RunMetrics | undefined
  const parts = shards.map(({ name, report }) => {
    try {
      const measurements: Measurements = unpacked(report.measurements ?? '')
      run ??= new RunMetrics(measurements.metrics.config)
      run.merge(measurements.metrics)
      return measurements
    } catch (error) {
      const reason = messageOf(error)
      throw new InputError(`${name}: its measurements cannot be read: ${reason}`)
    }
  })
  if (run === undefined) throw new InputError('there are no shards')
  return [run, parts]
}

/** Duplicate ids across shards are not detected: no shard has the ids of another. */
function idsOf(parts: readonly Measurements[]) {
  const tally: Tally = {}
  for (const { ids } of parts) addTally(tally, ids.tally)
  return {
    tally,
    size: parts.reduce((total, { ids }) => total + ids.size, 0),
    duplicates: parts.reduce((total, { ids }) => total + ids.duplicates, 0),
  }
}

/** Shards of their run that are not among the reports. */
export function missingOf(reports: readonly LoadReport[]): Pick<LoadReport, 'partial'> {
  const of = reports[0]?.plan.shard?.of ?? 0
  const there = reports.map(({ plan }) => plan.shard?.index)
  const missing = [...Array(of).keys()].filter((index) => !there.includes(index))
  return missing.length === 0 ? {} : { partial: { of, missing } }
}

function mergedVersions(reports: readonly LoadReport[]) {
  const all = reports.map(({ connections }) => connections)
  return {
    httpVersions: [...new Set(all.flatMap(({ httpVersions }) => httpVersions))].sort(),
    ...http2Of(all.flatMap(({ http2 }) => http2 ?? [])),
  }
}

function sum(reports: readonly LoadReport[], read: (report: LoadReport) => number): number {
  return reports.reduce((total, report) => total + read(report), 0)
}

/** @throws InputError */
function checkShards(shards: readonly [NamedReport, ...NamedReport[]]): void {
  const whole = shards.find(
    ({ report }) => report.plan.shard === null || report.measurements === undefined,
  )
  if (whole !== undefined) {
    throw new InputError(
      `${whole.name} is not a shard of a load run and cannot be merged: render it separately`,
    )
  }
  const [first, ...others] = shards
  for (const other of others) {
    for (const [what, read] of mustAgree) {
      const [a, b] = [read(first.report), read(other.report)]
      if (a === b) continue
      throw new InputError(
        `${first.name} and ${other.name} are not shards of one run: they have different ${what}, ${a} and ${b}`,
      )
    }
  }
  const twice = others.find((shard, at) =>
    shards.slice(0, at + 1).some((before) => indexOf(before) === indexOf(shard)),
  )
  if (twice !== undefined) {
    throw new InputError(`${twice.name} is shard ${indexOf(twice)}, which was already given`)
  }
}

const mustAgree: readonly (readonly [string, (report: LoadReport) => string])[] = [
  ['plans', ({ plan }) => plan.hash.slice(0, 12)],
  ['numbers of shards', ({ plan }) => String(plan.shard?.of)],
  ['SLOs', (report) => givenSlos(report).join('; ') || 'none'],
  ['values of --strict', ({ config }) => String(config.strict ?? false)],
  ['shares of refusals', ({ config }) => String(config.maxRefusals ?? 'not given')],
  [
    'endpoints',
    ({ endpoints = [] }) => endpoints.map(({ baseUrl }) => baseUrl).join(', ') || 'none',
  ],
  ['spreads over endpoints', ({ config }) => config.spread ?? 'none'],
  ['versions of chatgen', ({ suite }) => suite.version],
]

/** Expressions given to a run; implied ones are decided again for the merged run. */
export function givenSlos({ slo }: LoadReport): string[] {
  return slo.filter(({ implied }) => implied !== true).map(({ expression }) => expression)
}

function indexOf({ report }: NamedReport): number | undefined {
  return report.plan.shard?.index
}
