import { capabilities } from '../../contract/index.ts'
import {
  type ConformanceReport,
  type RequirementResult,
  undecidedVerdicts,
  type Verdict,
} from '../../contract/report/conformance.ts'
import { verdictBadges } from '../../reports/conformance/summary.ts'
import type { TargetProfile } from '../conformance/profile/index.ts'
import {
  missingMembers,
  type ProfileName,
  type Selection,
  selectRequirements,
} from '../conformance/profile/selection.ts'
import { countTotals } from '../conformance/report/build-report.ts'
import { mayRace, racers } from '../conformance/session/race.ts'
import { rounds } from './inputs.ts'

/** The rules of docs/certification.md, as far as they are about the rounds and their settings. */

/** Reason for which a certificate is refused. */
export interface Refusal {
  readonly kind: 'violated' | 'unstable' | 'undecided' | 'run'
  readonly text: string
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
  const headers = Object.keys(profile.headers).join(', ')
  const isRaced = selectRequirements(certifiedSelection(surfaces)).includes('V3-IDEM-05')
  const headerProblem = `headers: ${headers} would distinguish the requests from those of users: remove them from the profile`
  const rateProblem = `limits.requestsPerSecond: ${profile.limits.requestsPerSecond} prevents the ${racers} requests at once that V3-IDEM-05 needs; set it to ${racers} or more`
  return [
    ...(headers === '' ? [] : [headerProblem]),
    ...(isRaced && !mayRace(profile) ? [rateProblem] : []),
  ]
}

/**
 * Judges the rounds together. A required requirement must have passed, or be not applicable, in every
 * round; one whose verdict differs between rounds is unstable.
 */
export function judgeRounds(reports: readonly ConformanceReport[]) {
  const requirements = Map.groupBy(
    reports.flatMap(({ requirements }) => requirements),
    ({ id }) => id,
  )
  // Reasons why no certificate is issued; empty for a certificate.
  const refusals = reports.flatMap((report, at) => refusalsOf(report, at + 1))
  if (reports.length < rounds.length) {
    refusals.push({ kind: 'run', text: `${reports.length} of ${rounds.length} rounds were run` })
  }
  for (const [id, results] of requirements) {
    const refusal = results[0]?.level === 'required' ? refusalOf(id, results) : null
    if (refusal !== null) refusals.push(refusal)
  }
  const rows = certifiedReport(reports)?.requirements ?? []
  const idsWith = (...of: readonly Verdict[]) =>
    rows.filter(({ verdict }) => of.includes(verdict)).map(({ id }) => id)
  return {
    /** Ids of requirements that passed, or do not apply, in each round. */
    passed: idsWith('pass'),
    notApplicable: idsWith('not-applicable'),
    failed: idsWith('fail'),
    /** Ids of expected requirements that were violated, or else undecided, in at least one round. */
    warned: idsWith('warn'),
    undecided: idsWith(...undecidedVerdicts),
    refusals,
  }
}

/** The report of the last round, with the worst result of the rounds for each requirement: only expected ones may differ. */
export function certifiedReport(
  reports: readonly ConformanceReport[],
): ConformanceReport | undefined {
  const last = reports.at(-1)
  if (last === undefined) return undefined
  const requirements = last.requirements.map((row) => {
    const of = reports.map(
      ({ requirements }) => requirements.find(({ id }) => id === row.id) ?? row,
    )
    const worst = worstFirst.find((verdict) => of.some((one) => one.verdict === verdict))
    const at = of.findIndex(({ verdict }) => verdict === worst)
    const { message, ...result } = of[at] ?? row
    if (worst === undefined || worst === row.verdict) return row
    // The exchanges of another round are not on the page of the last one.
    const evidence = { exchanges: [], event: null }
    return { ...result, ...evidence, message: `in round ${at + 1}: ${message ?? 'no message'}` }
  })
  return { ...last, requirements, totals: countTotals(requirements, last.totals.observed) }
}

const worstFirst: readonly Verdict[] = ['fail', 'warn', ...undecidedVerdicts, 'not-applicable']

export type RoundsResult = Readonly<ReturnType<typeof judgeRounds>>

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
    const words = ids.map(({ verdict }) => verdictBadges[verdict].word).join(', ')
    return {
      kind: 'unstable',
      text: `${id} is unstable: ${words} in rounds 1 to ${ids.length}${reason}`,
    }
  }
  if (broken === undefined) return null
  const kind = broken.verdict === 'fail' ? 'violated' : 'undecided'
  return { kind, text: `${id} is ${verdictBadges[broken.verdict].word}${reason}` }
}
