import { capabilities } from '../../contract/index.ts'
import type { ConformanceReport, RequirementResult } from '../../contract/report/conformance.ts'
import type { TargetProfile } from '../conformance/profile/index.ts'
import {
  missingMembers,
  type ProfileName,
  type Selection,
  selectRequirements,
} from '../conformance/profile/selection.ts'
import { mayRace, racers } from '../conformance/session/race.ts'
import { rounds } from './inputs.ts'

/** The rules of docs/certification.md, as far as they are about the rounds and their settings. */

/** Reason for which a certificate is refused. */
export interface Refusal {
  readonly kind: 'violated' | 'unstable' | 'undecided' | 'run'
  readonly text: string
}

/** Result of the rounds of a certification, by requirement id. */
export interface RoundsResult {
  readonly passed: readonly string[]
  readonly warned: readonly string[]
  readonly failed: readonly string[]
  readonly notApplicable: readonly string[]
  /** Reasons why no certificate is issued; empty for a certificate. */
  readonly refusals: readonly Refusal[]
}

/** The selection of every round: all requirements of a surface. */
export function certifiedSelection(profile: ProfileName): Selection {
  return { profile, only: [], skip: [] }
}

/** Members that a certificate of these surfaces needs and the profile leaves open: capabilities, settings. */
export function openMembers(profile: TargetProfile, surfaces: ProfileName): string[] {
  const undeclared = capabilities.filter((name) => profile.capabilities[name] === undefined)
  const open = surfaces === 'full' ? undeclared.map((name) => `capabilities.${name}`) : []
  const missing = missingMembers(selectRequirements(certifiedSelection(surfaces)), profile)
  return [...new Set([...open, ...missing.keys()])]
}

/** Depth of every round. */
export const certifiedDepth = 'full'

/**
 * Profile settings, as sentences, by which a server could recognize the requests, or that prevent
 * simultaneous requests.
 */
export function refusedSettings(profile: TargetProfile, surfaces: ProfileName): string[] {
  const headers = Object.keys(profile.headers)
  const problem = raceProblem(profile, surfaces)
  return [
    ...(headers.length === 0
      ? []
      : [
          `headers: ${headers.join(', ')} would tell the requests from those of users; a certification sends none of its own`,
        ]),
    ...(problem === undefined ? [] : [problem]),
  ]
}

function raceProblem(profile: TargetProfile, surfaces: ProfileName): string | undefined {
  const raced = selectRequirements(certifiedSelection(surfaces)).includes('V3-IDEM-05')
  if (!raced || mayRace(profile)) return undefined
  return `limits.requestsPerSecond: ${profile.limits.requestsPerSecond} prevents the ${racers} requests at once that V3-IDEM-05 needs; set it to ${racers} or more`
}

/**
 * Judges the rounds together. A required requirement must have passed, or be not applicable, in every
 * round; one whose verdict differs between rounds is unstable.
 */
export function judgeRounds(reports: readonly ConformanceReport[]): RoundsResult {
  const requirements = Map.groupBy(
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
  if (reports.length < rounds.length) {
    refusals.push({ kind: 'run', text: `${reports.length} of ${rounds.length} rounds were run` })
  }
  for (const [id, verdicts] of requirements) {
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

function refusalsOf(report: ConformanceReport, round: number): Refusal[] {
  const { interrupted, faults, baseline } = report
  const texts = [
    ...(interrupted ? [`round ${round} was interrupted`] : []),
    ...faults.map(({ message }) => `round ${round}: internal error: ${message}`),
    ...(baseline === undefined ? [] : [`round ${round} was judged with a baseline`]),
  ]
  return texts.map((text) => ({ kind: 'run', text }))
}

function refusalOf(id: string, ids: readonly RequirementResult[]): Refusal | null {
  const names = new Set(ids.map(({ verdict }) => verdict))
  const broken = ids.find(({ verdict }) => verdict !== 'pass' && verdict !== 'not-applicable')
  const reason = broken?.message ? `: ${broken.message}` : ''
  if (names.size > 1) {
    const words = ids.map(({ verdict }) => verdictWord(verdict)).join(', ')
    return {
      kind: 'unstable',
      text: `${id} is unstable: ${words} in rounds 1 to ${ids.length}${reason}`,
    }
  }
  if (broken === undefined) return null
  const kind = broken.verdict === 'fail' ? 'violated' : 'undecided'
  return { kind, text: `${id} is ${verdictWord(broken.verdict)}${reason}` }
}

export function verdictWord(verdict: RequirementResult['verdict']): string {
  switch (verdict) {
    case 'pass':
      return 'passed'
    case 'fail':
      return 'violated'
    case 'warn':
      return 'violated, with a warning'
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
