import { join } from 'node:path'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import { reportToBadge } from '../../../reports/conformance/badge.ts'
import { reportToHtml } from '../../../reports/conformance/html/report-to-html.ts'
import { reportToJson, withEvidence } from '../../../reports/text/digest.ts'
import { badgeName, pageName, roundFolder } from '../../certification/bundle.ts'
import { exchangesName, reportName } from '../../conformance/defaults.ts'
import { provingFaults } from '../check/proving-faults.ts'
import { withoutSecrets } from '../check/publish.ts'
import { readRecording } from '../results/exchanges.ts'
import { fileDigest } from '../results/file-digest.ts'
import type { Io } from '../terminal/io.ts'

/** Writes report.json of a round beside its exchanges; returns the report as it is stored. */
export function publishRound(found: ConformanceReport, dir: string, io: Io): ConformanceReport {
  const report = withEvidence(withoutSecrets(found, io), fileDigest(join(dir, exchangesName)))
  io.write(join(dir, reportName), reportToJson(report))
  return report
}

/** Writes the page and the badge of a bundle: those of its last round, whose evidence they show. */
export function publishBundle(reports: readonly ConformanceReport[], dir: string, io: Io): void {
  const report = reports.at(-1)
  if (report === undefined) return
  const { exchanges } = readRecording(join(dir, roundFolder(reports.length), exchangesName))
  io.write(join(dir, pageName), reportToHtml(report, exchanges, { faults: provingFaults() }))
  io.write(join(dir, badgeName), reportToBadge(report))
}
