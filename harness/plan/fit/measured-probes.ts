import { meanOf } from '../../../contract/averages.ts'
import type { CapacityProbe } from '../../../reports/capacity/model/probe.ts'
import type { CapacityReport } from '../../../reports/capacity/model/report.ts'
import type { PlanMeasurement } from '../../../reports/plan/model.ts'
import { groupEqualLoads } from '../../capacity/report/frontier.ts'
import type { Measurement } from '../demand.ts'

/** Probes of about the same load, taken together: requests a second, or clients of a closed loop. */
export type MeasuredLoad = ReturnType<typeof together>

/** Rates within this factor are taken together. */
const sameRate = 1.04
/** Minimum number of answers of a usable probe. */
const minAnswers = 8

/** Loads of a capacity report at which the target was measured, from the lowest to the highest. */
export function measuredLoads({ probes }: CapacityReport): readonly MeasuredLoad[] {
  const usable = probes
    .filter(({ valid, latencies }) => valid && latencies.some(({ count }) => count >= minAnswers))
    .toSorted((a, b) => sizeOf(a) - sizeOf(b))
  const isSame = (first: CapacityProbe, probe: CapacityProbe) =>
    (first.clients === null) === (probe.clients === null) &&
    sizeOf(probe) <= sizeOf(first) * sameRate
  return groupEqualLoads(usable, isSame).map(together)
}

/** Closed loops, such as the one client of the baseline, come before rates. */
function sizeOf({ clients, rate }: CapacityProbe): number {
  return clients === null ? rate * 1e6 : clients
}

function together(probes: readonly CapacityProbe[]) {
  const users = probes[0]?.clients ?? null
  const kind = users === null ? ('open' as const) : ('closed' as const)
  const logarithms = probes.map(({ rate }) => Math.log(rate))
  return { kind, value: users ?? Math.exp(meanOf(logarithms) ?? Number.NaN), probes }
}

type Basis = NonNullable<PlanMeasurement['basis']>

const bases: Readonly<Record<CapacityReport['outcome'], Basis>> = {
  found: 'decided',
  'above max': 'decided',
  'below min': 'decided',
  undecided: 'undecided',
  violated: 'undecided',
  unreachable: 'undecided',
  invalid: 'invalid',
}

export function basisOf({ outcome, interrupted, faults }: CapacityReport): Basis {
  const basis = bases[outcome]
  return basis === 'decided' && (interrupted || faults.length > 0) ? 'undecided' : basis
}

/** The worst basis of several measurements, which is that of the plan. */
export function worstBasis(measurements: readonly Measurement[]): Basis {
  const all = measurements.map(({ report }) => basisOf(report))
  return (['invalid', 'undecided'] as const).find((basis) => all.includes(basis)) ?? 'decided'
}

/** Reason why a measurement was not decided, with the remedy; null if it was. */
export function caveatOf({ file, report }: Measurement): string | null {
  const basis = basisOf(report)
  return basis === 'decided' ? null : `${file} is ${basis}: ${reasonOf(report)}`
}

function reasonOf({ outcome, interrupted, generator, probes, faults }: CapacityReport): string {
  if (outcome === 'invalid') {
    const held =
      generator.holds === null ? '' : ` (it holds ${generator.holds.toPrecision(3)} req/s)`
    return `the load generator was the bottleneck${held}, so the figures do not describe the target; measure again with chatgen capacity on an idle machine, with more --workers or a lower --max`
  }
  if (faults.length > 0) {
    return 'chatgen failed during its search; measure again with chatgen capacity'
  }
  if (interrupted) {
    return 'its search was interrupted; let chatgen capacity run to its end'
  }
  switch (outcome) {
    case 'unreachable':
      return 'the target stopped answering during the search; measure again with chatgen capacity'
    case 'violated': {
      const ids = [...new Set(probes.flatMap(({ violated }) => violated))].join(', ')
      return `requirements were violated under load${ids === '' ? '' : ` (${ids})`}; correct the target and measure again with chatgen capacity`
    }
    default:
      return 'its budget ended before the capacity was known; measure again with chatgen capacity and a longer --budget'
  }
}
