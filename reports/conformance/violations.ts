import { hintFor } from '../../contract/index.ts'
import {
  type ConformanceReport,
  isViolation,
  type RequirementResult,
} from '../../contract/report/conformance.ts'
import { sectionOf, specified } from '../../contract/sections.ts'
import type { Item, Shown, Text } from '../document/document.ts'
import { chatOf, type Exchanges } from '../text/curl/chat.ts'
import { toScript } from '../text/curl/curl.ts'
import { withoutColors } from '../text/escape.ts'
import { causeHeading, type Findings, foldFindings, saysTheSame } from '../text/fold.ts'
import { count } from '../text/format.ts'
import { badgeOf, knownText } from './summary.ts'

/** Violations as items of a document, by the number of requirements that wait for them. */
export interface Violations {
  readonly report: ConformanceReport
  readonly exchanges: Exchanges
  /** Number of requirements that wait for a violated one, by its id. */
  readonly waiting: ReadonlyMap<string, number>
}

/** Violations of one cause are one item, with everything needed to repeat and dispute them. */
export function violationItems(
  context: Violations,
  requirements: readonly RequirementResult[],
): readonly Item[] {
  return foldFindings(requirements)
    .toSorted((a, b) => waitingOf(context, b.requirements) - waitingOf(context, a.requirements))
    .map((findings) => itemOf(context, findings))
}

/** The violations that others wait for, in one line each; none for a single violation. */
export function fixFirst(
  context: Violations,
  requirements: readonly RequirementResult[],
): readonly Item[] {
  const awaited = requirements
    .filter(({ id }) => (context.waiting.get(id) ?? 0) > 0)
    .toSorted((a, b) => waitingOf(context, [b]) - waitingOf(context, [a]))
  if (requirements.length < 2) return []
  return awaited.slice(0, maxFirst).map((requirement) => ({
    text: [
      { href: `#${requirement.id}`, text: requirement.id },
      ': ',
      ...(requirement.message === null
        ? []
        : [{ code: messageText(requirement.message).replace(/\.$/, '') }, '; ']),
      waitText(waitingOf(context, [requirement])),
    ],
  }))
}

const maxFirst = 5

/** Undecided requirements with the violated one that each waits for, directly or through others. */
export function waitingRows({
  requirements,
}: ConformanceReport): ReadonlyMap<RequirementResult, string> {
  const byId = new Map(requirements.map((requirement) => [requirement.id, requirement]))
  return new Map(
    requirements.flatMap((requirement) => {
      const root = rootOf(requirement, byId)
      return root === null ? [] : [[requirement, root] as const]
    }),
  )
}

/** Number of requirements that wait for each violated one. */
export function waitingFor(report: ConformanceReport): ReadonlyMap<string, number> {
  const roots = Map.groupBy(waitingRows(report).values(), (root) => root)
  return new Map([...roots].map(([root, all]) => [root, all.length]))
}

/** The violated requirement that an undecided one waits for; null if it waits for none. */
function rootOf(
  requirement: RequirementResult,
  byId: ReadonlyMap<string, RequirementResult>,
): string | null {
  const visited = new Set<string>()
  let at = requirement
  while (at.blockedBy !== null && !visited.has(at.id)) {
    visited.add(at.id)
    const next = byId.get(at.blockedBy)
    if (next === undefined) return at.blockedBy
    at = next
  }
  return visited.size > 0 && isViolation(at) ? at.id : null
}

function itemOf(context: Violations, findings: Findings): Item {
  const { requirements } = findings
  const [first] = requirements
  const heading = causeHeading(findings)
  const same = saysTheSame(findings)
  const evidence = evidenceOf(context.exchanges, requirements)
  const shared = [...(same ? foundNotes(first) : []), ...adviceOn(requirements)]
  const items = requirements.map((requirement) => ({
    text: sentence(requirement, waitingOf(context, [requirement])),
    notes: [...(same ? [] : foundNotes(requirement)), ...knownNotes(context.report, requirement)],
  }))
  const badge = badgeOf(first)
  if (heading !== null) return { badge, text: heading, items, notes: shared, evidence }
  const [{ text, notes } = { text: '', notes: [] }] = items
  return { badge, text, notes: [...shared, ...notes], evidence }
}

/** A violation with its message, without evidence: a known one, or a warning. */
export function plainItem(report: ConformanceReport, requirement: RequirementResult): Item {
  const { known } = requirement
  const notes = known ? knownNotes(report, requirement) : adviceOn([requirement])
  return {
    badge: badgeOf(requirement),
    text: sentence(requirement),
    notes: [...foundNotes(requirement), ...notes],
  }
}

/** Exchanges of requirements, those that show a violation first. */
export function evidenceOf(
  exchanges: Exchanges,
  requirements: readonly RequirementResult[],
): readonly Shown[] {
  const ids = [...new Set(requirements.flatMap((requirement) => requirement.exchanges))]
  const event =
    requirements.find((requirement) => requirement.exchanges[0] === ids[0])?.event ?? null
  const isWhole = isSequence(requirements)
  const { folder } = exchanges
  const hasScript = (id: string, at: number) =>
    requirements.every(isViolation) && (isWhole || at < maxScripts) && /^x\d+$/.test(id)
  return ids.map((id, at) => ({
    id,
    // Read on access: together they may be larger than memory.
    get exchange() {
      return exchanges.get(id)
    },
    get chat() {
      const exchange = isWhole ? undefined : exchanges.get(id)
      return exchange === undefined ? null : chatOf(exchange, exchanges)
    },
    event: at === 0 ? event : null,
    isWhole,
    script: folder !== undefined && hasScript(id, at) ? `${folder}/${scriptsName}/${id}.sh` : null,
  }))
}

/** Subfolder of the results with a script for each exchange that shows a violation. */
export const scriptsName = 'repeat'

/** Maximum number of exchanges of a requirement that have one, as many as a page shows. */
const maxScripts = 4

export function scriptsOf(
  { requirements }: ConformanceReport,
  exchanges: Exchanges,
): ReadonlyMap<string, string> {
  const evidence = requirements
    .filter(isViolation)
    .flatMap((requirement) => evidenceOf(exchanges, [requirement]))
  return new Map(
    // Also of a sequence, each script stands alone.
    evidence.flatMap(({ script, exchange }) =>
      script === null || exchange === undefined
        ? []
        : [[script, toScript(exchange, chatOf(exchange, exchanges))]],
    ),
  )
}

/** Tests if each exchange is needed to repeat a violation: those of a random sequence are. */
export function isSequence(requirements: readonly Pick<RequirementResult, 'brokenBy'>[]): boolean {
  const isExplored = (by: string) => by === 'explore'
  // The exchanges of a scenario come first.
  return requirements.some(({ brokenBy }) => brokenBy.length > 0 && brokenBy.every(isExplored))
}

function waitingOf({ waiting }: Violations, requirements: readonly RequirementResult[]): number {
  return requirements.reduce((sum, { id }) => sum + (waiting.get(id) ?? 0), 0)
}

function waitText(number: number): string {
  return `${count(number, 'requirement')} ${number === 1 ? 'waits' : 'wait'} for it`
}

/** `V3-HIST-01 (22 requirements wait for it) A page MUST …`. */
function sentence({ id, title }: RequirementResult, waiting = 0): Text {
  const name = { href: `#${id}`, text: id }
  return [name, waiting === 0 ? '' : ` (${waitText(waiting)})`, ` ${title}`]
}

/** Removes the colors of assertion messages. */
export function messageText(message: string): string {
  return withoutColors(message).trim()
}

export function foundNotes({ message }: RequirementResult): readonly Text[] {
  return message === null ? [] : [['found: ', { code: messageText(message) }]]
}

function knownNotes(report: ConformanceReport, { id }: RequirementResult): readonly Text[] {
  const text = knownText(report, id)
  return text === null ? [] : [text]
}

/** The usual cause with its fix, and the sentence of the document; once for requirements that share them. */
export function adviceOn(requirements: readonly RequirementResult[]): readonly Text[] {
  const hints = requirements.map(({ id }) => hintFor(id)).filter((hint) => hint !== null)
  const places = requirements.map(documentText)
  return [
    ...[...new Set(hints)].map((hint) => `likely cause and fix: ${hint}`),
    ...[...new Set(places)],
  ]
}

function documentText({ id, section, level, title }: RequirementResult): string {
  const place = `document: section ${section}`
  const silent = level === 'expected' ? ', which refers to another contract for this' : ''
  const found = sectionOf(section)
  if (found === undefined) return `${place}${silent}`
  const words = nearestSentence(specified(id, section) ?? '', title)
  return `${place}, ${found.title}${silent}: ${words}`
}

/** The sentence of a summary that shares most words with a title. */
function nearestSentence(summary: string, title: string): string {
  const words = new Set(wordsIn(title))
  const shared = (sentence: string) => wordsIn(sentence).filter((word) => words.has(word)).length
  const [first = '', ...others] = summary.split(/(?<=\.) (?=[A-Z])/)
  return others.reduce((best, one) => (shared(one) > shared(best) ? one : best), first)
}

function wordsIn(text: string): readonly string[] {
  return text.toLowerCase().match(/[\w/-]{3,}/g) ?? []
}
