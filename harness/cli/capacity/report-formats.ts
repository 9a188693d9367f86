import type { CapacityReport } from '../../../contract/report/capacity/report.ts'
import { capacityDocument, capacityOutcome } from '../../../reports/capacity/document.ts'
import { capacityToJUnit } from '../../../reports/capacity/junit.ts'
import { capacityToJson } from '../../../reports/text/digest.ts'
import { defaultFormats } from '../results/formats.ts'
import { documentFormats, type ReportKind } from '../results/publish-report.ts'

export const capacityFormats = documentFormats('report', capacityDocument, {
  toJson: capacityToJson,
  toJUnit: capacityToJUnit,
})

/** Forms of every capacity search. */
export const capacityKind: ReportKind<CapacityReport> = {
  file: 'report.json',
  toJson: capacityToJson,
  toOutcome: capacityOutcome,
}

export const capacityFormatNames: readonly string[] = Object.keys(capacityFormats)

/** Formats without `--report`. */
export const defaultCapacityFormats: readonly string[] = defaultFormats.filter((name) =>
  Object.hasOwn(capacityFormats, name),
)
