import { describe as register } from 'vitest'
import { areaOf, type RequirementId, requirementIds } from '../../../contract/index.ts'
import type { TriedConditions } from '../../../contract/report/conformance.ts'
import { slugOf } from '../../../contract/text.ts'
import { repeatOptions } from '../report/confirmation.ts'
import type { Depth } from '../run-setup.ts'
import { type Cost, noCost } from '../usage.ts'

declare module 'vitest' {
  interface TaskMeta {
    covers?: readonly RequirementId[]
    cost?: Cost
    /** Rows of a law and their cost by depth, instead of a single cost. */
    lawCosts?: Readonly<Record<Depth, Cost & { readonly rows: number }>>
    /** Pairs of conditions that the scenario tried. */
    conditions?: readonly TriedConditions[]
    again?: number
    isAcrossEndpoints?: boolean
    isOrdinary?: boolean
    isFirst?: boolean
    isLong?: boolean
    /** State of the run after the scenarios; a field of the module's meta data. */
    state?: import('../session/run-state.ts').RunState
    outcomes?: readonly import('../run-setup.ts').ScenarioOutcome[]
  }
}

/**
 * Options of a scenario: the requirements that it can decide, by claims or by the streams and bodies that it
 * makes the target send; its cost, for `--dry-run`; and the number of additional generations if a model
 * misses a planted fact.
 */
export function covers(requirements: readonly RequirementId[], cost: Partial<Cost>, again = 0) {
  return {
    meta: { covers: requirements, cost: { ...noCost, ...cost }, again },
    retry: repeatOptions,
  }
}

/** Maximum requests of a law scenario with conditions at each depth: the rows of a covering array. */
const rowsAt = { quick: 8, normal: 9, full: 130 } as const

/** Options of a scenario of laws, whose cost grows with the rows that a depth tries. */
export function coversAtDepth(
  requirements: readonly RequirementId[],
  costOf: (rows: number, depth: Depth) => Partial<Cost>,
  again = 0,
) {
  const at = (depth: Depth) => {
    const rows = rowsAt[depth]
    return { ...noCost, ...costOf(rows, depth), rows }
  }
  const lawCosts = { quick: at('quick'), normal: at('normal'), full: at('full') }
  const { meta, ...options } = covers(requirements, lawCosts.normal, again)
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

/** Options of a scenario that needs a target with several endpoints. */
export function acrossEndpoints({ meta, ...options }: ReturnType<typeof covers>) {
  return { ...options, meta: { ...meta, isAcrossEndpoints: true } }
}

/** Options of a scenario that takes long: it begins before others, which also run while it waits. */
export function takesLong<Options extends ReturnType<typeof covers>>(options: Options): Options {
  return { ...options, meta: { ...options.meta, isLong: true } }
}

/** Options of an ordinary user's conversation, of incognito runs: before all other scenarios, or in between. */
export function withinOrdinaryTraffic(
  { meta, ...options }: ReturnType<typeof covers>,
  { isFirst }: { readonly isFirst: boolean },
) {
  return { ...options, meta: { ...meta, isOrdinary: true, isFirst } }
}

/** The name of a scenario in labels, headers and reports: safe in a header and in a file name. */
export function toSlug(title: string): string {
  return slugOf(title.normalize('NFKD'))
}

interface Section {
  readonly title: string
  readonly body: () => void
}

const sections: Section[] = []

/** A section of the suites. It is stored when its module loads, and registered for each run. */
export function describe(title: string, body: () => void): void {
  sections.push({ title, body })
}

/** Registers all sections with vitest: modules stay loaded between runs, their declarations do not. */
export function registerSections(): void {
  for (const { title, body } of sections) register(title, body)
}
