import { InvalidArgumentError } from 'commander'
import {
  type Compared,
  comparisonDocument,
  comparisonToJson,
} from '../../../reports/compare/document.ts'
import {
  type ComparedLoads,
  loadComparisonDocument,
  loadComparisonToJson,
} from '../../../reports/compare/loads.ts'
import type { LoadComparison } from '../../../reports/load/model/comparison.ts'
import { refusing } from '../../conformance/errors.ts'
import { makeFolder } from '../../conformance/recording/result-files.ts'
import { compareLoads, NotComparableError } from '../../load/comparison/compare-loads.ts'
import type { ComparisonOptions, FigureName } from '../../load/comparison/figures.ts'
import { comparedLatencies } from '../../load/summary/rates.ts'
import {
  formatsIn,
  hasFile,
  type PublishFlags,
  type ReportKind,
  renderReport,
  reportKind,
  tellWritten,
} from '../results/publish-report.ts'
import { loadIn, type StoredFile } from '../results/stored-report.ts'
import type { Io } from '../terminal/io.ts'
import { list } from '../values.ts'

export const comparisonKind = reportKind<Compared>('comparison', {
  toDocument: comparisonDocument,
  toJson: comparisonToJson,
})

export const loadComparisonKind = reportKind<ComparedLoads>('comparison', {
  toDocument: loadComparisonDocument,
  toJson: loadComparisonToJson,
})

/** Prints a comparison, and writes the formats that have a file. */
export function publishComparison<Report>(
  report: Report,
  kind: ReportKind<Report>,
  { report: names = [], out, json = false, color }: PublishFlags,
  io: Io,
): void {
  const formats = formatsIn(kind, json ? names.filter((name) => name !== 'console') : names)
  if (json) io.out(kind.toJson(report).trimEnd())
  if (hasFile(formats)) makeFolder(out)
  const style = { color: io.color && color, width: io.width, verbose: false }
  renderReport(report, { formats, out, style, print: io.out }, io)
  tellWritten(formats, out, { ...io, out: json ? io.err : io.out })
}

const others = ['success', 'goodput', 'rate', 'tokens']

/** Parses `--metric`: `ttft.p99`, `success`, `rate`; repeatable, with commas. */
export function comparedFigures(
  text: string,
  before: readonly FigureName[] = [],
): readonly FigureName[] {
  return [...before, ...list(text).map(figureName)]
}

function figureName(name: string): FigureName {
  if (name === 'success' || name === 'goodput') return { share: name }
  if (name === 'rate' || name === 'tokens') return { rate: name }
  const match = /^(\w+)\.p(\d{1,2}(?:\.\d+)?)$/.exec(name)
  const metric = comparedLatencies.find((name) => name === match?.[1])
  const q = Number((Number(match?.[2]) / 100).toPrecision(10))
  if (metric === undefined || !(q > 0)) {
    const latencies = comparedLatencies.map((name) => `${name}.p95`)
    throw new InvalidArgumentError(`must be one of ${[...latencies, ...others].join(', ')}`)
  }
  return { metric, q }
}

/** @throws ConfigurationError if a report has nothing to compare */
export function comparedLoads(
  [a, b]: readonly [StoredFile, StoredFile],
  options: ComparisonOptions,
): LoadComparison {
  const side = (stored: StoredFile) => ({ name: stored.file, report: loadIn(stored) })
  return refusing(NotComparableError, () => compareLoads(side(a), side(b), options))
}
