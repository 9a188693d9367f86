import { areaOf } from '../../contract/index.ts'
import type {
  ConformanceReport,
  RequirementResult,
  Verdict,
} from '../../contract/report/conformance.ts'
import { areaTitle, surfaceTitles } from '../catalog/entries.ts'
import { badgeOf, verdictBadges, verdictTag } from '../conformance/summary.ts'
import type { Document, Entry, EntryGroup, Fact, Item } from '../document/document.ts'
import { shorten, withoutColors } from '../text/escape.ts'
import { count } from '../text/format.ts'

/** One certification bundle on the site of implementations. */
export interface Implementation {
  readonly vendor: string
  readonly name: string
  readonly version: string
  /** Start of its last round, ISO 8601. */
  readonly startedAt: string
  /** Reason why the bundle does not verify; null for a verified one. */
  readonly unverified: string | null
  /** Id of the key that signed it, taken from the bundle; null for a bundle that does not verify. */
  readonly keyId: string | null
  /** Report of the last round, with the worst result of all for each expected requirement; null for a bundle that does not verify. */
  readonly report: ConformanceReport | null
  /** Path of its page, relative to the site; null for a bundle that does not verify. */
  readonly page: string | null
}

type Verified = Implementation & { readonly report: ConformanceReport; readonly page: string }

export function isVerified(one: Implementation): one is Verified {
  return one.report !== null && one.page !== null
}

/**
 * Certified implementations side by side: each requirement with its verdicts, linked to their evidence, and answers
 * to open questions. The linked pages are next to it.
 */
export function siteDocument(implementations: readonly Implementation[]): Document {
  const verified = implementations.filter(isVerified)
  const others = implementations.length - verified.length
  return {
    kind: 'Comparison',
    target: 'Chat Generation Service',
    outcome: {
      word: 'Certified implementations',
      tone: 'none',
      text: `${verified.length} verified${others === 0 ? '' : `, ${others} not`}`,
    },
    sections: [
      { title: 'Implementations', blocks: [{ items: implementations.map(implementationItem) }] },
      { title: 'Requirements', blocks: [{ entries: entryGroups(verified) }] },
      {
        title: 'Open questions',
        note: 'Behavior where the interface document leaves a choice. Not judged.',
        blocks: [{ items: observationItems(verified) }],
      },
    ],
  }
}

function nameOf({ name, version }: Implementation): string {
  return `${name} ${version}`
}

function implementationItem(one: Implementation): Item {
  const name = `${one.vendor} ${nameOf(one)}`
  if (!isVerified(one)) {
    return {
      badge: { word: 'unverified', tone: 'fail' },
      text: name,
      notes: [one.unverified ?? 'it does not verify'],
    }
  }
  const { totals, suite, target } = one.report
  const undecided = totals.inconclusive + totals.unproven + totals.error
  const numbers = `${totals.pass} passed, ${count(totals.warn, 'warning')}, ${undecided} undecided, ${totals['not-applicable']} not applicable`
  return {
    badge: { word: 'verified', tone: 'pass' },
    text: [{ href: one.page, text: name }],
    notes: [
      `${numbers}; ${one.startedAt.slice(0, 10)}, chatgen ${suite.version}, profile ${target.profile}`,
      `signed with the key ${one.keyId} of the bundle`,
    ],
  }
}

/** All requirements that any of the implementations was certified for, in the order of their reports. */
function entryGroups(all: readonly Verified[]): readonly EntryGroup[] {
  const rows = new Map(
    all.flatMap(({ report }) => report.requirements.map((row) => [row.id, row] as const)),
  )
  const verdicts = all.map((one) => {
    const own = one.report.requirements.map(({ id, verdict }) => [id, verdict] as const)
    return [one, new Map(own)] as const
  })
  return [...Map.groupBy(rows.values(), ({ surface }) => surface)].map(([surface, own]) => ({
    title: surfaceTitles[surface],
    groups: [...Map.groupBy(own, ({ id }) => areaOf(id))].map(([area, requirements]) => ({
      title: areaTitle(area),
      entries: requirements.map((requirement) => entryOf(requirement, verdicts)),
    })),
  }))
}

/** Merges equal verdicts; a requirement that passed for all is folded. */
function entryOf(
  { id, level, surface, title }: RequirementResult,
  verdicts: readonly (readonly [Verified, ReadonlyMap<string, Verdict>])[],
): Entry {
  const [common, ...others] = new Set(verdicts.flatMap(([, own]) => own.get(id) ?? []))
  const isCommon = common !== undefined && others.length === 0
  const badge = isCommon
    ? badgeOf({ verdict: common, known: false })
    : ({ word: 'differs', tone: 'warn' } as const)
  return {
    id,
    badge,
    title,
    tags: [
      { name: 'verdict', value: isCommon ? verdictTag(common) : 'differs', label: badge.word },
      { name: 'surface', value: surface, label: surfaceTitles[surface] },
      { name: 'level', value: level, label: level },
    ],
    isFolded: isCommon && common === 'pass',
    notes: [],
    evidence: [],
    maxShown: 0,
    facts: verdicts.map(([one, own]): Fact => {
      const verdict = own.get(id)
      const label = verdict && { href: `${one.page}#${id}`, text: verdictBadges[verdict].word }
      return [`${nameOf(one)}: `, [label ?? 'not certified']]
    }),
  }
}

/** Open questions of the document, each with its answers, the most common one first, and who gave them. */
function observationItems(all: readonly Verified[]): readonly Item[] {
  const observations = all.flatMap((one) => one.report.observations.map((row) => ({ one, row })))
  return [...Map.groupBy(observations, ({ row }) => row.id)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, answers]) => ({
      text: `${id} ${answers[0]?.row.question ?? ''}`,
      notes: [...Map.groupBy(answers, ({ row }) => row.answer)]
        .sort(([, a], [, b]) => b.length - a.length)
        .map(([answer, given]) => [
          { code: shorten(withoutColors(answer), maxAnswerLength) },
          ` (${given.map(({ one }) => nameOf(one)).join(', ')})`,
        ]),
    }))
}

const maxAnswerLength = 300
