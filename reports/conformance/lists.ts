import { compactIds } from '../../contract/catalog/index.ts'
import {
  type ConformanceReport,
  type RequirementResult,
  undecidedVerdicts,
} from '../../contract/report/conformance.ts'
import { requirementOf } from '../catalog/entries.ts'
import type { Fact, Item, Section } from '../document/document.ts'
import { shorten } from '../text/escape.ts'
import { count, joinPhrases } from '../text/format.ts'
import { messageText, waitingRows } from './violations.ts'

/** Requirements that are not violated and take one line on a terminal. */

/** `4: V3-HIST 01-03, V3-SSE 07`; a single one by its id. */
export function idsText(requirements: readonly RequirementResult[]): string {
  const ids = compactIds(requirements.map(({ id }) => id)).join(', ')
  return requirements.length === 1 ? ids : `${requirements.length}: ${ids}`
}

/** Undecided requirements by reason. In brief: their number by reason. */
export function undecidedSection(report: ConformanceReport): Section {
  const requirements = report.requirements.filter(({ verdict }) =>
    undecidedVerdicts.includes(verdict),
  )
  return {
    title: 'Undecided',
    brief: briefText(report, requirements),
    blocks: [{ items: byReason(requirements) }],
  }
}

/** `28 (24 required): 10 need tools, otherKey in the profile; …`, or `3 wait for violated requirements`. */
function briefText(report: ConformanceReport, ids: readonly RequirementResult[]): string {
  const waiting = waitingRows(report)
  const others = ids.filter((requirement) => !waiting.has(requirement))
  const lacking = others.filter((requirement) => missingMember(requirement) !== undefined)
  const rest = others.filter((requirement) => missingMember(requirement) === undefined)
  const members = [...new Set(lacking.map(missingMember))].join(', ')
  const waits = ids.length - others.length
  const needs = `${lacking.length === 1 ? 'needs' : 'need'} ${members} in the profile`
  const parts = [
    [waits, `${waits === 1 ? 'waits' : 'wait'} for violated requirements`] as const,
    [lacking.length, needs] as const,
  ].filter(([number]) => number > 0)
  const required = ids.filter(({ level }) => level === 'required').length
  const total = `${ids.length}${required === ids.length ? '' : ` (${required} required)`}`
  const whole = parts.find(([number]) => number === ids.length)
  if (whole !== undefined) return `${total} ${whole[1]}`
  const counted = parts.map((part) => part.join(' '))
  return `${total}: ${joinPhrases([...counted, rest.length > 0 && restText(rest)])}`
}

/** Maximum ids, which fill two lines of a terminal. */
const maxIds = 20
const maxReasons = 3

/** The most frequent reasons, merged over routes: with ids if they are few, otherwise with their number. */
function restText(ids: readonly RequirementResult[]): string {
  const own = Map.groupBy(ids, reasonOf)
  const groups =
    own.size === 1
      ? [...own]
      : [...Map.groupBy(ids, (requirement) => reasonOf(requirement).replace(route, ''))]
  const sorted = groups.toSorted(([, a], [, b]) => b.length - a.length)
  const hasIds = ids.length <= maxIds || groups.length === 1
  const reasons = sorted
    .slice(0, maxReasons)
    .map(
      ([reason, own]) =>
        `${reason}: ${hasIds ? compactIds(own.map(({ id }) => id)).join(', ') : own.length}`,
    )
  const others = sorted.slice(maxReasons).flatMap(([, own]) => own).length
  const rest = others > 0 && `${others} for other reasons (--verbose)`
  return joinPhrases([...reasons, rest])
}

const route = /^[A-Z]+ \/\S*( as a stream)? /

/** The field of the target profile without which a requirement is undecided. */
function missingMember({ id, verdict, message }: RequirementResult): string | undefined {
  if (verdict !== 'unproven') return undefined
  if (message === null) return requirementOf(id)?.member
  return /^set (\S+) in the target profile to test this/.exec(message)?.[1]
}

export function notApplicableSection({ requirements }: ConformanceReport): Section {
  const ids = requirements.filter(({ verdict }) => verdict === 'not-applicable')
  return {
    title: 'Not applicable',
    detail: 'folded',
    brief: idsText(ids),
    blocks: [{ items: byReason(ids) }],
  }
}

function byReason(ids: readonly RequirementResult[]): readonly Item[] {
  return [...Map.groupBy(ids, reasonOf)].map(([reason, own]) => ({
    text: `${reason}: ${compactIds(own.map(({ id }) => id)).join(', ')}`,
  }))
}

function reasonOf(requirement: RequirementResult): string {
  const { blockedBy, message } = requirement
  if (blockedBy !== null) return `waiting for ${blockedBy}`
  if (message !== null) return messageText(message)
  const member = missingMember(requirement)
  return member ? `set ${member} in the target profile to test this` : 'no reason was recorded'
}

const maxAnswerLength = 1200

/** Answers of the target to open questions; not judged. */
export function observationSection({ observations }: ConformanceReport): Section {
  return {
    title: 'Open questions',
    note: 'How this target behaves where the interface document leaves a choice. Not judged.',
    detail: 'folded',
    brief: `${observations.length} observed, not judged (--verbose)`,
    blocks: [
      {
        facts: observations.map(
          ({ id, question, answer }): Fact => [
            `${id}  `,
            [`${question} `, { code: shorten(messageText(answer), maxAnswerLength) }],
          ],
        ),
      },
    ],
  }
}

/** Requirements that need no attention, shown on request. */
export function passedSections({ requirements }: ConformanceReport): readonly Section[] {
  const titles = { pass: 'Passed', observed: 'Observed only' } as const
  return (['pass', 'observed'] as const).map((verdict) => {
    const ids = requirements.filter((requirement) => requirement.verdict === verdict)
    return {
      title: titles[verdict],
      detail: 'verbose' as const,
      only: 'terminal' as const,
      blocks: ids.length === 0 ? [] : [{ text: idsText(ids) }],
    }
  })
}

/** Leftovers on the target: chats one by one, and the number of those that no route deletes. */
export function leftoverSection({ residue, residueUnseen }: ConformanceReport): Section {
  const kinds = [...Map.groupBy(residue, ({ kind }) => kind)].map(([kind, all]) =>
    count(all.length, kind),
  )
  const hasChats = residue.some(({ kind }) => kind === 'chat')
  const unseen = residueUnseen === null ? [] : [`leftover check incomplete: ${residueUnseen}`]
  const retry = hasChats ? ['retry: chatgen cleanup with journal.ndjson of the results'] : []
  return {
    title: 'Not deleted from the target',
    ...(hasChats ? {} : { detail: 'folded' as const }),
    brief: [...kinds, ...unseen, ...retry].join('; '),
    blocks: [
      {
        items: [
          ...residue.map(({ kind, id, name, why }) => ({
            text: [`${kind} `, { code: id ?? 'with unknown id' }, `, ${name}: ${why}`],
          })),
          ...[...unseen, ...retry].map((text) => ({ text })),
        ],
      },
    ],
  }
}

/** Judges read every exchange, so a requirement may have a hundred scenarios. */
const maxNames = 8

export function namesText(list: readonly string[]): string {
  const more = list.length - maxNames
  return list.slice(0, maxNames).join(', ') + (more > 0 ? ` and ${more} more` : '')
}
