import { describe as register } from 'vitest'
import { areaOf, type RequirementId, requirementIds } from '../../../contract/index.ts'
import type { ConformanceReport, TriedConditions } from '../../../contract/report/conformance.ts'
import { slugOf } from '../../../contract/text.ts'
import { repeatOptions } from '../report/confirmation.ts'
import type { Depth } from '../run-setup.ts'
import { type Cost, noCost } from '../usage.ts'

declare module 'vitest' {
  interface TaskMeta extends Circumstances {
    covers?: readonly RequirementId[]
    cost?: Cost
    /** Rows of a law and their cost by depth, instead of a single cost. */
    lawCosts?: Readonly<Record<Depth, Cost & { readonly rows: number }>>
    /** Rows of each operation, as JSON, in which the first try broke requirements, and how often. */
    broken?:
      | { readonly rows: Readonly<Record<string, readonly string[]>>; readonly count: number }
      | undefined
    /** Pairs of conditions that the scenario tried. */
    conditions?: readonly TriedConditions[]
    exploration?: ConformanceReport['exploration']
    /** State of the run after the scenarios; a field of the module's meta data. */
    state?: import('../session/run-state.ts').RunState
    outcomes?: readonly import('../run-setup.ts').ScenarioOutcome[]
  }
}

/** Ways in which a scenario runs. */
interface Circumstances {
  /** Additional generations if a model misses a planted fact. */
  readonly again?: number
  /** It begins before others, which also run while it waits. */
  readonly isLong?: boolean
  /** It repeats what it finds, and is not repeated as a whole. */
  readonly confirmsItself?: boolean
  /** An ordinary user's conversation, of incognito runs: before all other scenarios, or in between. */
  readonly isOrdinary?: boolean
  readonly isFirst?: boolean
}

/**
 * Options of a scenario: the requirements that it can decide, by claims or by the streams and bodies that it
 * makes the target send; its cost, for `--dry-run`; and how it runs.
 */
export function covers(
  requirements: readonly RequirementId[],
  { requests = 0, generations = 0, chats = 0, uploads = 0, ...how }: Partial<Cost> & Circumstances,
) {
  const cost: Cost = { requests, generations, chats, uploads }
  return { meta: { covers: requirements, cost, again: 0, ...how }, retry: repeatOptions }
}

/** Maximum requests of a law scenario with conditions at each depth: the rows of a covering array. */
const rowsAt = { quick: 8, normal: 9, full: 120 } as const

/** Options of a scenario of laws, whose cost grows with the rows that a depth tries. */
export function coversAtDepth(
  requirements: readonly RequirementId[],
  costOf: (rows: number, depth: Depth) => Partial<Cost>,
  how: Circumstances = {},
) {
  const at = (depth: Depth) => {
    const rows = rowsAt[depth]
    return { ...noCost, ...costOf(rows, depth), rows }
  }
  const lawCosts = { quick: at('quick'), normal: at('normal'), full: at('full') }
  const { rows: _, ...withoutRows } = lawCosts.normal
  const { meta, ...options } = covers(requirements, { ...withoutRows, ...how })
  return { ...options, meta: { ...meta, lawCosts } }
}

/** The requirements of an area, for example `V3-SSE`, except some that only other scenarios show. */
export function requirementsOf<const Area extends string>(
  area: Area,
  {
    except = [],
  }: { readonly except?: readonly Extract<RequirementId, `${Area}-${string}`>[] } = {},
): readonly RequirementId[] {
  const others: readonly RequirementId[] = except
  return requirementIds.filter((id) => areaOf(id) === area && !others.includes(id))
}

/** The name of a scenario in labels, headers and reports: safe in a header and in a file name. */
export function toSlug(title: string): string {
  return slugOf(title.normalize('NFKD'))
}

const sections: { readonly title: string; readonly body: () => void }[] = []

/** A section of the suites. It is stored when its module loads, and registered for each run. */
export function describe(title: string, body: () => void): void {
  sections.push({ title, body })
}

/** Registers all sections with vitest: modules stay loaded between runs, their declarations do not. */
export function registerSections(): void {
  for (const { title, body } of sections) register(title, body)
}
