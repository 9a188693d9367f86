import type { Surface } from '../../contract/index.ts'
import type { ConformanceReport, Verdict } from '../../contract/report/conformance.ts'

/** One certification bundle on the site of implementations. */
export interface Implementation {
  readonly vendor: string
  readonly name: string
  readonly version: string
  /** Start of its last round, ISO 8601. */
  readonly startedAt: string
  /** Reason why the bundle does not verify; null for a verified one. */
  readonly unverified: string | null
  /** Report of the last round; null for a bundle that does not verify. */
  readonly report: ConformanceReport | null
  /** Path of its page, relative to the site; null for a bundle that does not verify. */
  readonly page: string | null
}

export type Verified = Implementation & {
  readonly report: ConformanceReport
  readonly page: string
}

export function isVerified(one: Implementation): one is Verified {
  return one.report !== null && one.page !== null
}

/** A requirement with its verdict for each implementation, in their order. */
export interface ComparedRequirement {
  readonly id: string
  readonly level: string
  readonly surface: Surface
  readonly title: string
  /** Null if the implementation was not certified for the surface. */
  readonly verdicts: readonly (Verdict | null)[]
  readonly differs: boolean
}

/** All requirements that any of the implementations was certified for, in the order of their reports. */
export function compareRequirements(all: readonly Verified[]): readonly ComparedRequirement[] {
  const requirements = new Map(
    all.flatMap(({ report }) =>
      report.requirements.map((requirement) => [requirement.id, requirement] as const),
    ),
  )
  const byId = all.map(({ report }) => verdictsById(report))
  return [...requirements.values()].map(({ id, level, surface, title }) => {
    const verdicts = byId.map((own) => own.get(id) ?? null)
    const differs = new Set(verdicts.filter((verdict) => verdict !== null)).size > 1
    return { id, level, surface, title, verdicts, differs }
  })
}

/** Open questions of the document, each with its answers, the most common one first, and who gave them. */
export function compareObservations(all: readonly Verified[]) {
  const observations = all.flatMap((one) => one.report.observations.map((row) => ({ one, row })))
  return [...Map.groupBy(observations, ({ row }) => row.id)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, answers]) => ({
      id,
      question: answers[0]?.row.question ?? '',
      answers: [...Map.groupBy(answers, ({ row }) => row.answer)]
        .map(([answer, given]) => ({ answer, by: given.map(({ one }) => one) }))
        .sort((a, b) => b.by.length - a.by.length),
    }))
}

/** Changes of an implementation since the certified version before it. */
export type VersionChange = ReturnType<typeof changeOf>

/** One entry for each two successive versions of a product, in the order of their runs. */
export function versionChanges(all: readonly Verified[]) {
  const products = Map.groupBy(all, ({ vendor, name }) => `${vendor}\n${name}`)
  return [...products.values()].flatMap((versions) => {
    const inOrder = versions.toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : 1))
    return inOrder.slice(1).flatMap((to, at) => {
      const from = inOrder[at]
      return from === undefined ? [] : [changeOf(from, to)]
    })
  })
}

function changeOf(from: Verified, to: Verified) {
  const answers = ({ observations }: ConformanceReport) =>
    new Map(observations.map(({ id, answer }) => [id, answer]))
  return {
    from,
    to,
    requirements: differences(verdictsById(from.report), verdictsById(to.report)),
    observations: differences(answers(from.report), answers(to.report)),
  }
}

function verdictsById({ requirements }: ConformanceReport) {
  return new Map(requirements.map(({ id, verdict }) => [id, verdict]))
}

function differences<Value>(before: ReadonlyMap<string, Value>, after: ReadonlyMap<string, Value>) {
  const ids = [...new Set([...before.keys(), ...after.keys()])]
  return ids
    .map((id) => ({ id, before: before.get(id) ?? null, after: after.get(id) ?? null }))
    .filter((change) => change.before !== change.after)
}
