/** The service model, the methods and the notes of a plan. */
import { meanOf, quantileName } from '../../contract/averages.ts'
import type { CapacityReport } from '../../reports/capacity/model/report.ts'
import type { PlanMeasurement, PlanService } from '../../reports/plan/model.ts'
import type { Measurement, PlanOptions } from './demand.ts'
import type { FittedModel } from './fit/fit.ts'
import { maxSimulated } from './predict.ts'
import type { RequestLength } from './simulation/requests.ts'
import type { Sizing } from './sizing.ts'
import { timeLabel } from './trace.ts'

/** Maximum typical error of a usable model. */
export const maxTypicalError = 0.25

export function serviceRow(
  { model, hasSeenLimit, typicalError, reproduced }: FittedModel,
  lengths: readonly RequestLength[],
  from: 'measurement' | 'trace',
): PlanService {
  const { maxWaiting, ...times } = model
  return {
    ...times,
    maxWaiting: Number.isFinite(maxWaiting) ? maxWaiting : null,
    hasSeenLimit,
    lengths: {
      requests: lengths.length,
      meanPromptTokens: meanOf(lengths.map(({ promptTokens }) => promptTokens)) ?? 0,
      meanOutputTokens: meanOf(lengths.map(({ outputTokens }) => outputTokens)) ?? 0,
      from,
    },
    typicalError,
    reproduced: reproduced.map(({ load: { kind, value, probes }, metric, quantile, ...own }) => ({
      probes: probes.map(({ index }) => index),
      load: { kind, value },
      statistic: `${metric}.${quantileName(quantile)}`,
      ...own,
    })),
  }
}

/** Longer requests than a measured one cost more than in proportion: attention is quadratic in the length. */
function beyond(measured: readonly RequestLength[], planned: readonly RequestLength[]) {
  return [['prompts', 'promptTokens'] as const, ['answers', 'outputTokens'] as const].flatMap(
    ([name, key]) => {
      const [most = 0, longest = 0] = [measured, planned].map((all) =>
        all.reduce((max, each) => Math.max(max, each[key]), 0),
      )
      return longest <= maxLonger * most
        ? []
        : [
            `${name} have up to ${longest} tokens, but at most ${most} were measured: their times are extrapolated; measure with such lengths`,
          ]
    },
  )
}

/** Multiple of the measured lengths up to which their times hold. */
const maxLonger = 1.5

export function methodsOf(
  { balance, demand }: PlanOptions,
  { replicas }: Sizing,
  slice: { readonly fromMs: number; readonly toMs: number } | null,
): string[] {
  const isOpen = demand.kind !== 'concurrency'
  const cluster =
    balance === 'round-robin' && isOpen
      ? 'discrete-event simulation of one replica with its share of the arrivals, which stands for all behind round robin (exact)'
      : (replicas ?? maxSimulated + 1) <= maxSimulated
        ? 'discrete-event simulation of every replica'
        : `discrete-event simulation of ${maxSimulated} replicas with their share of the load, in place of all (an approximation: with all of them, requests wait slightly less)`
  return [
    cluster,
    ...(isOpen
      ? ['arrivals: Poisson process']
      : ['closed loop: each user sends the next request at once']),
    ...(demand.kind === 'trace' && slice !== null
      ? [
          `trace: only ${timeLabel(demand.trace, slice.fromMs)} to ${timeLabel(demand.trace, slice.toMs)}, the busiest part of the hour of the peak, is simulated; the other hours are a fluid approximation, in proportion to their rate`,
        ]
      : []),
    'intervals: service models and lengths drawn from the uncertainty of the measurement',
  ]
}

export function notesOf(
  { measurements, slos }: Pick<PlanOptions, 'measurements' | 'slos'>,
  { hasSeenLimit, typicalError, model, lengths }: FittedModel,
  own: readonly RequestLength[] | null,
): string[] {
  const replicas = Math.min(...measurements.map((measurement) => measurement.replicas))
  const isUnlimited = slos.some((slo) => slo.kind === 'goodput' && slo.limits === null)
  const notes: (string | false)[] = [
    typicalError > maxTypicalError &&
      `the service model misses what was measured by ${(typicalError * 100).toFixed(0)} % (median): the plan is not reliable`,
    !hasSeenLimit &&
      `the measurement never reached the limit of the batch; the plan assumes ${model.maxSequences} sequences, the most that were observed`,
    hasSeenLimit &&
      replicas > 1 &&
      `the answers do not tell which of the ${replicas} measured replicas gave them: each decodes at least ${model.maxSequences} sequences together, and may decode more`,
    own !== null && 'lengths in the trace are taken as tokens',
    ...beyond(lengths, own ?? []),
    isUnlimited && 'goodput without limits counts every answered request as good',
    ...measurements.flatMap(({ file, report: { result, outcome } }) => [
      result.limit === 'policy' &&
        `${file}: limited by a rate limit, which more replicas may not lift`,
      (outcome === 'above max' || outcome === 'below min') &&
        `${file}: the search ended with "${outcome}"`,
    ]),
  ]
  return notes.filter((note) => note !== false)
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
      generator.holds === null ? '' : ` (it handles ${generator.holds.toPrecision(3)} req/s)`
    return `the load generator was the bottleneck${held}, so the figures do not describe the target; measure again with chatgen capacity on an idle machine, with more --workers or a lower --max`
  }
  if (faults.length > 0) {
    return 'chatgen failed during its search; measure again with chatgen capacity'
  }
  if (interrupted) {
    return 'its search was interrupted; let chatgen capacity run to its end'
  }
  if (outcome === 'unreachable') {
    return 'the target stopped answering during the search; measure again with chatgen capacity'
  }
  if (outcome === 'violated') {
    const ids = [...new Set(probes.flatMap(({ violated }) => violated))].join(', ')
    return `requirements were violated under load${ids === '' ? '' : ` (${ids})`}; correct the target and measure again with chatgen capacity`
  }
  return 'its budget ended before the capacity was known; measure again with chatgen capacity and a longer --budget'
}
