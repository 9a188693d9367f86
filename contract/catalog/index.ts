/** The document as data: which requirement covers which sentence. Severity is decided only here. */

import { auth } from './auth.ts'
import { exclusions, openQuestions } from './open.ts'
import { openai } from './openai/completions.ts'
import { openaiStream } from './openai/stream.ts'
import { openaiTools } from './openai/tools.ts'
import {
  areaHints,
  type Exclusion,
  type OpenQuestion,
  type Requirement,
  type Source,
} from './requirement.ts'
import { attachments, knowledge } from './uploads.ts'
import { v2 } from './v2.ts'
import { v3Chats } from './v3/chats.ts'
import { v3Generate } from './v3/generate.ts'
import { v3History } from './v3/history.ts'
import { v3OneShot } from './v3/one-shot.ts'
import { v3Stream } from './v3/stream.ts'
import { versions } from './versions.ts'

const entries = {
  ...auth,
  ...openai,
  ...openaiStream,
  ...openaiTools,
  ...v2,
  ...v3Chats,
  ...v3History,
  ...v3Generate,
  ...v3Stream,
  ...v3OneShot,
  ...versions,
  ...attachments,
  ...knowledge,
}

export type RequirementId = keyof typeof entries
export type OpenQuestionId = keyof typeof openQuestions
export type ExclusionId = keyof typeof exclusions

/** Every requirement by id. */
export const requirements: Readonly<Record<RequirementId, Requirement>> = entries
export const questions: Readonly<Record<OpenQuestionId, OpenQuestion>> = openQuestions
export const excluded: Readonly<Record<ExclusionId, Exclusion>> = exclusions

/** All requirement ids, in the order of the catalog. */
export const requirementIds = Object.keys(entries) as RequirementId[]
export const questionIds = Object.keys(openQuestions) as OpenQuestionId[]
export const exclusionIds = Object.keys(exclusions) as ExclusionId[]

export function isRequirementId(id: string): id is RequirementId {
  return Object.hasOwn(entries, id)
}

export function isQuestionId(id: string): id is OpenQuestionId {
  return Object.hasOwn(openQuestions, id)
}

/** The document that a requirement comes from. */
export function sourceOf(id: RequirementId): Source {
  const { source, surface } = requirements[id]
  return source ?? (surface === 'openai' ? 'wire' : 'service')
}

/** The area of a requirement, the part of its id before the number: `V3-IDEM-02` is in `V3-IDEM`. */
export function areaOf(id: string): string {
  return id.replace(/-\d+$/, '')
}

/** The usual cause of a violation and its fix, in one sentence, from experience; null if none is known. */
export function hintFor(id: string): string | null {
  const own = isRequirementId(id) ? requirements[id].hint : undefined
  return own ?? areaHints[areaOf(id)] ?? null
}

export type {
  Capability,
  Exclusion,
  Level,
  OpenQuestion,
  ProfileName,
  Requirement,
  Source,
  Surface,
} from './requirement.ts'
export { capabilities, profileNames, surfaces } from './requirement.ts'

/** Ids as one short line per area, `V3-HIST 01-05 07 08`, areas in the order of their first id. */
export function compactIds(ids: readonly string[]): readonly string[] {
  const areas = Map.groupBy(ids, areaOf)
  return [...areas].map(([area, own]) => {
    const numbers = own.map((id) => Number(id.slice(area.length + 1))).toSorted((a, b) => a - b)
    return [area, ...runs(numbers).map(runText)].join(' ')
  })
}

type Run = readonly [first: number, last: number]

function runs(numbers: readonly number[]): readonly Run[] {
  const found: Run[] = []
  for (const number of numbers) {
    const last = found.at(-1)
    if (last !== undefined && last[1] + 1 === number) found[found.length - 1] = [last[0], number]
    else found.push([number, number])
  }
  return found
}

/** Two consecutive numbers are listed separately, which is shorter and clearer. */
function runText([first, last]: Run): string {
  if (first === last) return digits(first)
  return last === first + 1
    ? `${digits(first)} ${digits(last)}`
    : `${digits(first)}-${digits(last)}`
}

function digits(number: number): string {
  return String(number).padStart(2, '0')
}
