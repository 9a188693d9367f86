import {
  type ConformanceReport,
  isKnownViolation,
  type RequirementResult,
  type TriedConditions,
} from '../../contract/report/conformance.ts'
import { type Document, type Fact, itemsOf, type Section, type Tile } from '../document/document.ts'
import type { Exchanges } from '../text/curl/chat.ts'
import {
  containerFacts,
  containerSection,
  costText,
  count,
  exploredText,
  seconds,
} from '../text/format.ts'
import { entryGroups } from './entries.ts'
import {
  idsText,
  leftoverSection,
  notApplicableSection,
  observationSection,
  passedSections,
  undecidedSection,
} from './lists.ts'
import { checkOutcome, summarize } from './summary.ts'
import { networkPhrases, trafficText } from './traffic.ts'
import { fixFirst, plainItem, type Violations, violationItems, waitingFor } from './violations.ts'

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

/** Violations, errors of chatgen, known violations and warnings. */
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
    { value: String(passed), name: 'passed', tone: 'pass', href: of('pass') },
    {
      value: String(violated),
      name: 'violated',
      tone: violated > 0 ? 'fail' : 'none',
      href: of('fail'),
    },
    {
      value: String(undecided),
      name: 'undecided',
      tone: undecided > 0 ? 'unproven' : 'none',
      href: of('undecided'),
    },
    { value: String(required), name: 'required in all' },
  ]
}

function factsOf(report: ConformanceReport): readonly Fact[] {
  const { target, cost, durationMs, exploration, conditions, depth = 'normal' } = report
  const traffic = trafficText(report)
  return [
    ['target: ', [{ code: target.baseUrl }, `, profile ${target.profile}`]],
    ...containerFacts('container: ', target.container),
    ...networkPhrases(target).map((phrase): Fact => ['network: ', phrase]),
    ['requests sent: ', `${costText(cost)} in ${seconds(durationMs)}`],
    ...(conditions === undefined
      ? []
      : [['conditions: ', conditionsText(conditions, depth)] as const]),
    ...(exploration === undefined ? [] : [['explored: ', exploredText(exploration)] as const]),
    ...(traffic === null ? [] : [['errors and retries: ', traffic] as const]),
    ['chatgen: ', versionText(report)],
  ]
}

/** `depth full, 4,380 of 4,405 pairs tried; the others are in report.json`. */
function conditionsText(conditions: readonly TriedConditions[], depth: string): string {
  const tried = conditions.reduce((sum, one) => sum + one.tried, 0)
  const pairs = conditions.reduce((sum, one) => sum + one.pairs, 0)
  const others = conditions.some(({ untried }) => untried.length > 0)
  return `depth ${depth}, ${tried} of ${count(pairs, 'pair')} tried${others ? '; the others are in report.json' : ''}`
}

function versionText({ suite, seed }: ConformanceReport): string {
  return `${suite.version}, interface ${suite.interface}, seed ${seed}`
}

function settingsOf({ target, recording, startedAt }: ConformanceReport): readonly Fact[] {
  const declared = Object.entries(target.capabilities).map(
    ([name, has]) => `${has ? '' : 'no '}${name}`,
  )
  return [
    ['capabilities: ', declared.join(', ') || 'none declared'],
    [recording ? 'rejudged: ' : 'started: ', startedAt],
    ...(recording
      ? [['recorded: ', `${recording.startedAt}, by chatgen ${recording.suite.version}`] as const]
      : []),
  ]
}
