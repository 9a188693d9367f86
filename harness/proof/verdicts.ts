import type { ConformanceReport, RequirementRow } from '../../contract/report/conformance.ts'

/** Verdicts of the suites about one target, as far as the proof needs them. */
export interface TargetResult {
  readonly kind: 'clean' | 'fault' | 'dialect' | 'combination' | 'null' | 'crossed' | 'generated'
  readonly name: string
  readonly outcome: ConformanceReport['outcome']
  readonly rows: readonly RowResult[]
  /** Internal errors; a proof has none. */
  readonly internalErrors: readonly string[]
  /** True if the traffic differs from that of the plain server. */
  readonly applied: boolean
  readonly durationMs: number
  /** Requests that met the conditions of a generated fault; absent for other targets. */
  readonly reached?: number
  /** Set for a fault in a dialect alone, with the rows that the dialect turns red by itself. */
  readonly crossed?: {
    readonly fault: string
    readonly dialect: string
    readonly redAlone: readonly string[]
  }
}

export type RowResult = Pick<RequirementRow, 'id' | 'level' | 'verdict' | 'message' | 'brokenBy'>

/** Rows that turned red: failed, or warned if the row is only expected. */
export function redRows(result: Pick<TargetResult, 'rows'>): readonly string[] {
  return result.rows
    .filter(({ verdict }) => verdict === 'fail' || verdict === 'warn')
    .map(({ id }) => id)
}

export function verdictsOf(report: ConformanceReport): RowResult[] {
  return report.requirements.map(({ id, level, verdict, message, brokenBy }) => ({
    id,
    level,
    verdict,
    message,
    brokenBy,
  }))
}

/** A target whose run came to no end: an internal error. */
export function lostTarget(name: string, why: string): TargetResult {
  return {
    kind: 'fault',
    name,
    outcome: 'incomplete',
    rows: [],
    internalErrors: [why],
    applied: false,
    durationMs: 0,
  }
}
