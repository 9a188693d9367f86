import type { PlanScalability } from '../../contract/report/plan.ts'
import { peakRateOf } from './demand-row.ts'
import type { PlanOptions } from './options.ts'
import { fitScalability, rateOf } from './scalability.ts'
import type { Sizing } from './sizing.ts'

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
  const { status, message, law, predict } = fitScalability(sizes, seed)
  const maxReplicas = Math.max(...sizes.map(({ replicas: size }) => size))
  const isExtrapolated = (count: number) => count > 1.5 * maxReplicas
  const none = { lambda: null, sigma: null, kappa: null, replicas: null }
  if (law === null || predict === null) {
    return { status, message, ...none, isExtrapolated: false, predictions: [] }
  }
  const demanded =
    demand.kind === 'concurrency'
      ? null
      : demand.kind === 'rate'
        ? demand.perSecond
        : peakRateOf(demand.trace)
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

/** Null where the rate falls again before it is reached. */
function minReplicasFor(demanded: number, rate: (replicas: number) => number): number | null {
  for (let count = 1; count < 1_000_000; count++) {
    if (rate(count) >= demanded) return count
    if (count > 1 && rate(count) <= rate(count - 1)) return null
  }
  return null
}
