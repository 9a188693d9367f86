import {
  type ConformanceReport,
  undecidedVerdicts,
  type Verdict,
} from '../../contract/report/conformance.ts'
import { requirementOf } from '../catalog/entries.ts'
import { type Conditions, conditionsOf } from './conditions.ts'

/**
 * Causes of a change. `target`: this version judges the exchanges of A as A did. `kit`: it judges them
 * as B did. `both`: as neither. `selection`, `profile`: the runs selected different requirements, or
 * their profiles differ in a field that this one depends on. `depth`, `address`: their depths or URLs differ.
 * `target or profile`: the profiles differ, or may differ, in other fields. `unknown`: A lacks the evidence.
 */
export const causes = {
  target: 'the target changed',
  kit: 'chatgen changed',
  both: 'the target and chatgen changed',
  selection: 'the selections differ',
  profile: 'the profiles differ',
  depth: 'the depths differ',
  address: 'different target URL',
  'target or profile': 'the target or its profile changed',
  unknown: 'unknown whether the target or chatgen changed',
} as const
export type Cause = keyof typeof causes

export type RowChange = Readonly<ReturnType<typeof rowChanges>[number]>
export type Drift = Readonly<ReturnType<typeof driftOf>[number]>

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

/**
 * Changes from A to B by requirement. The report of this version on the exchanges of A, `rejudged`, separates changes
 * of the target from changes of chatgen; different settings of the runs are not blamed on the target. Without
 * conditions, the profiles are taken to be the same.
 */
export function compareReports(
  a: ConformanceReport,
  b: ConformanceReport,
  {
    rejudged,
    conditions = {
      ...conditionsOf({ report: a, settings: null }, { report: b, settings: null }),
      profile: [],
    },
  }: { readonly rejudged?: ConformanceReport | undefined; readonly conditions?: Conditions } = {},
): Comparison {
  const runs = [a, b, rejudged] as const
  const changes = rowChanges(runs, conditions)
  const all = new Set([...a.requirements, ...b.requirements].map(({ id }) => id)).size
  return {
    ...noChanges,
    ...Object.groupBy(changes, listOf),
    unchanged: all - changes.length,
    drift: driftOf(runs, conditions),
    conditions,
  }
}

function listOf({ before, after }: RowChange): List {
  if (after === 'fail') return 'newlyViolated'
  if (after === 'warn' && before !== 'fail') return 'newlyWarned'
  if (after === 'pass') return before === 'fail' || before === 'warn' ? 'repaired' : 'newlyProven'
  return before === 'pass' ? 'newlyUnproven' : 'otherwise'
}

/** Changes for which B is worse, except those that its baseline excuses; warnings count if its run was strict. */
export function worseChanges(
  { newlyViolated, newlyWarned }: Comparison,
  { strict }: Pick<ConformanceReport, 'strict'>,
): readonly RowChange[] {
  const all = strict ? [...newlyViolated, ...newlyWarned] : newlyViolated
  return all.filter(({ known }) => !known)
}

/** A, B, and A judged again. */
type Runs = readonly [ConformanceReport, ConformanceReport, ConformanceReport | undefined]

function rowChanges(runs: Runs, conditions: Conditions) {
  const [before, after, again] = runs.map(
    (report) => new Map(report?.requirements.map((requirement) => [requirement.id, requirement])),
  )
  // In the order of B, which has the newer catalog; ids that only A has come last.
  const ids = new Set([...(after?.keys() ?? []), ...(before?.keys() ?? [])])
  return [...ids].flatMap((id) => {
    const [was, is] = [before?.get(id), after?.get(id)]
    const requirement = is ?? was
    if (requirement === undefined || was?.verdict === is?.verdict) return []
    const verdicts: Verdicts = {
      before: was?.verdict ?? null,
      after: is?.verdict ?? null,
      rejudged: again?.get(id)?.verdict ?? null,
    }
    const { title, level, known, message } = requirement
    const members = membersOf(id, conditions)
    const notSelected = (was === undefined || is === undefined) && conditions.selection !== null
    const cause: Cause = notSelected
      ? 'selection'
      : members.length > 0 || hasOtherCapability(id, runs, verdicts)
        ? 'profile'
        : refined(causeOf(verdicts), conditions)
    // `known`: excused by the baseline of B. `message`: that of B, or of A if B does not have the requirement.
    return [{ id, title, level, ...verdicts, cause, members, known, message }]
  })
}

/** Verdicts of A and B, null without the requirement, and of this version on the exchanges of A, null without them. */
type Verdicts = Readonly<Record<'before' | 'after' | 'rejudged', Verdict | null>>

/** Fields that differ and that the requirement cannot be judged without. */
function membersOf(id: string, { profile }: Conditions): readonly string[] {
  const { member, capability } = requirementOf(id) ?? {}
  const needed = [member, capability && `capabilities.${capability}`].filter((path) => path)
  return (profile ?? [])
    .map(({ member }) => member)
    .filter((member) =>
      needed.some(
        (path) => `${path}.`.startsWith(`${member}.`) || `${member}.`.startsWith(`${path}.`),
      ),
    )
}

/** The target is blamed if nothing but the target can have changed. */
function refined(cause: Cause, { url, depth, profile }: Conditions): Cause {
  if (cause !== 'target') return cause
  if (depth !== null) return 'depth'
  if (url !== null) return 'address'
  return profile !== null && profile.length === 0 ? cause : 'target or profile'
}

/** A requirement that does not apply to one run, or for which the capabilities differ. */
function hasOtherCapability(id: string, [a, b]: Runs, { before, after }: Verdicts): boolean {
  if (before === 'not-applicable' || after === 'not-applicable') return true
  const capability = requirementOf(id)?.capability
  if (capability === undefined) return false
  return a.target.capabilities[capability] !== b.target.capabilities[capability]
}

function causeOf({ before, after, rejudged }: Verdicts): Cause {
  if (rejudged === null) return 'unknown'
  if (rejudged === before) return 'target'
  if (rejudged === after) return 'kit'
  // A recording lacks requests of a newer kit, which says nothing about the target.
  return undecidedVerdicts.includes(rejudged) ? 'unknown' : 'both'
}

function driftOf(runs: Runs, conditions: Conditions) {
  const [before, after, again] = runs.map(
    (report) => report && new Map(report.observations.map((row) => [row.id, row])),
  )
  const rows = new Map([...(before ?? []), ...(after ?? [])])
  return [...rows.values()]
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .flatMap(({ id, question }) => {
      const [was, is, rejudged] = [before, after, again].map((all) => all?.get(id)?.answer ?? null)
      if (was === undefined || is === undefined || was === is) return []
      const found = rejudged === was ? 'target' : rejudged === is ? 'kit' : 'both'
      const cause: Cause = again ? refined(found, conditions) : 'unknown'
      return [{ id, question, before: was, after: is, cause }]
    })
}
