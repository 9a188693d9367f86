import { capabilities } from '../../contract/index.ts'
import type { ConformanceReport, RequirementRow } from '../../contract/report/conformance.ts'
import type { TargetProfile } from '../conformance/profile/index.ts'
import type { ProfileName, Selection } from '../conformance/profile/selection.ts'

/** The rules of docs/certification.md, as far as they are about the rounds and their settings. */

/** Result of the rounds of a certification, by requirement id. */
export interface RoundsResult {
  readonly passed: readonly string[]
  readonly warned: readonly string[]
  readonly failed: readonly string[]
  readonly notApplicable: readonly string[]
  /** Why no certificate is issued; empty for a certificate. */
  readonly refusals: readonly string[]
}

/** The selection of every round: all requirements of a surface. */
export function certifiedSelection(profile: ProfileName): Selection {
  return { profile, only: [], skip: [] }
}

/** Capabilities that a profile declares neither true nor false. */
export function undeclaredCapabilities(profile: Pick<TargetProfile, 'capabilities'>): string[] {
  return capabilities.filter((name) => profile.capabilities[name] === undefined)
}

/**
 * Judges the rounds together. A required requirement must have passed, or be not applicable, in every
 * round; one whose verdict differs between rounds is unstable.
 */
export function judgeRounds(reports: readonly ConformanceReport[]): RoundsResult {
  const rows = Map.groupBy(
    reports.flatMap(({ requirements }) => requirements),
    ({ id }) => id,
  )
  const result = {
    passed: [] as string[],
    warned: [] as string[],
    failed: [] as string[],
    notApplicable: [] as string[],
  }
  const refusals = reports.flatMap((report, at) => refusalsOf(report, at + 1))
  for (const [id, verdicts] of rows) {
    const names = new Set(verdicts.map(({ verdict }) => verdict))
    const [first] = verdicts
    if (first === undefined) continue
    if (names.has('fail')) result.failed.push(id)
    else if (names.has('warn')) result.warned.push(id)
    else if (names.size === 1 && names.has('pass')) result.passed.push(id)
    else if (names.size === 1 && names.has('not-applicable')) result.notApplicable.push(id)
    const refusal = first.level === 'required' ? refusalOf(id, verdicts) : null
    if (refusal !== null) refusals.push(refusal)
  }
  return { ...result, refusals }
}

function refusalsOf(report: ConformanceReport, round: number): string[] {
  const { interrupted, faults, baseline } = report
  return [
    ...(interrupted ? [`round ${round} was interrupted`] : []),
    ...faults.map(({ message }) => `round ${round}: internal error: ${message}`),
    ...(baseline === undefined ? [] : [`round ${round} was judged with a baseline`]),
  ]
}

function refusalOf(id: string, rows: readonly RequirementRow[]): string | null {
  const names = [...new Set(rows.map(({ verdict }) => verdict))]
  const broken = rows.find(({ verdict }) => verdict !== 'pass' && verdict !== 'not-applicable')
  const reason = broken?.message ? `: ${broken.message}` : ''
  if (names.length > 1) {
    return `${id} is unstable: ${rows.map(({ verdict }) => verdictWord(verdict)).join(', ')} in rounds 1 to ${rows.length}${reason}`
  }
  return broken === undefined ? null : `${id} is ${verdictWord(broken.verdict)}${reason}`
}

function verdictWord(verdict: RequirementRow['verdict']): string {
  switch (verdict) {
    case 'pass':
      return 'passed'
    case 'fail':
      return 'violated'
    case 'not-applicable':
      return 'not applicable'
    case 'unproven':
    case 'unclaimed':
      return 'not tested'
    case 'error':
      return 'undecided after an internal error'
    default:
      return 'undecided'
  }
}
