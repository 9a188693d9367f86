import type { Exchange } from '../../../contract/index.ts'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import { reportToBadge } from '../../../reports/conformance/badge.ts'
import { conformanceDocument } from '../../../reports/conformance/document.ts'
import { reportToGitHub } from '../../../reports/conformance/github.ts'
import { reportToJUnit } from '../../../reports/conformance/junit/junit.ts'
import { reportToJson } from '../../../reports/text/digest.ts'
import { defaultFormats, reportKind } from '../results/formats.ts'

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
