import { sealed } from '../digest.ts'
import { type LoadReport, loadReport } from '../model/load.ts'
import { printableJson } from '../text.ts'

/** `report.json` of a load run: members in the order of the model, a line feed at the end; its digest fits. */
export function loadToJson(report: LoadReport): string {
  return `${printableJson(JSON.stringify(sealed(loadReport.parse(report)), null, 2))}\n`
}
