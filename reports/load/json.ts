import { type LoadReport, loadReport } from '../model/load.ts'

/** `report.json` of a load run: members in the order of the model, two spaces, a line feed at the end. */
export function loadToJson(report: LoadReport): string {
  return `${JSON.stringify(loadReport.parse(report), null, 2)}\n`
}
