import type { CapacityReport } from '../../../contract/report/capacity/report.ts'
import { capacityDocument } from '../../../reports/capacity/document.ts'
import { capacityToJUnit } from '../../../reports/capacity/junit.ts'
import { capacityToJson } from '../../../reports/text/digest.ts'
import { reportKind } from '../results/formats.ts'

export const capacityKind = reportKind<CapacityReport>('report', {
  toDocument: capacityDocument,
  toJson: capacityToJson,
  toJUnit: capacityToJUnit,
})
