import { rankOf } from '../../../contract/averages.ts'
import type { LoadBlock } from '../../../reports/load/model/comparison.ts'
import type { MetricName } from '../../../reports/load/model/measures.ts'
import { Histogram, unitNs } from '../metrics/samples/histogram.ts'
import { type OrderedSample, quantileLimits } from '../statistics/quantile-interval.ts'
import { shareInterval, studentQuantile } from '../statistics/shares.ts'
import { type Cluster, designEffect } from '../statistics/steady-state.ts'
import type { Estimate } from './verdicts.ts'

/** Values of a latency in one block; censored ones are longer than any other. */
interface BlockSample {
  readonly ended: Histogram
  readonly censored: number
}

export function samplesOf(blocks: readonly LoadBlock[], metric: MetricName): BlockSample[] {
  return blocks.map(({ latencies }) => {
    const rows = latencies.filter((row) => row.metric === metric)
    const ended = new Histogram()
    for (const { counts } of rows) for (const [low, count] of counts) ended.add(low * unitNs, count)
    return { ended, censored: rows.reduce((sum, { censored }) => sum + censored, 0) }
  })
}

/**
 * Quantile of a run in blocks, with distribution-free limits: order statistics by the exact binomial
 * distribution, for the effective sample size of the blocks.
 */
export function quantileOf(samples: readonly BlockSample[], q: number): Estimate {
  const sample = pooled(samples)
  const n = sample.count
  const value = sample.highAt(rankOf(q, n))
  const counts = samples.map(
    ({ ended, censored }): Cluster => ({
      count: ended.count - ended.countOver(value, true),
      of: ended.count + censored,
    }),
  )
  const effect = designEffect(counts)
  return {
    value,
    limits: (confidence) => {
      const size = Math.floor(effectiveSize(n, effect, samples.length, confidence))
      return size < 1 ? { low: null, high: null } : quantileLimits(sample, q, size, confidence)
    },
  }
}

function pooled(samples: readonly BlockSample[]): OrderedSample {
  const ended = new Histogram()
  for (const sample of samples) ended.merge(sample.ended)
  const censored = samples.reduce((sum, sample) => sum + sample.censored, 0)
  const at = (rank: number, read: (rank: number) => number) =>
    rank > ended.count ? Number.POSITIVE_INFINITY : read(rank)
  return {
    count: ended.count + censored,
    lowAt: (rank) => at(rank, (own) => ended.lowAt(own)),
    highAt: (rank) => at(rank, (own) => ended.highAt(own)),
  }
}

/** Share of a count in blocks, with the limits of Clopper and Pearson for the effective sample size. */
export function shareOf(blocks: readonly Cluster[]): Estimate {
  const n = blocks.reduce((sum, { of }) => sum + of, 0)
  const value = blocks.reduce((sum, { count }) => sum + count, 0) / n
  const effect = designEffect(blocks)
  return {
    value,
    limits: (confidence) => {
      const size = Math.floor(effectiveSize(n, effect, blocks.length, confidence))
      return size < 1 ? { low: null, high: null } : shareInterval(size, value * size, confidence)
    },
  }
}

/** Mean of the blocks, with Student's limits. */
export function meanOf(values: readonly number[]): Estimate {
  const n = values.length
  const value = values.reduce((sum, one) => sum + one, 0) / n
  const variance = values.reduce((sum, one) => sum + (one - value) ** 2, 0) / (n - 1)
  return {
    value,
    limits: (confidence) => {
      if (n < 2) return { low: null, high: null }
      const half = studentQuantile((1 + confidence) / 2, n - 1) * Math.sqrt(variance / n)
      return { low: value - half, high: value + half }
    },
  }
}

/**
 * Effective size of a sample in blocks, for exact binomial limits at a confidence: its size divided by the
 * design effect, reduced for the degrees of freedom of so few blocks (Korn & Graubard, Survey Methodology 24,
 * 1998).
 */
function effectiveSize(n: number, effect: number, blocks: number, confidence: number): number {
  if (blocks < 2 || n < 2) return 0
  const p = (1 + confidence) / 2
  const adjustment = (studentQuantile(p, n - 1) / studentQuantile(p, blocks - 1)) ** 2
  return (n / effect) * Math.min(1, adjustment)
}
