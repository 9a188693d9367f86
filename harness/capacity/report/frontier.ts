/** Throughput and latency by load, from all probes of a search. */
import { lowerMedianOf } from '../../../contract/averages.ts'
import type { CapacityProbe } from '../../../contract/report/capacity/probe.ts'
import type { FrontierPoint } from '../../../contract/report/capacity/report.ts'
import { groupEqualLoads } from './equal-loads.ts'

/** Probes within this factor of each other are one point. */
const sameRate = 1.02

/** Points in ascending order of load; the median of its probes is that of a point. A baseline has its own kind of load. */
export function frontierOf(rows: readonly CapacityProbe[]): FrontierPoint[] {
  const counted = rows
    .filter(({ valid, purpose }) => valid && purpose === 'search')
    .toSorted((a, b) => loadOf(a) - loadOf(b))
  const isSame = (first: CapacityProbe, { clients, rate }: CapacityProbe) =>
    clients === null ? rate <= first.rate * sameRate : clients === first.clients
  return groupEqualLoads(counted, isSame).map(pointOf)
}

/** Load that was set: the rate that clients reach is an answer of the target. */
function loadOf({ clients, rate }: CapacityProbe): number {
  return clients ?? rate
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
    verdict: verdicts.every((verdict) => verdict === 'met')
      ? 'met'
      : verdicts.every((verdict) => verdict === 'missed')
        ? 'missed'
        : 'undecided',
  }
}

/** Quantiles, from the planned moment where a metric is counted from there. */
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
