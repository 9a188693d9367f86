/** Throughput and latency by load, from all probes of a search; changes after overload, and with time. */
import { lowerMedianOf } from '../../../contract/averages.ts'
import { count } from '../../../contract/text.ts'
import { type CapacityProbe, loadOf } from '../../../reports/capacity/model/probe.ts'
import type {
  CapacityReport,
  Drift,
  FrontierPoint,
  Hysteresis,
} from '../../../reports/capacity/model/report.ts'
import type { Capacity } from '../search.ts'

/** Probes within this factor of each other are one point. */
const sameRate = 1.02

/** Points in ascending order of load, each the median of its probes. A baseline has its own kind of load. */
export function frontierOf(rows: readonly CapacityProbe[]): FrontierPoint[] {
  const counted = rows
    .filter(({ valid, purpose }) => valid && purpose === 'search')
    .toSorted((a, b) => loadOf(a) - loadOf(b))
  const isSame = (first: CapacityProbe, { clients, rate }: CapacityProbe) =>
    clients === null ? rate <= first.rate * sameRate : clients === first.clients
  return groupEqualLoads(counted, isSame).map(pointOf)
}

function pointOf(rows: readonly CapacityProbe[]): FrontierPoint {
  const verdicts = rows.map(({ verdict }) => verdict)
  return {
    rate: median(rows.map(({ rate }) => rate)) ?? 0,
    clients: rows[0]?.clients ?? null,
    probes: rows.length,
    completed: median(rows.map(({ perSecond }) => perSecond.completed)) ?? 0,
    outputTokens: median(rows.map(({ perSecond }) => perSecond.outputTokens)) ?? 0,
    concurrency: median(rows.map(({ concurrency }) => concurrency)),
    ttft: quantilesOf(rows, 'ttft'),
    tpot: quantilesOf(rows, 'tpot'),
    e2e: quantilesOf(rows, 'e2e'),
    verdict:
      (['met', 'missed'] as const).find((same) => verdicts.every((own) => own === same)) ??
      'undecided',
  }
}

/** Quantiles, from the planned moment if a metric is measured from it. */
function quantilesOf(rows: readonly CapacityProbe[], name: 'ttft' | 'tpot' | 'e2e') {
  const clock = name === 'tpot' ? 'service' : 'response'
  const own = rows.flatMap(({ latencies }) =>
    latencies.filter(({ metric, clock: from }) => metric === name && from === clock),
  )
  return { p50: median(own.map(({ p50 }) => p50)), p95: median(own.map(({ p95 }) => p95)) }
}

function median(values: readonly (number | null)[]): number | null {
  return lowerMedianOf(values.filter((value) => value !== null))
}

/** Verdict at one rate after overload, against the probes on the way up; null if none was repeated. */
export function hysteresisOf(
  rows: readonly CapacityProbe[],
  limitedBy: string | null,
): CapacityReport['hysteresis'] {
  const [over, down] = rows.filter(({ purpose }) => purpose === 'hysteresis')
  if (over === undefined || down === undefined || limitedBy === null) return null
  const before = rows.filter(
    (row) => row.purpose === 'search' && row.valid && loadOf(row) <= loadOf(down) * 1.02,
  )
  const nearest = before.toSorted((a, b) => loadOf(b) - loadOf(a))[0]
  const after = down.valid ? down.verdict : 'invalid'
  const ifMissed = hysteresisAfter[nearest?.verdict ?? 'undecided']
  const verdict: Hysteresis['verdict'] =
    after === 'met' ? 'none' : after === 'missed' ? ifMissed : 'undecided'
  const [load, overload] = [loadText(down), loadText(over)]
  const messages = {
    found: `${load} was met before an overload of ${overload} and missed right after it: the target recovers slowly.`,
    none: `${load} right after an overload of ${overload} is no worse than before.`,
    undecided: `${load} right after an overload of ${overload} decides nothing.`,
  }
  return {
    verdict,
    rate: down.rate,
    up: shareOver(nearest, limitedBy),
    down: shareOver(down, limitedBy),
    message: messages[verdict],
  }
}

/** Result of a miss after overload, by the verdict at the same load before. */
const hysteresisAfter = {
  met: 'found',
  missed: 'none',
  undecided: 'undecided',
  invalid: 'undecided',
} as const

function loadText({ clients, rate }: CapacityProbe): string {
  return clients === null ? `${rate.toPrecision(3)}/s` : count(clients, 'client')
}

function shareOver(row: CapacityProbe | undefined, expression: string): number | null {
  const slo = row?.slo.find((each) => each.expression === expression)
  if (slo?.over === null || slo?.over === undefined || !slo.requests) return null
  return slo.over / slo.requests
}

/** Minimum significance of a drift, in standard errors. */
const found = 3
const hourMs = 3_600_000

export function driftOf(
  { drift }: Pick<Capacity, 'drift'>,
  rows: readonly CapacityProbe[],
): Drift | null {
  if (drift === null) return contradictionOf(rows)
  const perHour = Math.expm1(Math.max(-20, Math.min(20, drift.perMs * hourMs)))
  const isFound = Math.abs(drift.z) >= found
  const percent = `${perHour < 0 ? '−' : '+'}${Math.abs(100 * perHour).toFixed(0)} %`
  return {
    verdict: isFound ? 'found' : 'none',
    perHour: isFound ? perHour : null,
    message: isFound
      ? `The capacity changed by ${percent} per hour during the search; the reported rate is that at its end.`
      : 'No change of the capacity over time stands out from the noise.',
  }
}

/** Minimum factor between two rates whose verdicts contradict each other: verdicts at nearly equal rates may do so. */
const apart = 1.05

/** A change that verdicts show: of two rates, the higher was met and the lower was missed later, or the reverse. */
function contradictionOf(rows: readonly CapacityProbe[]): Drift | null {
  const decided = rows.filter(({ valid, purpose }) => valid && purpose === 'search')
  for (const missed of decided.filter(({ verdict }) => verdict === 'missed')) {
    const met = decided.find((row) => row.verdict === 'met' && loadOf(row) > loadOf(missed) * apart)
    if (met === undefined) continue
    const change = met.atMs < missed.atMs ? 'slower' : 'faster'
    const seconds = Math.round(Math.abs(missed.atMs - met.atMs) / 1000)
    const verdicts = [`${loadText(met)} met the SLOs`, `${loadText(missed)} missed the SLOs`]
    const [first, later] = change === 'slower' ? verdicts : verdicts.toReversed()
    const message = `The target became ${change} during the search: ${first}, and ${seconds} s later ${later}.`
    return { verdict: 'found', perHour: null, message }
  }
  return null
}

/**
 * Probes of about the same load, taken together.
 * @param probes in ascending order of load
 * @param isSame tests if a probe has the load of the first of a group
 */
export function groupEqualLoads(
  probes: readonly CapacityProbe[],
  isSame: (first: CapacityProbe, probe: CapacityProbe) => boolean,
): CapacityProbe[][] {
  const groups: CapacityProbe[][] = []
  for (const probe of probes) {
    const group = groups.at(-1)
    const first = group?.[0]
    if (first !== undefined && isSame(first, probe)) group?.push(probe)
    else groups.push([probe])
  }
  return groups
}
