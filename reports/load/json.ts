import { type LoadReport, loadReport } from '../../contract/report/load.ts'
import { sealed } from '../text/digest.ts'
import { printableJson } from '../text/escape.ts'

/** `report.json` of a load run: members in the order of the model, a line feed at the end; its digest fits. */
export function loadToJson(report: LoadReport): string {
  return `${printableJson(JSON.stringify(sealed(loadReport.parse(report)), null, 2))}\n`
}
