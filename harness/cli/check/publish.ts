import { join } from 'node:path'
import type { Exchange } from '../../../contract/index.ts'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import { checkOutcome } from '../../../reports/conformance/summary.ts'
import { reportToJson, withEvidence } from '../../../reports/text/digest.ts'
import { exchangesName, reportName } from '../../conformance/defaults.ts'
import { readRecording } from '../results/exchanges.ts'
import { fileDigest } from '../results/file-digest.ts'
import type { Named } from '../results/formats.ts'
import { type PlainFormat, publishReport } from '../results/publish-report.ts'
import type { Io } from '../terminal/io.ts'
import type { NamedFormat } from './report-formats.ts'

export interface PublishOptions {
  readonly formats: readonly NamedFormat[]
  /** The formats are those without `--report`. */
  readonly isDefault: boolean
  /** Folder of the results, with the exchanges of the run in it. */
  readonly out: string
  readonly color: boolean
  /** Print only `report.json` on standard output. */
  readonly json: boolean
  /** Print the outcome only. */
  readonly quiet: boolean
  /** Lists what passed, too. */
  readonly verbose: boolean
}

/**
 * Writes the reports that have a file, and prints the others. `report.json` is always written: all other
 * formats can be rendered from it later.
 */
export function publish(found: ConformanceReport, options: PublishOptions, io: Io): void {
  const { out, json, quiet, isDefault } = options
  const evidence = fileDigest(join(out, exchangesName))
  const { exchanges } = readRecording(join(out, exchangesName))
  const formats = options.formats.filter(
    ({ name }) => !(name === 'html' && isDefault && found.outcome === 'conforms'),
  )
  const kind = {
    file: reportName,
    toJson: reportToJson,
    toOutcome: checkOutcome,
    seal: (report: ConformanceReport) => withEvidence(report, evidence),
    toResults: () => resultsText(formats, out),
  }
  const style = { color: io.color && options.color, width: io.width, verbose: options.verbose }
  publishReport(
    found,
    kind,
    { formats: boundFormats(formats, exchanges), out, style, json, quiet },
    io,
  )
}

/** Formats of a conformance report, bound to the exchanges of its run. */
export function boundFormats(
  formats: readonly NamedFormat[],
  exchanges: ReadonlyMap<string, Exchange>,
): readonly Named<PlainFormat<ConformanceReport>>[] {
  return formats.map(({ render, ...format }) => ({
    ...format,
    render: (report, style) => render(report, exchanges, style),
  }))
}

/** The last lines on the screen: the paths of the results and of the page. */
function resultsText(formats: readonly NamedFormat[], out: string): string {
  const page = formats.find(({ name }) => name === 'html')?.file
  return page ? `Results: ${out}\nHTML report: ${join(out, page)}` : `Results: ${out}`
}
