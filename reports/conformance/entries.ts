import { areaOf } from '../../contract/index.ts'
import {
  type ConformanceReport,
  isViolation,
  type RequirementResult,
} from '../../contract/report/conformance.ts'
import { areaTitle, standingOf, surfaceTitle } from '../catalog/entries.ts'
import type { Entry, EntryGroup, Fact } from '../document/document.ts'
import type { Exchanges } from '../text/curl/chat.ts'
import { badgeOf, knownText, meanings, verdictBadges, verdictTag } from './summary.ts'
import { adviceOn, evidenceOf, foundNotes, messageText } from './violations.ts'

/** All requirements by surface and section; each opens to its details. */
export function entryGroups(
  report: ConformanceReport,
  exchanges: Exchanges,
): readonly EntryGroup[] {
  const bySurface = Map.groupBy(report.requirements, ({ surface }) => surface)
  return [...bySurface].map(([surface, requirements]) => ({
    title: surfaceTitle(surface),
    groups: [...Map.groupBy(requirements, sectionOf)].map(([title, own]) => ({
      title,
      entries: own.map((requirement) => entryOf(report, exchanges, requirement)),
    })),
  }))
}

function sectionOf({ id, section }: RequirementResult): string {
  return `Section ${section}: ${areaTitle(areaOf(id))}`
}

/** Maximum exchanges on a page for a violated requirement, and for any other. Programs read the files instead. */
const maxShown = { violated: 4, other: 1 } as const

function entryOf(
  report: ConformanceReport,
  exchanges: Exchanges,
  requirement: RequirementResult,
): Entry {
  const { id, title, verdict, surface, level, message } = requirement
  const isBroken = isViolation(requirement)
  return {
    id,
    badge: badgeOf(requirement),
    title,
    tags: [
      { name: 'verdict', value: verdictTag(verdict), label: verdictBadges[verdict].word },
      { name: 'surface', value: surface, label: surfaceTitle(surface) },
      { name: 'level', value: level, label: level },
    ],
    isFolded: verdict === 'pass',
    notes: isBroken
      ? [...foundNotes(requirement), ...adviceOn([requirement])]
      : message === null
        ? []
        : [messageText(message)],
    evidence: evidenceOf(exchanges, [requirement]),
    maxShown: isBroken ? maxShown.violated : maxShown.other,
    facts: factsOf(report, requirement),
  }
}

function factsOf(report: ConformanceReport, requirement: RequirementResult): readonly Fact[] {
  const { id, verdict, section, blockedBy, scenarios, brokenBy } = requirement
  const note = knownText(report, id)
  const others = scenarios.filter((name) => !brokenBy.includes(name))
  return [
    ['verdict: ', `${badgeOf(requirement).word}. ${meanings[verdict]}`],
    ['level: ', `${standingOf(requirement)}, section ${section}`],
    ...(blockedBy === null ? [] : [['waits for: ', `${blockedBy}, which is violated`] as const]),
    ...(note === null ? [] : [['baseline: ', note] as const]),
    ...names('violated in: ', brokenBy),
    ...names(brokenBy.length > 0 ? 'other scenarios: ' : 'scenarios: ', others),
  ]
}

/** Judges read every exchange, so a requirement may have a hundred scenarios. */
const maxNames = 8

function names(lead: string, list: readonly string[]): readonly Fact[] {
  if (list.length === 0) return []
  const more = list.length - maxNames
  return [[lead, list.slice(0, maxNames).join(', ') + (more > 0 ? ` and ${more} more` : '')]]
}
