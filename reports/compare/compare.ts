import type {
  ConformanceReport,
  RequirementResult,
  Verdict,
} from '../../contract/report/conformance.ts'
import { requirementOf } from '../catalog/entries.ts'
import { type Conditions, conditionsOf } from './conditions.ts'

/**
 * Cause of a change. `target`: this version judges the exchanges of A as A did. `kit`: it judges them
 * as B did. `both`: as neither. `selection`, `profile`: the runs selected different requirements, or
 * their profiles differ in a field that this one depends on. `address`: their URLs differ. `target or
 * profile`: the profiles differ, or may differ, in other fields. `unknown`: A lacks the evidence.
 */
export type Cause =
  | 'target'
  | 'kit'
  | 'both'
  | 'selection'
  | 'profile'
  | 'address'
  | 'target or profile'
  | 'unknown'

export interface RowChange {
  readonly id: string
  readonly title: string
  readonly level: RequirementResult['level']
  /** Null if the report does not have the requirement. */
  readonly before: Verdict | null
  readonly after: Verdict | null
  /** Verdict of this version on the exchanges of A; null if they were not rejudged. */
  readonly rejudged: Verdict | null
  readonly cause: Cause
  /** Fields of the profile that the requirement depends on and that differ. */
  readonly members: readonly string[]
  /** Excused by the baseline of B. */
  readonly known: boolean
  /** Message of B, or of A if B does not have the requirement. */
  readonly message: string | null
}

export interface Drift {
  readonly id: string
  readonly question: string
  readonly before: string | null
  readonly after: string | null
  readonly cause: Cause
}

/**
 * `newlyUnproven`: passed before; now undecided, not applicable or not selected. `otherwise`: violated before
 * and undecided now, or undecided in another way.
 */
const noChanges = {
  newlyViolated: [],
  newlyWarned: [],
  newlyUnproven: [],
  repaired: [],
  newlyProven: [],
  otherwise: [],
}
type List = keyof typeof noChanges

export interface Comparison extends Readonly<Record<List, readonly RowChange[]>> {
  readonly unchanged: number
  readonly drift: readonly Drift[]
  readonly conditions: Conditions
}

interface CompareOptions {
  /** Report of this version on the exchanges of A. */
  readonly rejudged?: ConformanceReport | undefined
  /** Conditions of the runs; without them, the profiles are taken to be the same. */
  readonly conditions?: Conditions
}

/**
 * Changes from A to B by requirement. The report of this version on the exchanges of A separates changes
 * of the target from changes of chatgen; different settings of the runs are not blamed on the target.
 */
export function compareReports(
  a: ConformanceReport,
  b: ConformanceReport,
  { rejudged, conditions = sameProfile(a, b) }: CompareOptions = {},
): Comparison {
  const runs: Runs = { a, b, rejudged, conditions }
  const changes = rowChanges(runs)
  const all = new Set([...a.requirements, ...b.requirements].map(({ id }) => id)).size
  return {
    ...noChanges,
    ...Object.groupBy(changes, listOf),
    unchanged: all - changes.length,
    drift: driftOf(runs),
    conditions,
  }
}

function listOf({ before, after }: RowChange): List {
  if (after === 'fail') return 'newlyViolated'
  if (after === 'warn' && before !== 'fail') return 'newlyWarned'
  if (after === 'pass') return before === 'fail' || before === 'warn' ? 'repaired' : 'newlyProven'
  return before === 'pass' ? 'newlyUnproven' : 'otherwise'
}

interface Runs extends Required<CompareOptions> {
  readonly a: ConformanceReport
  readonly b: ConformanceReport
}

function rowChanges({ a, b, rejudged, conditions }: Runs): readonly RowChange[] {
  const [before, after, again] = [a, b, rejudged].map(rowsById)
  // In the order of B, which has the newer catalog; ids that only A has come last.
  const ids = new Set([...b.requirements, ...a.requirements].map(({ id }) => id))
  return [...ids].flatMap((id) => {
    const [was, is] = [before?.get(id), after?.get(id)]
    const requirement = is ?? was
    if (requirement === undefined || was?.verdict === is?.verdict) return []
    const verdicts = {
      before: was?.verdict ?? null,
      after: is?.verdict ?? null,
      rejudged: again?.get(id)?.verdict ?? null,
    }
    const { title, level, known, message } = requirement
    const members = membersOf(id, conditions)
    const notSelected = (was === undefined || is === undefined) && conditions.selection !== null
    const cause = notSelected
      ? 'selection'
      : members.length > 0 || toldOtherwise(id, a, b, verdicts)
        ? 'profile'
        : refined(causeOf(verdicts), conditions)
    return [{ id, title, level, ...verdicts, cause, members, known, message }]
  })
}

type Verdicts = Pick<RowChange, 'before' | 'after' | 'rejudged'>

/** Fields that differ and that the requirement cannot be judged without. */
function membersOf(id: string, { profile }: Conditions): readonly string[] {
  const requirement = requirementOf(id)
  const { member, capability } = requirement ?? {}
  const needed = [
    ...(member ? [member] : []),
    ...(capability ? [`capabilities.${capability}`] : []),
  ]
  return (profile ?? [])
    .map(({ member }) => member)
    .filter((member) => needed.some((one) => contains(one, member) || contains(member, one)))
}

function contains(path: string, inner: string): boolean {
  return inner === path || inner.startsWith(`${path}.`)
}

/** The target is blamed if nothing but the target can have changed. */
function refined(cause: Cause, { url, profile }: Conditions): Cause {
  if (cause !== 'target') return cause
  if (url !== null) return 'address'
  return profile !== null && profile.length === 0 ? cause : 'target or profile'
}

function sameProfile(a: ConformanceReport, b: ConformanceReport): Conditions {
  return {
    ...conditionsOf({ report: a, settings: null }, { report: b, settings: null }),
    profile: [],
  }
}

/** A requirement that one run did not select, or for which the capabilities differ. */
function toldOtherwise(
  id: string,
  a: ConformanceReport,
  b: ConformanceReport,
  { before, after }: Verdicts,
): boolean {
  if (before === 'not-applicable' || after === 'not-applicable') return true
  const capability = requirementOf(id)?.capability
  if (capability === undefined) return false
  return a.target.capabilities[capability] !== b.target.capabilities[capability]
}

const undecided: readonly (Verdict | null)[] = ['inconclusive', 'unproven', 'error', 'unclaimed']

function causeOf({ before, after, rejudged }: Verdicts): Cause {
  if (rejudged === null) return 'unknown'
  if (rejudged === before) return 'target'
  if (rejudged === after) return 'kit'
  // A recording lacks requests of a newer kit, which says nothing about the target.
  return undecided.includes(rejudged) ? 'unknown' : 'both'
}

function driftOf({ a, b, rejudged: judgedAgain, conditions }: Runs): readonly Drift[] {
  const [before, after, again] = [a, b, judgedAgain].map(answersById)
  const rows = new Map([...a.observations, ...b.observations].map((row) => [row.id, row]))
  return [...rows.values()]
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .flatMap(({ id, question }): readonly Drift[] => {
      const was = before?.get(id) ?? null
      const is = after?.get(id) ?? null
      if (was === is) return []
      const rejudged = again?.get(id) ?? null
      const found = rejudged === was ? 'target' : rejudged === is ? 'kit' : 'both'
      const cause = again ? refined(found, conditions) : 'unknown'
      return [{ id, question, before: was, after: is, cause }]
    })
}

function rowsById(report: ConformanceReport | undefined) {
  return report && new Map(report.requirements.map((requirement) => [requirement.id, requirement]))
}

function answersById(report: ConformanceReport | undefined) {
  return report && new Map(report.observations.map(({ id, answer }) => [id, answer]))
}
