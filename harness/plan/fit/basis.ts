/** Reliability of a capacity report as the basis of a plan. */
import type { CapacityReport } from '../../../contract/report/capacity/report.ts'
import type { PlanMeasurement } from '../../../contract/report/plan.ts'
import type { Measurement } from '../options.ts'

export type Basis = NonNullable<PlanMeasurement['basis']>

const bases: Readonly<Record<CapacityReport['outcome'], Basis>> = {
  found: 'decided',
  'above max': 'decided',
  'below min': 'decided',
  undecided: 'undecided',
  violated: 'undecided',
  unreachable: 'undecided',
  invalid: 'invalid',
}

export function basisOf({ outcome, interrupted }: CapacityReport): Basis {
  const basis = bases[outcome]
  return interrupted && basis === 'decided' ? 'undecided' : basis
}

/** A plan from several measurements is worth no more than the worst of them. */
export function worstBasis(measurements: readonly Measurement[]): Basis {
  const all = measurements.map(({ report }) => basisOf(report))
  return (['invalid', 'undecided'] as const).find((basis) => all.includes(basis)) ?? 'decided'
}

/** Reason why a measurement was not decided, with the remedy; null if it was. */
export function caveatOf({ file, report }: Measurement): string | null {
  const basis = basisOf(report)
  return basis === 'decided' ? null : `${file} is ${basis}: ${reasonOf(report)}`
}

function reasonOf({ outcome, interrupted, generator, probes }: CapacityReport): string {
  if (outcome === 'invalid') {
    const held =
      generator.holds === null ? '' : ` (it holds ${generator.holds.toPrecision(3)} req/s)`
    return `the load generator was the bottleneck${held}, so the figures do not describe the target; measure again with chatgen capacity on an idle machine, with more --workers or a lower --max`
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
