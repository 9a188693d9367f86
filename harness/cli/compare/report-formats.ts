import {
  type Compared,
  comparisonDocument,
  comparisonOutcome,
  comparisonToJson,
} from '../../../reports/compare/document.ts'
import {
  type ComparedLoads,
  loadComparisonDocument,
  loadComparisonOutcome,
  loadComparisonToJson,
} from '../../../reports/compare/loads.ts'
import { makeFolder } from '../../conformance/recording/result-files.ts'
import { formatsIn, type ReportKind, reportKind } from '../results/formats.ts'
import { renderReport } from '../results/publish-report.ts'
import { tellWritten } from '../results/rendered-files.ts'
import type { Io } from '../terminal/io.ts'

export const comparisonKind = reportKind<Compared>('comparison', {
  toDocument: comparisonDocument,
  toJson: comparisonToJson,
  toOutcome: comparisonOutcome,
})

export const loadComparisonKind = reportKind<ComparedLoads>('comparison', {
  toDocument: loadComparisonDocument,
  toJson: loadComparisonToJson,
  toOutcome: loadComparisonOutcome,
})

export interface ComparisonFlags {
  readonly report: readonly string[]
  readonly out: string
  readonly json?: boolean
  readonly color: boolean
}

/** Prints a comparison, and writes the formats that have a file. */
export function publishComparison<Report>(
  report: Report,
  kind: ReportKind<Report>,
  { report: names, out, json = false, color }: ComparisonFlags,
  io: Io,
): void {
  const formats = formatsIn(kind, json ? names.filter((name) => name !== 'console') : names)
  if (json) io.out(kind.toJson(report).trimEnd())
  if (formats.some(({ file }) => file !== null)) makeFolder(out)
  const style = { color: io.color && color, width: io.width, verbose: false }
  renderReport(report, { formats, out, style, print: io.out, evidence: undefined }, io)
  tellWritten(formats, out, { ...io, out: json ? io.err : io.out })
}
