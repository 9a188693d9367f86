import { join } from 'node:path'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import { withEvidence } from '../../../reports/text/digest.ts'
import { exchangesName } from '../../conformance/defaults.ts'
import { fileDigest, readRecording } from '../results/exchanges.ts'
import { formatsIn } from '../results/formats.ts'
import { publishReport } from '../results/publish-report.ts'
import type { Io } from '../terminal/io.ts'
import { checkFormats, checkKind } from './report-formats.ts'

export interface PublishOptions {
  /** Formats of `--report`; undefined without it. */
  readonly report?: readonly string[] | undefined
  /** Folder of the results, with the exchanges of the run in it. */
  readonly out: string
  readonly color: boolean
  /** Print only `report.json` on standard output. */
  readonly json?: boolean
  /** Print the outcome only. */
  readonly quiet?: boolean
  /** Lists everything. */
  readonly verbose?: boolean
}

/**
 * Writes the reports that have a file, and prints the others. `report.json` is always written: all other
 * formats can be rendered from it later.
 */
export function publish(found: ConformanceReport, options: PublishOptions, io: Io): void {
  const { report: names, out, color, json = false, quiet = false, verbose = false } = options
  const evidence = fileDigest(join(out, exchangesName))
  const { exchanges } = readRecording(join(out, exchangesName))
  const formats = formatsIn(checkKind, names ?? checkFormats).filter(
    ({ name }) => !(name === 'html' && names === undefined && found.outcome === 'conforms'),
  )
  const page = formats.find(({ name }) => name === 'html')?.file
  publishReport(
    found,
    checkKind,
    {
      formats,
      out,
      style: { color: io.color && color, width: io.width, verbose },
      json,
      quiet,
      evidence: exchanges,
      seal: (report) => withEvidence(report, evidence),
      results: page ? `Results: ${out}\nHTML report: ${join(out, page)}` : `Results: ${out}`,
    },
    io,
  )
}
