import { type ConformanceReport, conformanceReport } from '../../contract/report/conformance.ts'
import { sealed } from '../text/digest.ts'
import { printableJson } from '../text/escape.ts'

/** `report.json`: members in the order of the model, two spaces, a line feed at the end; its digest fits. */
export function reportToJson(report: ConformanceReport): string {
  return `${printableJson(JSON.stringify(sealed(conformanceReport.parse(report)), null, 2))}\n`
}
