import { quantileName } from '../../../contract/averages.ts'
import type { LoadBlocks } from '../../../reports/load/model/comparison.ts'
import type { GeneratorRow } from '../../../reports/load/model/generator.ts'
import type { LoadReport } from '../../../reports/load/model/report.ts'
import { milliseconds } from '../metrics/samples/histogram.ts'
import { givenSlos } from '../shards/merge.ts'
import { minimumSamples } from '../statistics/quantile-interval.ts'
import type { comparedLatencies } from '../summary/rates.ts'
import { meanOf, quantileOf, samplesOf, shareOf } from './block-estimates.ts'
import { type Candidate, type Estimate, ratioOf } from './verdicts.ts'

/** A run with its measured window in blocks. */
export interface RunBlocks extends Readonly<LoadBlocks> {
  readonly report: LoadReport
}

type ComparedLatency = (typeof comparedLatencies)[number]

/** A quantile of a latency, a share of the due requests, or a rate. */
export type FigureName =
  | { readonly metric: ComparedLatency; readonly q: number }
  | { readonly share: 'success' | 'goodput' }
  | { readonly rate: 'rate' | 'tokens' }

export interface ComparisonOptions {
  /** Figures to compare; null for the default ones. */
  readonly figures: readonly FigureName[] | null
  /** Largest relative change of a latency or rate that counts as no change. */
  readonly tolerance: number
}

type FigureHead = Pick<Candidate, 'name' | 'unit' | 'better' | 'tolerance'>

function figureHead(figure: FigureName, tolerance: number): FigureHead {
  if ('metric' in figure) {
    const name = `${figure.metric}.${quantileName(figure.q)}`
    return { name, unit: 'ms', better: 'lower', tolerance }
  }
  return 'share' in figure
    ? { name: figure.share, unit: 'share', better: 'higher', tolerance }
    : { name: figure.rate, unit: '/s', better: 'higher', tolerance }
}

/** Relative change of the share of successful requests that counts as none. */
const shareTolerance = 0.02

/** Figures compared by default: rates describe the target only if it sets the pace. */
function defaultFigures(a: LoadReport, b: LoadReport): readonly FigureName[] {
  const latencies = (['ttft', 'tpot', 'e2e'] as const).flatMap((metric) =>
    [0.5, 0.95].map((q) => ({ metric, q })),
  )
  const [ofA, ofB] = [a, b].map((report) => givenSlos(report).join('; '))
  const sameSlos = ofA !== '' && ofA === ofB
  const closed = [a, b].every(({ plan }) => plan.arrival.kind === 'closed')
  return [
    ...latencies,
    { share: 'success' },
    ...(sameSlos ? [{ share: 'goodput' } as const] : []),
    ...(closed ? [{ rate: 'rate' } as const, { rate: 'tokens' } as const] : []),
  ]
}

/** Ratios of the figures, without those that neither run has. */
export function figuresOf(
  a: RunBlocks,
  b: RunBlocks,
  { figures, tolerance }: ComparisonOptions,
): Candidate[] {
  return (figures ?? defaultFigures(a.report, b.report)).flatMap((name) => {
    if ('metric' in name) return latencyFigure(a, b, name, tolerance)
    const head = figureHead(name, 'share' in name ? shareTolerance : tolerance)
    return [
      withRatio(
        head,
        both(a, b, (run) => estimateOf(run, name)),
      ),
    ]
  })
}

function latencyFigure(
  a: RunBlocks,
  b: RunBlocks,
  { metric, q }: { readonly metric: ComparedLatency; readonly q: number },
  tolerance: number,
): Candidate[] {
  const head = figureHead({ metric, q }, tolerance)
  const [ofA, ofB] = both(a, b, (run) => {
    const samples = samplesOf(run.blocks, metric)
    const count = samples.reduce((sum, { ended, censored }) => sum + ended.count + censored, 0)
    return { run, samples, count }
  })
  if (ofA.count + ofB.count === 0) return []
  const minCount = minimumSamples(q)
  const small = [ofA, ofB].find(({ count }) => count < minCount)
  if (small !== undefined) {
    const reason = `${small === ofA ? 'A' : 'B'} has ${small.count} values; ${quantileName(q)} needs ${minCount}`
    return [{ ...head, a: null, b: null, ratio: null, reason }]
  }
  const [estimateA, estimateB] = both(ofA, ofB, ({ run, samples }) =>
    widened(quantileOf(samples, q), allowanceNs(run, metric, q)),
  )
  const values = { a: milliseconds(estimateA.value), b: milliseconds(estimateB.value) }
  if (values.a === null || values.b === null || values.a === 0 || values.b === 0) {
    const reason = `${quantileName(q)} is 0, or lies among requests that were still running`
    return [{ ...head, ...values, ratio: null, reason }]
  }
  return [{ ...head, ...values, ratio: ratioOf(estimateA, estimateB), reason: null }]
}

function both<Of, To>(a: Of, b: Of, map: (one: Of) => To): [To, To] {
  return [map(a), map(b)]
}

/**
 * Error of a degraded generator, which must not count against a target: of its timestamps and, for times from
 * the planned moment, of its schedule. For a median, the median error counts.
 */
function allowanceNs({ report, blocks }: RunBlocks, metric: ComparedLatency, q: number): number {
  const { generator } = report
  if (generator.verdict === 'valid') return 0
  const of = (spread: GeneratorRow['timestampError']) =>
    1e6 * ((q <= 0.5 ? spread?.p50 : spread?.p99) ?? 0)
  const stamps = of(generator.timestampError)
  if (metric === 'icl') return stamps
  if (metric !== 'tpot') return stamps + of(generator.scheduleDelay)
  // An error of the first or last token is shared by all tokens of the answer.
  const tokens = blocks.reduce((sum, block) => sum + block.outputTokens, 0)
  const answers = blocks.reduce((sum, block) => sum + block.completed, 0)
  return answers === 0 ? stamps : stamps / Math.max(1, tokens / answers - 1)
}

function widened(estimate: Estimate, byNs: number): Estimate {
  return {
    value: estimate.value,
    limits: (confidence) => {
      const { low, high } = estimate.limits(confidence)
      return { low: low === null ? null : low - byNs, high: high === null ? null : high + byNs }
    },
  }
}

function estimateOf(
  { blocks, blockMs }: RunBlocks,
  figure: Exclude<FigureName, { metric: unknown }>,
): Estimate {
  if ('rate' in figure) {
    const member = figure.rate === 'rate' ? 'completed' : 'outputTokens'
    return meanOf(blocks.map((block) => block[member] / (blockMs / 1000)))
  }
  return shareOf(
    blocks.map(({ due, ok, good, overdue = 0 }) =>
      figure.share === 'success' ? { of: due, count: ok } : { of: due + overdue, count: good },
    ),
  )
}

function withRatio(head: FigureHead, [a, b]: readonly [Estimate, Estimate]): Candidate {
  if (Number.isNaN(a.value) || Number.isNaN(b.value)) {
    return { ...head, a: null, b: null, ratio: null, reason: 'nothing was measured' }
  }
  const values = { a: a.value, b: b.value }
  if (a.value > 0 && b.value > 0) return { ...head, ...values, ratio: ratioOf(a, b), reason: null }
  // A ratio of 0: its certainty depends on the size of the other sample, as its limits show.
  if (a.value > 0) return { ...head, ...values, ratio: fallenToZero(a, b), reason: null }
  return { ...head, ...values, ratio: null, reason: `${head.name} of A is 0` }
}

function fallenToZero(a: Estimate, b: Estimate) {
  return {
    value: 0,
    limits: (confidence: number) => {
      const [high, low] = [b.limits(confidence).high, a.limits(confidence).low]
      const upper = high !== null && low !== null && low > 0 ? high / low : Number.POSITIVE_INFINITY
      return { low: 0, high: upper }
    },
  }
}
