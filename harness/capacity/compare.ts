import { type CapacityReport, loadEstimate } from '../../reports/capacity/model/report.ts'
import type { LoadComparison } from '../../reports/load/model/comparison.ts'
import {
  comparisonOf,
  differencesOf,
  type Setting,
  sideOf,
} from '../load/comparison/compare-loads.ts'
import { type Candidate, type Estimate, ratioOf } from '../load/comparison/verdicts.ts'
import { studentQuantile } from '../load/statistics/shares.ts'

/** Comparison of the capacities that two searches found, by their intervals. */
export function compareCapacities(
  a: CapacityReport,
  b: CapacityReport,
  tolerance: number,
): LoadComparison {
  const differences = differencesOf(settings, a, b)
  const decisive = differences.filter((difference) => difference.decisive)
  const isInvalid = [a, b].some(({ outcome }) => outcome === 'invalid')
  const reason = isInvalid
    ? 'the load generator was the bottleneck in a search'
    : `the searches differ in ${decisive.map(({ name }) => name).join(', ')}`
  const candidates = candidatesOf(a, b, tolerance).map((candidate) =>
    isInvalid || decisive.length > 0 ? { ...candidate, ratio: null, reason } : candidate,
  )
  return comparisonOf(
    {
      ...{ of: 'capacity', differences },
      a: sideOf(a, requestsOf(a)),
      b: sideOf(b, requestsOf(b)),
      method:
        'ratio of the capacities from the interval of each, taken as normal on the logarithmic scale',
      notes: [
        ...policyNote('A', a),
        ...policyNote('B', b),
        'The searches took place at different times: a change of the machine between them looks like a change of the target.',
      ],
    },
    candidates,
    isInvalid,
  )
}

const settings: readonly Setting<CapacityReport>[] = [
  { name: 'URL', decisive: false, read: ({ target }) => target.baseUrl.replace(/\/+$/, '') },
  { name: 'chatgen', decisive: false, read: ({ suite }) => suite.version },
  { name: 'loop', decisive: true, read: ({ loop }) => loop },
  { name: 'SLOs', decisive: true, read: ({ config }) => config.slos.join('; ') },
  {
    name: 'mix',
    decisive: true,
    read: ({ config }) => `${config.mixName} ${JSON.stringify(config.mix)}`,
  },
  { name: 'arrivals', decisive: true, read: ({ config }) => config.arrival },
  { name: 'spread', decisive: false, read: ({ config }) => config.spread ?? 'one endpoint' },
]

function candidatesOf(a: CapacityReport, b: CapacityReport, tolerance: number): Candidate[] {
  // The clients that a closed loop found have an interval; the requests that they complete have none.
  const [loadA, loadB] = [loadEstimate(a), loadEstimate(b)]
  const [ofA, ofB] = [loadA, loadB].map(({ value, interval }) =>
    value === null || interval === null ? null : logNormal(value, interval),
  )
  const head = { name: 'capacity', unit: loadA.unit, better: 'higher', tolerance } as const
  const figure = { ...head, a: loadA.value, b: loadB.value }
  if (ofA && ofB) return [{ ...figure, ratio: ratioOf(ofA, ofB), reason: null }]
  const reason = `${ofA ? 'B' : 'A'} has no capacity with an interval (${(ofA ? b : a).outcome})`
  return [{ ...figure, ratio: null, reason }]
}

/** An estimate with a 95 % interval; each side has its own width on the logarithmic scale. */
function logNormal(value: number, [low, high]: readonly [number, number]): Estimate {
  const [below, above] = [Math.log(value / low), Math.log(high / value)]
  const at95 = studentQuantile(0.975, manyDegrees)
  return {
    value,
    limits: (confidence) => {
      const scale = studentQuantile((1 + confidence) / 2, manyDegrees) / at95
      return { low: value * Math.exp(-below * scale), high: value * Math.exp(above * scale) }
    },
  }
}

/** Degrees of freedom at which Student's distribution is practically normal. */
const manyDegrees = 1e6

function requestsOf({ probes }: CapacityReport): number {
  const requests = probes.reduce(
    (sum, { perSecond, durationMs }) => sum + (perSecond.offered * durationMs) / 1000,
    0,
  )
  return Math.round(requests)
}

function policyNote(side: string, { result }: CapacityReport): string[] {
  return result.limit === 'policy'
    ? [`${side} is limited by policy (a rate limit), not by its capacity`]
    : []
}
