/** The document as data: which requirement covers which sentence. Severity is decided only here. */

import { auth } from './auth.ts'
import { exclusions, openQuestions } from './open.ts'
import { openai, openaiStream, openaiTools } from './openai.ts'
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
import { v3Generate, v3OneShot } from './v3/generate.ts'
import { v3History } from './v3/history.ts'
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
  return [...Map.groupBy(ids, areaOf)].map(([area, own]) => {
    const numbers = own.map((id) => id.slice(area.length + 1)).sort()
    // Consecutive numbers have the same distance from their place.
    const runs = Map.groupBy(numbers, (number, at) => Number(number) - at)
    // Two consecutive numbers are listed separately, which is shorter and clearer.
    const texts = Array.from(runs.values(), (run) =>
      run.length > 2 ? `${run[0]}-${run.at(-1)}` : run.join(' '),
    )
    return [area, ...texts].join(' ')
  })
}
