import type { ConformanceReport } from '../../contract/report/conformance.ts'
import { printableJson } from '../text/escape.ts'
import type { Comparison } from './compare.ts'

/** The comparison for a program, version 1 of its form. */
export function comparisonToJson(
  comparison: Comparison,
  a: ConformanceReport,
  b: ConformanceReport,
  notes: readonly string[],
): string {
  const value = {
    kind: 'comparison',
    schemaVersion: 1,
    a: headOf(a),
    b: headOf(b),
    ...comparison,
    notes,
  }
  return `${printableJson(JSON.stringify(value, null, 2))}\n`
}

function headOf({ outcome, suite, target, seed, startedAt }: ConformanceReport) {
  return { outcome, suite, target, seed, startedAt }
}
