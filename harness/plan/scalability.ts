import type { PlanScalability } from '../../reports/plan/model.ts'
import { standardNormal } from '../load/plan/random.ts'
import { nonNegative } from '../load/statistics/linear-algebra.ts'
import { demandedRate, type PlanOptions } from './demand.ts'
import { drawOf } from './simulation/requests.ts'
import type { Sizing } from './sizing.ts'

/** Capacity that was measured with a number of replicas. */
export interface MeasuredSize {
  readonly replicas: number
  readonly rate: number
  /** Confidence interval at 95 %. */
  readonly interval: readonly [low: number, high: number]
}

/** X(N) = lambda N / (1 + sigma (N - 1) + kappa N (N - 1)) (Gunther, Guerrilla Capacity Planning, 2007). */
export interface UniversalLaw {
  readonly lambda: number
  readonly sigma: number
  readonly kappa: number
}

export function rateOf({ lambda, sigma, kappa }: UniversalLaw, replicas: number): number {
  return (lambda * replicas) / (1 + sigma * (replicas - 1) + kappa * replicas * (replicas - 1))
}

const draws = 400
/** Relative error of a capacity beyond its interval: no two installations are the same. */
const minError = 0.01

/**
 * Fits the law to two or more sizes: N / X(N) is linear in its coefficients, which are not negative. With two
 * sizes, kappa is 0: two points cannot separate it from sigma. The interval is that of measurements resampled
 * with their errors, plus the error of a new measurement.
 */
export function fitScalability(sizes: readonly MeasuredSize[], seed: string) {
  // Standard errors of the logarithms.
  const errors = sizes.map(({ interval: [low, high] }) =>
    Math.max(minError, Math.log(high / low) / (2 * 1.96)),
  )
  const law = lawOf(sizes, errors)
  const distance = sizes.reduce((sum, size, at) => {
    const log = Math.log(size.rate / rateOf(law, size.replicas))
    return sum + (log / (errors[at] ?? 1)) ** 2
  }, 0)
  const free = [law.sigma, law.kappa].filter((value) => value > 0).length
  const degrees = Math.max(1, sizes.length - 1 - free)
  const isOff = distance > (chiSquare95[degrees - 1] ?? 2 * degrees + 5)
  if (isOff) {
    const message = `The Universal Scalability Law does not fit ${sizes.length} sizes: the squared distance is ${distance.toFixed(1)} at ${degrees} degree${degrees === 1 ? '' : 's'} of freedom. More replicas gain more than the law allows, or the measurements differ in more than their size.`
    return { status: 'does not fit', law: null, predict: null, message } as const
  }
  const drawn = Array.from({ length: draws }, (_, index) => {
    const draw = drawOf(seed, 'scalability', index)
    const again = sizes.map((size, at) => ({
      ...size,
      rate: size.rate * Math.exp((errors[at] ?? 0) * standardNormal(draw(), draw())),
    }))
    return { law: lawOf(again, errors), noise: standardNormal(draw(), draw()) }
  })
  const usual = Math.hypot(...errors) / Math.sqrt(errors.length)
  const maxReplicas = Math.max(...sizes.map(({ replicas }) => replicas))
  const message = `The Universal Scalability Law, fitted to ${sizes.length} sizes${sizes.length === 2 ? ' (with two, kappa is taken as 0)' : ''}; beyond ${Math.floor(1.5 * maxReplicas)} replicas it is an extrapolation.`
  return {
    status: 'fits' as const,
    law,
    message,
    /** Rate of a number of replicas, with its prediction interval. */
    predict: (replicas: number) => {
      const rates = drawn
        .map(({ law: one, noise }) => rateOf(one, replicas) * Math.exp(usual * noise))
        .toSorted((a, b) => a - b)
      const at = (share: number) => rates[Math.round(share * (draws - 1))] ?? 0
      const interval: [number, number] = [at(0.025), at(0.975)]
      return { rate: rateOf(law, replicas), interval }
    },
  }
}

/** Least squares of the law; with two sizes, without kappa. */
function lawOf(sizes: readonly MeasuredSize[], errors: readonly number[]): UniversalLaw {
  const weights = sizes.map(({ replicas, rate }, at) => rate / replicas / (errors[at] ?? 1))
  const column = (term: (replicas: number) => number) =>
    sizes.map(({ replicas }, at) => term(replicas) * (weights[at] ?? 0))
  const columns = [
    column(() => 1),
    column((replicas) => replicas - 1),
    ...(sizes.length === 2 ? [] : [column((replicas) => replicas * (replicas - 1))]),
  ]
  const values = sizes.map(({ replicas, rate }, at) => (replicas / rate) * (weights[at] ?? 0))
  const [base = 1, contention = 0, coherence = 0] = nonNegative(columns, values)
  return { lambda: 1 / base, sigma: contention / base, kappa: coherence / base }
}

/** Quantiles of chi squared at 0.95, from one degree of freedom on. */
const chiSquare95 = [3.84, 5.99, 7.81, 9.49, 11.07, 12.59, 14.07, 15.51]

/** The Universal Scalability Law of the measured sizes; null with one size. */
export function scalabilityOf(
  { measurements, demand, seed }: PlanOptions,
  { replicas }: Sizing,
): PlanScalability | null {
  const sizes = measurements.flatMap(({ replicas: size, report: { result } }) =>
    result.rate === null
      ? []
      : [
          {
            replicas: size,
            rate: result.rate,
            interval: result.interval ?? ([result.rate * 0.9, result.rate * 1.1] as const),
          },
        ],
  )
  if (new Set(sizes.map(({ replicas: size }) => size)).size < 2) return null
  const { status, law, predict, message: fit } = fitScalability(sizes, seed)
  // Those of the measurements are the same, those of the plan may differ.
  const met = measurements[0].report.config.slos.join(', ')
  const message = `${fit} Its rates meet the SLOs of the measurement: ${met}.`
  const maxReplicas = Math.max(...sizes.map(({ replicas: size }) => size))
  const isExtrapolated = (count: number) => count > 1.5 * maxReplicas
  const none = { lambda: null, sigma: null, kappa: null, replicas: null }
  if (law === null) {
    return { status, message, ...none, isExtrapolated: false, predictions: [] }
  }
  const demanded = demandedRate(demand)
  const needed = demanded === null ? null : minReplicasFor(demanded, (count) => rateOf(law, count))
  const counts = [...sizes.map(({ replicas: size }) => size), replicas ?? 1, needed ?? 1]
  return {
    status,
    message,
    ...law,
    replicas: needed,
    isExtrapolated: needed !== null && isExtrapolated(needed),
    predictions: [...new Set(counts)]
      .toSorted((a, b) => a - b)
      .map((count) => ({
        replicas: count,
        ...predict(count),
        isExtrapolated: isExtrapolated(count),
      })),
  }
}

/** Null if the rate falls again before it is reached. */
function minReplicasFor(demanded: number, rate: (replicas: number) => number): number | null {
  for (let count = 1; count < 1_000_000; count++) {
    if (rate(count) >= demanded) return count
    if (count > 1 && rate(count) <= rate(count - 1)) return null
  }
  return null
}
