import type { ConformanceReport, RequirementResult } from '../../contract/report/conformance.ts'

/** Verdicts of the suites on one target that the proof needs. */
export interface TargetResult {
  readonly kind: 'clean' | 'fault' | 'dialect' | 'combination' | 'null' | 'generated'
  readonly name: string
  readonly outcome: ConformanceReport['outcome']
  readonly requirements: readonly RequirementVerdict[]
  /** Internal errors; a proof has none. */
  readonly internalErrors: readonly string[]
  /** True if the traffic differs from that of the plain server. */
  readonly applied: boolean
  readonly durationMs: number
  /** Requests that met the conditions of a generated fault; absent for other targets. */
  readonly reached?: number
}

export type RequirementVerdict = Pick<
  RequirementResult,
  'id' | 'level' | 'verdict' | 'message' | 'brokenBy'
>

/** Requirements that turned red: failed, or warned if the requirement is only expected. */
export function failedIds(result: Pick<TargetResult, 'requirements'>): readonly string[] {
  return result.requirements
    .filter(({ verdict }) => verdict === 'fail' || verdict === 'warn')
    .map(({ id }) => id)
}

export function verdictsOf(report: ConformanceReport): RequirementVerdict[] {
  return report.requirements.map(({ id, level, verdict, message, brokenBy }) => {
    return { id, level, verdict, message, brokenBy }
  })
}

/** The result of a run in which nothing was judged. */
export const nothingJudged = {
  outcome: 'incomplete',
  requirements: [],
  internalErrors: [],
  applied: false,
  durationMs: 0,
} as const satisfies Omit<TargetResult, 'kind' | 'name'>

/** A target whose run did not finish: an internal error. */
export function lostTarget(name: string, why: string): TargetResult {
  return { ...nothingJudged, kind: 'fault', name, internalErrors: [why] }
}
