import { meanOf, rankOf } from '../../../contract/averages.ts'
import type {
  ComparedSide,
  LoadBlock,
  LoadComparison,
} from '../../../reports/load/model/comparison.ts'
import { type LoadReport, loadOutcomes } from '../../../reports/load/model/report.ts'
import { addCounts, milliseconds } from '../metrics/samples/histogram.ts'
import { minimumSamples, type OrderedSample } from '../statistics/quantile-interval.ts'
import { unpackBlocks } from '../summary/rates.ts'
import { pooled, ratioOfPairs, samplesOf } from './block-estimates.ts'
import { comparisonOf, headOf } from './compare-loads.ts'
import {
  type ComparedLatency,
  type ComparisonOptions,
  defaultFigures,
  type FigureHead,
  type FigureName,
  figureHead,
  shareFigure,
} from './figures.ts'
import type { Candidate } from './verdicts.ts'

/** Two blocks of an interleaved run, one after the other, with the same plan. */
export interface BlockPair {
  readonly a: LoadReport
  readonly b: LoadReport
}

/** Minimum number of pairs for limits. */
export const minPairs = 6

/** Comparison of two deployments that took turns. Pairs in which the generator was too slow are left out. */
export function compareInterleaved(
  all: readonly BlockPair[],
  { figures: chosen, tolerance }: ComparisonOptions,
): LoadComparison {
  const valid = all.filter(({ a, b }) =>
    [a, b].every(({ generator }) => generator.verdict !== 'invalid'),
  )
  const [ofA, ofB] = [all.map(({ a }) => a), all.map(({ b }) => b)]
  const pairs = valid.map(({ a, b }): Pair => ({ a: wholeBlock(a), b: wholeBlock(b) }))
  const [first] = all
  if (first === undefined) throw new RangeError('there are no pairs of blocks')
  const isInvalid = 2 * valid.length < all.length
  const names = chosen ?? defaultFigures(first.a, first.b)
  const dropped = all.length - valid.length
  return comparisonOf(
    {
      ...{ of: 'load', design: 'interleaved', differences: [] },
      method: `Student's limits of log ratios of ${valid.length} pairs of blocks; shares pooled, by differences between blocks`,
      a: headOfAll(ofA),
      b: headOfAll(ofB),
      notes: [
        ...(dropped === 0
          ? []
          : [`${dropped} of ${all.length} pairs left out: the load generator was the bottleneck`]),
        ...violationNotes('A', ofA),
        ...violationNotes('B', ofB),
      ],
    },
    isInvalid ? [] : names.flatMap((name) => candidatesOf(pairs, name, tolerance)),
    isInvalid,
  )
}

type Block = ReturnType<typeof wholeBlock>
type Pair = Readonly<Record<'a' | 'b', Block>>

/** The measured window of a run as one block. */
function wholeBlock({ blocks: packed }: LoadReport) {
  const { blocks, blockMs } = unpackBlocks(packed ?? '')
  const sum = { due: 0, ok: 0, good: 0, completed: 0, outputTokens: 0 }
  for (const block of blocks)
    addCounts(sum, block, ['due', 'ok', 'good', 'completed', 'outputTokens'])
  const latencies = blocks.flatMap((block) => block.latencies)
  return { ...sum, latencies, seconds: (blockMs * blocks.length) / 1000 }
}

function candidatesOf(pairs: readonly Pair[], name: FigureName, tolerance: number): Candidate[] {
  if ('metric' in name) return latencyOf(pairs, name, tolerance)
  if ('share' in name) {
    const [a, b] = [pairs.map((pair) => pair.a), pairs.map((pair) => pair.b)]
    return [shareFigure({ blocks: a }, { blocks: b }, name.share)]
  }
  const read = ({ completed, outputTokens, seconds }: Block) =>
    (name.rate === 'rate' ? completed : outputTokens) / seconds
  const values = pairs.map((pair) => [read(pair.a), read(pair.b)] as const)
  const head = figureHead(name, tolerance)
  return [paired(head, values, meanOf(values.map(([a]) => a)), meanOf(values.map(([, b]) => b)))]
}

/** The quantile of each block. Small blocks bias it, but equally in both of a pair. */
function latencyOf(
  pairs: readonly Pair[],
  { metric, q }: { readonly metric: ComparedLatency; readonly q: number },
  tolerance: number,
): Candidate[] {
  const head = figureHead({ metric, q }, tolerance)
  const all = pairs.map(({ a, b }) => [sampleOf([a], metric), sampleOf([b], metric)] as const)
  if (all.flat().every(({ count }) => count === 0)) return []
  const minCount = Math.ceil(1 / (1 - q))
  const values = all.flatMap(([a, b]) => {
    if (a.count < minCount || b.count < minCount) return []
    const [ofA, ofB] = [valueAt(a, q), valueAt(b, q)]
    return ofA === null || ofB === null ? [] : [[ofA, ofB] as const]
  })
  const ofAll = (side: 'a' | 'b') => {
    const sample = sampleOf(
      pairs.map((pair) => pair[side]),
      metric,
    )
    return sample.count < minimumSamples(q) ? null : valueAt(sample, q)
  }
  return [paired(head, values, ofAll('a'), ofAll('b'))]
}

function sampleOf(blocks: readonly LoadBlock[], metric: ComparedLatency): OrderedSample {
  return pooled(samplesOf(blocks, metric))
}

/** Milliseconds; null if it lies among requests that were still running. */
function valueAt(sample: OrderedSample, q: number): number | null {
  return milliseconds(sample.highAt(rankOf(q, sample.count)))
}

function paired(
  head: FigureHead,
  values: readonly (readonly [a: number, b: number])[],
  a: number | null,
  b: number | null,
): Candidate {
  const positive = values.filter(([ofA, ofB]) => ofA > 0 && ofB > 0)
  if (positive.length < minPairs) {
    const reason = `${positive.length} pairs of blocks have enough values; it takes ${minPairs}: longer blocks, or more of them`
    return { ...head, a, b, ratio: null, reason }
  }
  return { ...head, a, b, ratio: ratioOfPairs(positive), reason: null }
}

function headOfAll(reports: readonly LoadReport[]): ComparedSide {
  const [first] = reports
  if (first === undefined) throw new RangeError('there are no reports')
  const worst = (['invalid', 'degraded'] as const).find((verdict) =>
    reports.some(({ generator }) => generator.verdict === verdict),
  )
  const outcome = loadOutcomes.find((one) => reports.some((report) => report.outcome === one))
  return {
    ...headOf(first),
    outcome: outcome ?? first.outcome,
    requests: reports.reduce((sum, { goodput }) => sum + goodput.due, 0),
    generator: worst ?? 'valid',
  }
}

function violationNotes(side: string, reports: readonly LoadReport[]): string[] {
  const ids = reports.flatMap(({ integrity }) =>
    integrity.findings.flatMap(({ id, level }) => (level === 'required' ? [id] : [])),
  )
  return ids.length === 0
    ? []
    : [`${side} violates ${[...new Set(ids)].sort().join(', ')}: chatgen load tells more`]
}
