import type { AuditRow, GeneratorRow } from '../../../reports/load/model/generator.ts'
import type { LoadReport } from '../../../reports/load/model/report.ts'
import { worstSpread } from '../generator/generator-monitor.ts'
import { transactionAudit } from '../report/outcome.ts'

/** The report of a run or of one of its shards, and its name in messages. */
export interface NamedReport {
  readonly name: string
  readonly report: LoadReport
}

type Problem = Pick<GeneratorRow, 'verdict'> & { readonly reason: string }

/** The worst generator decides for the run, or starts that were apart; reasons of a generator name their shard. */
export function mergedGenerator(
  reports: readonly LoadReport[],
  apart: Problem | null,
): GeneratorRow {
  const all = reports.map(({ generator }) => generator)
  const cpuMs = all.reduce((sum, row) => sum + row.cpuMs, 0)
  const workers = all.flatMap((row) => row.workers).map((row, index) => ({ ...row, index }))
  const events = workers.reduce((sum, row) => sum + row.events, 0)
  const [first] = all
  if (first === undefined) throw new RangeError('there are no generators')
  return {
    verdict:
      (['invalid', 'degraded'] as const).find((verdict) =>
        [...all, apart].some((row) => row?.verdict === verdict),
      ) ?? 'valid',
    reasons: [
      ...reports.flatMap(({ generator, plan }) =>
        generator.reasons.map((reason) => `shard ${plan.shard?.index}: ${reason}`),
      ),
      ...(apart === null ? [] : [apart.reason]),
    ],
    timestampError: worstSpread(all.map((row) => row.timestampError)),
    scheduleDelay: worstSpread(all.map((row) => row.scheduleDelay)),
    eventLoopUtilization: Math.max(...all.map((row) => row.eventLoopUtilization)),
    cpuMs,
    eventsPerSecond: all.reduce((sum, row) => sum + row.eventsPerSecond, 0),
    eventsPerCpuSecond: cpuMs === 0 ? null : events / (cpuMs / 1000),
    calibration: all
      .map((row) => row.calibration)
      .reduce((max, own) => ((own?.used ?? 0) > (max?.used ?? 0) ? own : max)),
    workers,
    environment: {
      ...first.environment,
      loadAverage: Math.max(...all.map((row) => row.environment.loadAverage)),
    },
  }
}

/** Audits of the merged figures, and the one that only each shard could make. */
export function mergedAudits(
  merged: readonly AuditRow[],
  shards: readonly NamedReport[],
): AuditRow[] {
  const rows = shards.flatMap(({ report }) =>
    report.audits.filter(({ name }) => name === transactionAudit),
  )
  const [first] = rows
  if (first === undefined) return [...merged]
  const failed = rows.find(({ verdict }) => verdict === 'fail')
  const total = (member: 'expected' | 'observed') =>
    rows.some((row) => row[member] === null)
      ? null
      : rows.reduce((sum, row) => sum + (row[member] ?? 0), 0)
  const message = failed?.message ?? `Holds in each of ${rows.length} shards.`
  const { name, verdict } = failed ?? first
  const sums = { expected: total('expected'), observed: total('observed') }
  return [...merged, { name, verdict, ...sums, message }]
}

/** Notes for the reader of merged figures. */
export function notesOf(shards: readonly NamedReport[]): string[] {
  const reports = shards.map(({ report }) => report)
  const targets = [...new Set(reports.map(({ target }) => target.baseUrl))]
  return [
    `merged from ${shards.length} shards; ids that occur in two of them are not detected`,
    ...(targets.length > 1 ? [`the shards had different targets: ${targets.join(', ')}`] : []),
    ...reports.flatMap(({ notes, plan }) =>
      notes.map((note) => `shard ${plan.shard?.index}: ${note}`),
    ),
  ]
}

/** Starts of the shards of a run, by the clock of their target. */
type StartSpread = NonNullable<LoadReport['shards']>

/** Maximum spread of the starts by the clock of the target, and by their own: shards further apart do not send the planned load. */
const [maxSpreadMs, maxLocalSpreadMs] = [100, 500]

/** Share of the duration from which shards that start apart are not one load; at least `maxLocalSpreadMs`. */
const maxSpreadShare = 0.05

/**
 * Spread of the starts of shards. Latencies are differences of one clock, so skew changes none of them;
 * but a shard that starts late by the common clock sends its part of the plan late, and its response
 * times, counted from the common plan, would be longer by as much. `boundMs` limits that.
 */
export function startSpreadOf(reports: readonly LoadReport[]): StartSpread {
  const startsMs = reports.map(({ startedAt }) => Date.parse(startedAt))
  const clocks = reports.flatMap(({ clock }) => clock ?? [])
  const head = { count: reports.length, localSpreadMs: spread(startsMs) }
  if (clocks.length < reports.length) {
    return { ...head, skewMs: null, spreadMs: null, uncertaintyMs: null, boundMs: null }
  }
  const spreadMs = spread(startsMs.map((ms, at) => ms + (clocks[at]?.offsetMs ?? 0)))
  // Two shards differ at most by the sum of their uncertainties; the two largest are the worst pair.
  const [first = 0, second = 0] = clocks
    .map(({ uncertaintyMs }) => uncertaintyMs)
    .toSorted((a, b) => b - a)
  const uncertaintyMs = first + second
  const skewMs = spread(clocks.map(({ offsetMs }) => offsetMs))
  return { ...head, skewMs, spreadMs, uncertaintyMs, boundMs: spreadMs + uncertaintyMs }
}

/**
 * Verdict on starts that were apart, certainly by the clock of the target, or by their own if it is unknown: the
 * merged load is not the planned one, or none together. Null otherwise.
 */
export function spreadProblem(
  { spreadMs, uncertaintyMs, localSpreadMs }: StartSpread,
  durationMs: number,
): Problem | null {
  const apartMs = spreadMs === null ? localSpreadMs : spreadMs - (uncertaintyMs ?? 0)
  const started = `started ${milliseconds(apartMs)} or more apart`
  if (apartMs >= Math.max(maxLocalSpreadMs, maxSpreadShare * durationMs)) {
    const reason = `the shards did not run at the same time: they ${started} and send for ${milliseconds(durationMs)}; --start-at starts them together`
    return { verdict: 'invalid', reason }
  }
  if (apartMs <= (spreadMs === null ? maxLocalSpreadMs : maxSpreadMs)) return null
  const reason = `the shards ${started}, and ${milliseconds(localSpreadMs)} by their own clocks: start them with --start-at, and synchronize the clocks`
  return { verdict: 'degraded', reason }
}

export function spreadNote({ skewMs, spreadMs, uncertaintyMs, boundMs }: StartSpread): string {
  if (skewMs === null || spreadMs === null || uncertaintyMs === null || boundMs === null) {
    return 'clock skew between the shards is unknown: no response of the target had a Date header, or its Date headers came from several clocks'
  }
  return `clock skew between the shards: ${milliseconds(skewMs)} ± ${milliseconds(uncertaintyMs)}; they started ${milliseconds(spreadMs)} apart, so response times counted from the common plan are at most ${milliseconds(boundMs)} longer than merged`
}

function spread(values: readonly number[]): number {
  return Math.max(...values) - Math.min(...values)
}

function milliseconds(ms: number): string {
  return `${ms < 10 ? ms.toFixed(1) : ms.toFixed(0)} ms`
}
