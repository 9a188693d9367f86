import { type ConformanceReport, conformanceReport } from './model.ts'

/** `report.json`: members in the order of the model, two spaces, a line feed at the end. */
export function reportToJson(report: ConformanceReport): string {
  return `${JSON.stringify(conformanceReport.parse(report), null, 2)}\n`
}
