import { areaOf } from '../../contract/index.ts'
import {
  type ConformanceReport,
  isKnownViolation,
  isViolation,
  type RequirementResult,
} from '../../contract/report/conformance.ts'
import { areaTitle, standingOf, surfaceTitles } from '../catalog/entries.ts'
import {
  containerSection,
  containerText,
  type Document,
  type Entry,
  type EntryGroup,
  type Fact,
  filledFacts,
  itemsOf,
  type Section,
  type Tile,
  tile,
} from '../document/document.ts'
import type { Exchanges } from '../text/curl/chat.ts'
import { conditionsText, costText, exploredText, seconds } from '../text/format.ts'
import {
  idsText,
  leftoverSection,
  namesText,
  notApplicableSection,
  observationSection,
  passedSections,
  undecidedSection,
} from './lists.ts'
import {
  badgeOf,
  checkOutcome,
  knownText,
  meanings,
  networkPhrases,
  summarize,
  trafficText,
  verdictBadges,
  verdictTag,
} from './summary.ts'
import {
  adviceOn,
  evidenceOf,
  fixFirst,
  foundNotes,
  messageText,
  plainItem,
  type Violations,
  violationItems,
  waitingFor,
} from './violations.ts'

/**
 * The report of a check: violations with everything needed to repeat and dispute them, then less urgent
 * sections. `exchanges`: those that requirements refer to.
 */
export function conformanceDocument(report: ConformanceReport, exchanges: Exchanges): Document {
  const { interrupted, target, baseline } = report
  return {
    kind: 'Conformance report',
    sealed: report,
    target: target.baseUrl,
    outcome: checkOutcome(report),
    remarks: interrupted ? ['interrupted: partial results'] : [],
    numbers: tilesOf(report),
    facts: factsOf(report),
    settings: settingsOf(report),
    sections: [
      {
        title: `Stale baseline entries in ${baseline?.file ?? ''}`,
        blocks: [itemsOf((baseline?.problems ?? []).map(({ message }) => message))],
      },
      ...findingSections(report, exchanges),
      undecidedSection(report),
      notApplicableSection(report),
      leftoverSection(report),
      ...containerSection(target.container),
      {
        title: 'Requirements',
        only: 'pages',
        blocks: [{ entries: entryGroups(report, exchanges) }],
      },
      observationSection(report),
      ...passedSections(report),
    ],
  }
}

function findingSections(report: ConformanceReport, exchanges: Exchanges): readonly Section[] {
  const { requirements, strict, faults } = report
  const context: Violations = { report, exchanges, waiting: waitingFor(report) }
  const violated = requirements.filter(
    ({ verdict, known }) => !known && (verdict === 'fail' || (strict && verdict === 'warn')),
  )
  const warnings = requirements.filter(
    ({ verdict, known }) => verdict === 'warn' && (known || !strict),
  )
  const plain = (title: string, own: readonly RequirementResult[]): Section => ({
    title,
    brief: idsText(own),
    blocks: [{ items: own.map((requirement) => plainItem(report, requirement)) }],
  })
  return [
    { title: 'Fix first', blocks: [{ items: fixFirst(context, violated) }] },
    {
      title: strict ? 'Violated, warnings included' : 'Violated',
      blocks: [{ items: violationItems(context, violated) }],
    },
    {
      title: 'Internal errors of chatgen, not violations',
      blocks: [
        { items: faults.map(({ scenario, message }) => ({ text: scenario, notes: [message] })) },
      ],
    },
    plain('Known violations', requirements.filter(isKnownViolation)),
    plain('Warnings', warnings),
  ]
}

function tilesOf(report: ConformanceReport): readonly Tile[] {
  const { passed, violated, undecided, required } = summarize(report)
  const of = (verdict: string) => `#verdict=${verdict}&level=required`
  return [
    tile(passed, 'passed', 'pass', of('pass')),
    tile(violated, 'violated', violated > 0 ? 'fail' : 'none', of('fail')),
    tile(undecided, 'undecided', undecided > 0 ? 'unproven' : 'none', of('undecided')),
    tile(required, 'required in all'),
  ]
}

function factsOf(report: ConformanceReport): readonly Fact[] {
  const { target, cost, durationMs, suite, seed } = report
  const { exploration, conditions, depth = 'normal' } = report
  return filledFacts([
    ['target: ', [{ code: target.baseUrl }, `, profile ${target.profile}`]],
    ['container: ', containerText(target.container)],
    ...networkPhrases(target).map((phrase) => ['network: ', phrase] as const),
    ['requests sent: ', `${costText(cost)} in ${seconds(durationMs)}`],
    ['conditions: ', conditions && conditionsText(conditions, depth)],
    ['explored: ', exploration && exploredText(exploration)],
    ['errors and retries: ', trafficText(report)],
    ['chatgen: ', `${suite.version}, interface ${suite.interface}, seed ${seed}`],
  ])
}

function settingsOf({ target, recording, startedAt }: ConformanceReport): readonly Fact[] {
  const declared = Object.entries(target.capabilities).map(
    ([name, has]) => `${has ? '' : 'no '}${name}`,
  )
  return filledFacts([
    ['capabilities: ', declared.join(', ') || 'none declared'],
    [recording ? 'rejudged: ' : 'started: ', startedAt],
    ['recorded: ', recording && `${recording.startedAt}, by chatgen ${recording.suite.version}`],
  ])
}

/** All requirements by surface and section; each opens to its details. */
function entryGroups(report: ConformanceReport, exchanges: Exchanges): readonly EntryGroup[] {
  const bySurface = Map.groupBy(report.requirements, ({ surface }) => surface)
  return [...bySurface].map(([surface, requirements]) => ({
    title: surfaceTitles[surface],
    groups: [
      ...Map.groupBy(
        requirements,
        ({ id, section }) => `Section ${section}: ${areaTitle(areaOf(id))}`,
      ),
    ].map(([title, own]) => ({
      title,
      entries: own.map((requirement) => entryOf(report, exchanges, requirement)),
    })),
  }))
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
      { name: 'surface', value: surface, label: surfaceTitles[surface] },
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
    facts: detailsOf(report, requirement),
  }
}

function detailsOf(report: ConformanceReport, requirement: RequirementResult): readonly Fact[] {
  const { id, verdict, section, blockedBy, scenarios, brokenBy } = requirement
  const others = scenarios.filter((name) => !brokenBy.includes(name))
  return filledFacts([
    ['verdict: ', `${badgeOf(requirement).word}. ${meanings[verdict]}`],
    ['level: ', `${standingOf(requirement)}, section ${section}`],
    ['waits for: ', blockedBy && `${blockedBy}, which is violated`],
    ['baseline: ', knownText(report, id)],
    ['violated in: ', namesText(brokenBy)],
    [brokenBy.length > 0 ? 'other scenarios: ' : 'scenarios: ', namesText(others)],
  ])
}
