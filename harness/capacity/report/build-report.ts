import type { CapacityProbe } from '../../../reports/capacity/model/probe.ts'
import type { CapacityReport } from '../../../reports/capacity/model/report.ts'
import { generatorEnvironment } from '../../load/generator/generator-monitor.ts'
import { targetOf } from '../../load/report/build-report.ts'
import type { CapacityOptions } from '../probing/load-probe.ts'
import { type Capacity, searchOutcomes } from '../search.ts'
import { driftOf, frontierOf, hysteresisOf } from './frontier.ts'
import { hasSeveralRequests, policyOf, resultOf } from './result.ts'

export type SearchRecord = ReturnType<typeof searchRecord>

/** Record of a search, which grows with each probe. */
export function searchRecord(probeMs: number) {
  const rateLimit: Readonly<Record<string, string>> = {}
  const rows: CapacityProbe[] = []
  const [notes, faults]: [string[], string[]] = [[], []]
  return {
    ...{ rows, notes, faults, probeMs },
    startedAt: new Date(),
    /** The target stopped answering. */
    isUnreachable: false,
    environment: generatorEnvironment(),
    /** Headers of a rate limit in the last answer 429. */
    rateLimit,
  }
}

interface CapacityRunResult extends SearchRecord {
  readonly capacity: Capacity
  readonly durationMs: number
}

export function buildCapacityReport(
  options: CapacityOptions,
  run: CapacityRunResult,
): CapacityReport {
  const { plan, target, load, signal, min, max, precision, budgetMs, headroom } = options
  const { capacity, rows } = run
  const result = resultOf(options, capacity, rows)
  return {
    kind: 'capacity-report',
    schemaVersion: 1,
    outcome: outcomeOf(run),
    interrupted: signal.aborted,
    suite: load.suite,
    target: targetOf(plan.mix, target),
    seed: plan.seed,
    startedAt: run.startedAt.toISOString(),
    durationMs: run.durationMs,
    loop: options.loop,
    config: {
      slos: load.slos.map(({ expression }) => expression),
      ...{ min, max, precision, budgetMs, headroom },
      probeMs: run.probeMs,
      arrival: options.arrival,
      ...(target.endpoints && { spread: target.endpoints.spread }),
      workers: load.workers,
      timeoutMs: target.timeoutMs,
      mixName: plan.mix.name,
      mix: plan.mix.entries,
    },
    result,
    probes: [...rows],
    frontier: frontierOf(rows),
    policyLimit: policyOf(capacity, rows, run.rateLimit),
    hysteresis: hysteresisOf(rows, result.limitedBy),
    drift: driftOf(capacity, rows),
    generator: generatorOf(run),
    notes: [
      ...(options.loop === 'open' && hasSeveralRequests(options)
        ? [
            'rates are transactions per second, and transactions of this mix send several requests each',
          ]
        : []),
      ...new Set(run.notes),
    ],
    faults: [...run.faults],
  }
}

/** An unreachable target is named first, then violations, then the generator; an internal error leaves a rate undecided. */
export function outcomeOf({
  capacity,
  rows,
  isUnreachable,
  faults,
}: Pick<CapacityRunResult, 'rows' | 'isUnreachable' | 'faults'> & {
  readonly capacity: Pick<Capacity, 'end'>
}): CapacityReport['outcome'] {
  if (isUnreachable) return 'unreachable'
  if (rows.some(({ violated }) => violated.length > 0)) return 'violated'
  const outcome = searchOutcomes[capacity.end]
  const late = rows.filter(({ purpose, generator }) => {
    return purpose === 'search' && generator.verdict === 'invalid'
  })
  const isLate = outcome === 'undecided' && 2 * late.length > rows.length
  if (isLate || outcome === 'invalid') return 'invalid'
  return faults.length > 0 ? 'undecided' : outcome
}

function generatorOf(run: CapacityRunResult): CapacityReport['generator'] {
  const { rows, environment } = run
  const probes = rows.filter(({ purpose }) => purpose !== 'baseline')
  const late = probes.filter(({ generator }) => generator.verdict === 'invalid')
  const inTime = probes.filter(({ valid }) => valid).map(({ rate }) => rate)
  const degraded = probes.filter(({ generator }) => generator.verdict === 'degraded')
  const isBottleneck = outcomeOf(run) === 'invalid'
  return {
    verdict: isBottleneck ? 'invalid' : late.length + degraded.length > 0 ? 'degraded' : 'valid',
    reasons: lateText(probes.length, late, degraded),
    environment,
    holds: late.length === 0 || inTime.length === 0 ? null : Math.max(...inTime),
  }
}

/** One line for all probes with a late generator, with the worst of them and the remedy. */
function lateText(
  probes: number,
  late: readonly CapacityProbe[],
  degraded: readonly CapacityProbe[],
): string[] {
  const [worst] = [...late, ...degraded]
  if (worst === undefined) return []
  const counts = [
    ...(late.length === 0 ? [] : [`too late to count in ${late.length}`]),
    ...(degraded.length === 0 ? [] : [`late in ${degraded.length}`]),
  ].join(' and ')
  const isBusy = [...late, ...degraded].some(
    ({ generator }) => generator.eventLoopUtilization > 0.8,
  )
  const cure = isBusy
    ? 'use more --workers or several machines (--runner)'
    : 'other programs are using this machine: stop them, or run chatgen on another one'
  return [
    `the load generator was ${counts} of ${probes} probes (probe ${worst.index}: ${worst.generator.reasons.join('; ')}); ${cure}`,
  ]
}
