import { count } from '../../../contract/text.ts'
import {
  type ComparedSide,
  type FigureVerdict,
  type LoadComparison,
  loadBlocks,
} from '../../../reports/load/model/comparison.ts'
import type { LoadReport } from '../../../reports/load/model/report.ts'
import { unpacked } from '../metrics/samples/histogram.ts'
import { InputError } from '../options.ts'
import { givenSlos } from '../shards/merge.ts'
import type { NamedReport } from '../shards/merge-parts.ts'
import { type ComparisonOptions, figuresOf, type RunBlocks } from './figures.ts'
import { type Candidate, decideFigures, familyError } from './verdicts.ts'

/**
 * Comparison of two load runs that took place one after the other.
 * @throws InputError if a report has no blocks
 */
export function compareLoads(
  a: NamedReport,
  b: NamedReport,
  options: ComparisonOptions,
): LoadComparison {
  const differences = differencesOf(settings, a.report, b.report).map((difference) => ({
    ...difference,
    a: shortened(difference.a),
    b: shortened(difference.b),
  }))
  const decisive = differences.filter((difference) => difference.decisive)
  const names = decisive.map(({ name }) => name).join(', ')
  const differ = names === '' ? null : `the runs differ in ${names}`
  const isInvalid = [a, b].some(({ report }) => report.generator.verdict === 'invalid')
  const slow = isInvalid ? 'the load generator was the bottleneck in a run' : null
  const candidates = figuresOf(blocksOf(a), blocksOf(b), options).map((candidate) =>
    differ === null && slow === null
      ? candidate
      : { ...candidate, ratio: null, reason: differ ?? candidate.reason ?? slow },
  )
  const late = [a, b].filter(({ report }) => report.generator.verdict !== 'valid')
  return comparisonOf(
    {
      ...{ of: 'load', method: methodText, differences },
      a: sideOf(a.report, a.report.goodput.due),
      b: sideOf(b.report, b.report.goodput.due),
      notes: [
        ...late.map(({ name, report: { generator } }) => {
          return `${name}: the load generator is ${generator.verdict}: ${generator.reasons.join('; ')}`
        }),
        'The runs took place at different times: a change of the machine between them looks like a change of the target. Run both again, in turn, to tell the two apart.',
      ],
    },
    candidates,
    isInvalid,
  )
}

const methodText =
  'ratios of order-statistic limits (MOVER), sample sizes corrected for differences between blocks of a run'

/** A comparison with the verdicts on its figures; `isInvalid`: a load generator was the bottleneck. */
export function comparisonOf(
  parts: Pick<LoadComparison, 'of' | 'method' | 'a' | 'b' | 'differences' | 'notes'>,
  candidates: readonly Candidate[],
  isInvalid: boolean,
): LoadComparison {
  const { of, method, a, b, differences, notes } = parts
  const figures = decideFigures(candidates)
  const has = (verdict: FigureVerdict) => figures.some((figure) => figure.verdict === verdict)
  const undecided = figures.length === 0 || has('undecided')
  return {
    ...({ kind: 'load-comparison', schemaVersion: 1 } as const),
    outcome: isInvalid
      ? 'invalid'
      : has('regression')
        ? 'regression'
        : undecided
          ? 'undecided'
          : 'no regression',
    ...{ of, design: 'separate', method, familyError, a, b, differences, figures, notes },
  }
}

function blocksOf({ name, report }: NamedReport): RunBlocks {
  if (report.blocks === undefined) {
    throw new InputError(`${name} has no blocks to compare: run the load again`)
  }
  try {
    return { report, ...loadBlocks.parse(unpacked(report.blocks)) }
  } catch {
    throw new InputError(`${name}: its blocks cannot be read`)
  }
}

export function sideOf(
  report: Pick<LoadReport, 'target' | 'startedAt' | 'suite'> & {
    readonly outcome: string
    readonly generator: Pick<LoadReport['generator'], 'verdict'>
  },
  requests: number,
): ComparedSide {
  const { target, startedAt, suite, outcome, generator } = report
  const head = { baseUrl: target.baseUrl, startedAt, version: suite.version, outcome }
  return { ...head, requests, generator: generator.verdict }
}

export interface Setting<Report> {
  readonly name: string
  /** True if a difference means different loads, so that no figure can be attributed to a target. */
  readonly decisive: boolean
  readonly read: (report: Report) => string
}

const settings: readonly Setting<LoadReport>[] = [
  { name: 'URL', decisive: false, read: ({ target }) => target.baseUrl.replace(/\/+$/, '') },
  { name: 'spread', decisive: false, read: ({ config }) => config.spread ?? 'one endpoint' },
  { name: 'chatgen', decisive: false, read: ({ suite }) => suite.version },
  { name: 'arrivals', decisive: true, read: ({ plan }) => arrivalText(plan.arrival) },
  { name: 'mix', decisive: true, read: ({ plan, config }) => `${plan.mix} ${text(config.mix)}` },
  { name: 'misbehavior', decisive: true, read: ({ config }) => text(config.misbehavior) },
  { name: 'races', decisive: true, read: ({ config }) => text(config.idempotencyRaceShare) },
  { name: 'keep-alive', decisive: true, read: ({ config }) => text(config.keepAlive) },
  { name: 'connections', decisive: true, read: ({ config }) => text(config.mostConnections) },
  { name: 'shards', decisive: true, read: ({ plan, partial }) => text([plan.shard?.of, partial]) },
  {
    name: 'HTTP versions',
    decisive: false,
    read: ({ connections }) => connections.httpVersions.join(', '),
  },
  { name: 'duration', decisive: false, read: ({ plan }) => `${plan.durationMs / 1000} s` },
  { name: 'workers', decisive: false, read: ({ config }) => text(config.workers) },
  { name: 'SLOs', decisive: false, read: (report) => givenSlos(report).join('; ') || 'none' },
]

/** Settings in which two runs differ. */
export function differencesOf<Report>(
  settings: readonly Setting<Report>[],
  a: Report,
  b: Report,
): LoadComparison['differences'] {
  return settings.flatMap(({ name, decisive, read }) => {
    const [ofA, ofB] = [read(a), read(b)]
    return ofA === ofB ? [] : [{ name, a: ofA, b: ofB, decisive }]
  })
}

/** Identifies a trace by its content, not by its file name. */
function arrivalText(arrival: LoadReport['plan']['arrival']): string {
  if (arrival.kind === 'trace') return `trace ${arrival.digest?.slice(0, 12) ?? 'without digest'}`
  if (arrival.kind === 'closed') return `closed loop of ${count(arrival.concurrency, 'client')}`
  return 'perSecond' in arrival ? `${arrival.kind}, ${arrival.perSecond}/s` : text(arrival)
}

function text(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value)
}

function shortened(value: string): string {
  return value.length <= 60 ? value : `${value.slice(0, 59)}…`
}
