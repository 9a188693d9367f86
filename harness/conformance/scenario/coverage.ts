/** Coverage of a law scenario: its share of the generations, and the rows of its first try and of a repeat. */
import type { RunnerTestSuite as Suite, RunnerTask as Task } from 'vitest'
import type { ConformanceReport, TriedConditions } from '../../../contract/report/conformance.ts'
import { isPlanned } from '../profile/selection.ts'
import { mayBeStale } from '../report/confirmation.ts'
import { isIncognito, type RunSetup, type ScenarioOutcome } from '../run-setup.ts'
import type { Session } from '../session/session.ts'
import { toSlug } from './declaration.ts'
import { plain, type Row } from './rows.ts'

export function coverageOf(task: Task, session: Session) {
  const { setup } = session.context
  const isRepeat = (task.meta.outcomes ?? []).length > 0
  return {
    depth: setup.depth,
    /** Varies the rows at depth `full`; the same for each try of the scenario. */
    seed: `${setup.seed}/${toSlug(task.name)}`,
    get rows() {
      return rowsWithin(task, setup)
    },
    /** The rows of a try: all, or those that a repeat needs, because a try of all rows may take a fifth of the budget. */
    rowsOfTry(operation: string, rows: readonly Row[]): readonly Row[] {
      const { broken } = task.meta
      if (!isRepeat || broken === undefined || setup.depth !== 'full')
        return isIncognito(setup) ? rows.toSorted((a, b) => mayReveal(a) - mayReveal(b)) : rows
      const texts = broken.rows[operation] ?? []
      const isBroken = (row: Row) => texts.includes(JSON.stringify(row))
      const first = Math.max(0, rows.findIndex(isBroken))
      const others = rows.slice(first + 1).filter(isBroken)
      return [
        ...rows.slice(0, 1),
        // What the rows before it left behind may be its cause.
        ...rows.slice(Math.max(1, first - rowsBefore), first + 1),
        ...others.slice(0, rowsAfter),
      ]
    },
    /** Records a row that broke requirements, and how many. */
    addBroken(operation: string, row: Row, count: number): void {
      if (isRepeat) return
      const { rows = {}, count: before = 0 } = task.meta.broken ?? {}
      const ofOperation = [...(rows[operation] ?? []), JSON.stringify(row)]
      task.meta.broken = { rows: { ...rows, [operation]: ofOperation }, count: before + count }
    },
    /** Records which conditions of an operation were tried. */
    add(tried: TriedConditions) {
      const { conditions = [] } = task.meta
      // A repeated scenario tries the same conditions.
      if (conditions.some(({ operation }) => operation === tried.operation)) return
      task.meta.conditions = [...conditions, tried]
    },
    /** Records what random sequences found. */
    addExploration(exploration: ConformanceReport['exploration']): void {
      task.meta.exploration = exploration
    },
  }
}

/** 1 for a row with a request that may be refused, of which an incognito run has as few as possible at first. */
function mayReveal({ after, overlap = plain }: Row): number {
  return Number(after === 'refusal' || overlap !== plain)
}

/** Rows that a repeat tries before the first one that broke a requirement, and further ones that did. */
const [rowsBefore, rowsAfter] = [20, 10]

/**
 * Forgets the broken rows of a first try unless they show all that a repeat has to confirm: it may have ended early,
 * have seen older states, or have broken requirements outside of its rows.
 */
export function forgetRowsUnlessAlone(
  { meta }: Task,
  { findings }: Session,
  outcomes: readonly ScenarioOutcome[],
): void {
  const [first] = outcomes
  if (first === undefined || outcomes.length > 1) return
  const isAlone = meta.broken?.count === findings.brokenCount
  if (!isAlone || first.isCutShort || mayBeStale(first)) meta.broken = undefined
}

/** Rows that a law scenario may try: those of the depth, or its share of `--max-generations`. */
function rowsWithin({ meta, file }: Task, setup: RunSetup): number {
  const { depth, maxGenerations } = setup
  const planned = testsIn(file).filter((task) => isPart(task.meta, setup))
  const sum = (of: (task: Task) => number | undefined) =>
    planned.reduce((total, task) => total + (of(task) ?? 0), 0)
  const stories = sum(({ meta }) => (meta.lawCosts ? 0 : meta.cost?.generations))
  const laws = sum(({ meta }) => meta.lawCosts?.[depth].generations)
  const fixed = sum(({ meta }) => meta.lawCosts && fixedOf(meta.lawCosts))
  const share = laws === fixed ? 1 : (maxGenerations - stories - fixed) / (laws - fixed)
  const all = meta.lawCosts?.[depth].rows ?? 1
  return Math.max(1, Math.floor(all * Math.min(1, share)))
}

/** Generations of laws that do not depend on the number of their rows. */
function fixedOf({ quick, full }: NonNullable<Task['meta']['lawCosts']>): number {
  const each = (full.generations - quick.generations) / Math.max(1, full.rows - quick.rows)
  return Math.max(0, quick.generations - each * quick.rows)
}

export function isPart({ covers = [], ...condition }: Task['meta'], setup: RunSetup): boolean {
  const planned = { requirements: covers, ...condition }
  return isPlanned(planned, setup.requirements, isIncognito(setup))
}

export function testsIn({ tasks }: Pick<Suite, 'tasks'>): readonly Task[] {
  return tasks.flatMap((task) => (task.type === 'suite' ? testsIn(task) : [task]))
}
