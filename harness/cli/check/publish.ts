import { join } from 'node:path'
import type { Exchange } from '../../../contract/index.ts'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import { reportToBadge } from '../../../reports/conformance/badge.ts'
import { conformanceDocument } from '../../../reports/conformance/document.ts'
import { reportToGitHub } from '../../../reports/conformance/github.ts'
import { reportToJUnit } from '../../../reports/conformance/junit/junit.ts'
import { scriptsName, scriptsOf } from '../../../reports/conformance/violations.ts'
import { reportToJson, withEvidence } from '../../../reports/text/digest.ts'
import { exchangesName } from '../../conformance/defaults.ts'
import { makeFolder } from '../../conformance/recording/result-files.ts'
import { defaultFormats, formatsIn, reportKind } from '../results/formats.ts'
import { type PublishFlags, publishReport } from '../results/publish-report.ts'
import { evidenceIn, readRecording } from '../results/stored-report.ts'
import type { Io } from '../terminal/io.ts'

/**
 * Writes the reports that have a file, and prints the others. `report.json` is always written: all other
 * formats can be rendered from it later.
 * @param flags `out` contains the exchanges of the run
 */
export function publish(found: ConformanceReport, flags: PublishFlags, io: Io): void {
  const { report: names, out } = flags
  const evidence = evidenceIn(out)
  const { exchanges } = readRecording(join(out, exchangesName))
  const formats = formatsIn(checkKind, names ?? checkFormats).filter(
    ({ name }) => !(name === 'html' && names === undefined && found.outcome === 'conforms'),
  )
  const page = formats.find(({ name }) => name === 'html')?.file
  publishReport(
    found,
    checkKind,
    {
      ...flags,
      formats,
      evidence: exchanges,
      seal: (report) => withEvidence(report, evidence),
      results: page ? `Results: ${out}\nHTML report: ${join(out, page)}` : `Results: ${out}`,
    },
    io,
  )
  const scripts = scriptsOf(found, exchanges)
  if (scripts.size > 0) makeFolder(join(out, scriptsName))
  for (const [path, script] of scripts) io.write(path, script)
}

export const checkKind = reportKind<ConformanceReport, ReadonlyMap<string, Exchange>>('report', {
  toDocument: conformanceDocument,
  toJson: reportToJson,
  toJUnit: reportToJUnit,
  more: {
    github: { file: null, render: (report, _, exchanges) => reportToGitHub(report, exchanges) },
    badge: { file: 'badge.svg', render: reportToBadge },
  },
})

/** Formats of a check; `html` only if the target does not conform. */
export const checkFormats: readonly string[] = [...defaultFormats, 'html']
export const defaultsText = 'console,json, and html if it does not conform'
