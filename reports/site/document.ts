import { areaOf, type Surface } from '../../contract/index.ts'
import type { Verdict } from '../../contract/report/conformance.ts'
import { areaTitle, surfaceTitles } from '../catalog/entries.ts'
import { badgeOf, verdictBadges, verdictTag } from '../conformance/summary.ts'
import type {
  Document,
  Entry,
  EntryGroup,
  Fact,
  Item,
  Link,
  Section,
} from '../document/document.ts'
import { shorten, withoutColors } from '../text/escape.ts'
import { count } from '../text/format.ts'
import {
  type ComparedRequirement,
  compareObservations,
  compareRequirements,
  type Implementation,
  isVerified,
  type Verified,
  type VersionChange,
  versionChanges,
} from './model.ts'

/**
 * Certified implementations side by side: each requirement with its verdicts, linked to their evidence; answers
 * to open questions; changes between versions. The linked pages are next to it.
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
      ...versionChanges(verified).map(changeSection),
      {
        title: 'Requirements',
        blocks: [{ entries: groupsOf(compareRequirements(verified), verified) }],
      },
      {
        title: 'Open questions',
        note: 'Behavior where the interface document leaves a choice. Not judged.',
        blocks: [{ items: compareObservations(verified).map(observationItem) }],
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
  const numbers = `${totals.pass} passed, ${count(totals.warn, 'warning')}, ${totals['not-applicable']} not applicable`
  return {
    badge: { word: 'verified', tone: 'pass' },
    text: [{ href: one.page, text: name }],
    notes: [
      `${numbers}; ${one.startedAt.slice(0, 10)}, chatgen ${suite.version}, profile ${target.profile}`,
    ],
  }
}

function changeSection({ from, to, requirements, observations }: VersionChange): Section {
  const items = [
    ...requirements.map(({ id, before, after }) => ({
      text: [{ href: `${to.page}#${id}`, text: id }, ` ${labelOf(before)}, now ${labelOf(after)}`],
    })),
    ...observations.map(({ id, before, after }) => ({
      text: `${id} ${answerText(before)}, now ${answerText(after)}`,
    })),
  ]
  return {
    title: `Changes of ${to.vendor} ${to.name} from ${from.version} to ${to.version}`,
    blocks: [items.length === 0 ? { text: 'No verdict and no observation differs.' } : { items }],
  }
}

function groupsOf(
  requirements: readonly ComparedRequirement[],
  verified: readonly Verified[],
): readonly EntryGroup[] {
  return [...Map.groupBy(requirements, ({ surface }) => surface)].map(([surface, own]) => ({
    title: surfaceTitles[surface],
    groups: [...Map.groupBy(own, ({ id }) => areaOf(id))].map(([area, ids]) => ({
      title: areaTitle(area),
      entries: ids.map((requirement) => entryOf(requirement, surface, verified)),
    })),
  }))
}

/** Merges equal verdicts; a requirement that passed for all is folded. */
function entryOf(
  { id, level, title, verdicts, differs }: ComparedRequirement,
  surface: Surface,
  verified: readonly Verified[],
): Entry {
  const [common = null] = verdicts.filter((verdict) => verdict !== null)
  const verdict = differs || common === null ? 'differs' : verdictTag(common)
  const badge =
    differs || common === null
      ? ({ word: 'differs', tone: 'warn' } as const)
      : badgeOf({ verdict: common, known: false })
  return {
    id,
    badge,
    title,
    tags: [
      { name: 'verdict', value: verdict, label: badge.word },
      { name: 'surface', value: surface, label: surfaceTitles[surface] },
      { name: 'level', value: level, label: level },
    ],
    isFolded: verdict === 'pass',
    notes: [],
    evidence: [],
    maxShown: 0,
    facts: verdicts.map((own, at) => factOf(id, own, verified[at])),
  }
}

function factOf(id: string, verdict: Verdict | null, one: Verified | undefined): Fact {
  if (one === undefined) return ['', '']
  const text: string | Link =
    verdict === null ? labelOf(null) : { href: `${one.page}#${id}`, text: labelOf(verdict) }
  return [`${nameOf(one)}: `, [text]]
}

function observationItem({
  id,
  question,
  answers,
}: ReturnType<typeof compareObservations>[number]): Item {
  return {
    text: `${id} ${question}`,
    notes: answers.map(({ answer, by }) => [
      { code: answerText(answer) },
      ` (${by.map(nameOf).join(', ')})`,
    ]),
  }
}

function labelOf(verdict: Verdict | null): string {
  return verdict === null ? 'not certified' : verdictBadges[verdict].word
}

const maxAnswerLength = 300

function answerText(answer: string | null): string {
  return answer === null ? 'not observed' : shorten(withoutColors(answer), maxAnswerLength)
}
