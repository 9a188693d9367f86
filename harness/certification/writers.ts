import type { ConformanceReport } from '../../contract/report/conformance.ts'
import { reportToBadge } from '../../reports/conformance/badge.ts'
import { conformanceDocument } from '../../reports/conformance/document.ts'
import { toHtml } from '../../reports/document/html.ts'
import { reportToJson, withEvidence } from '../../reports/text/digest.ts'
import { StoredRecording } from '../client/index.ts'
import { badgeName, pageName } from './bundle.ts'

/** Files of a bundle that are made from reports: `certify` writes them, `verify` compares them. */

/** Text of a round's report.json. `exchanges`: SHA-256 of its exchanges.ndjson, hexadecimal. */
export function reportText(report: ConformanceReport, exchanges: string): string {
  return reportToJson(withEvidence(report, exchanges))
}

/** Texts of the page and the badge of the last round, by name. `exchangesFile`: its exchanges.ndjson. */
export function pagesOf(
  report: ConformanceReport,
  exchangesFile: string,
): ReadonlyMap<string, string> {
  const document = conformanceDocument(report, new StoredRecording(exchangesFile))
  return new Map([
    [pageName, toHtml(document, { isCompact: true })],
    [badgeName, reportToBadge(report)],
  ])
}
