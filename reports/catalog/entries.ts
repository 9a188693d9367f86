import {
  areaOf,
  type ExclusionId,
  excluded,
  exclusionIds,
  isQuestionId,
  isRequirementId,
  type OpenQuestionId,
  questionIds,
  questions,
  type Requirement,
  type RequirementId,
  requirementIds,
  requirements,
  type Source,
  type Surface,
  sourceOf,
} from '../../contract/index.ts'

/** Requirements, exclusions and open questions in one form, for lists and search. */

export type EntryKind = 'required' | 'expected' | 'excluded' | 'open'

export interface CatalogEntry {
  readonly id: string
  /** The part of the id before the number. */
  readonly area: string
  readonly kind: EntryKind
  /** Null for an exclusion: it is not bound to a surface. */
  readonly surface: Surface | null
  /** Null for exclusions and questions. */
  readonly source: Source | null
  readonly section: string
  /** The sentence, or the question. */
  readonly text: string
}

/** Every entry of the catalog: requirements, then exclusions, then open questions. */
export function catalogEntries(): readonly CatalogEntry[] {
  return [...requirementIds, ...exclusionIds, ...questionIds].map(entryOf)
}

/** The entry with that id, case-insensitive; undefined if there is none. */
export function findEntry(id: string): CatalogEntry | undefined {
  return catalogEntries().find((row) => row.id === id.toUpperCase())
}

export function areaTitle(area: string): string {
  return areaTitles[area] ?? area
}

/** The requirement with that id; undefined for exclusions and questions. */
export function requirementOf(id: string): Requirement | undefined {
  return isRequirementId(id) ? requirements[id] : undefined
}

/** Level of a requirement in a report, and whether the wire format demands it: `required, wire`. */
export function standingOf({ id, level }: { readonly id: string; readonly level: string }): string {
  return isRequirementId(id) && sourceOf(id) === 'wire' ? `${level}, wire` : level
}

function entryOf(id: RequirementId | ExclusionId | OpenQuestionId): CatalogEntry {
  const area = areaOf(id)
  if (isRequirementId(id)) {
    const { level, surface, section, title } = requirements[id]
    return { id, area, kind: level, surface, source: sourceOf(id), section, text: title }
  }
  if (isQuestionId(id)) {
    const { surface, section, question } = questions[id]
    return { id, area, kind: 'open', surface, source: null, section, text: question }
  }
  const { section, title } = excluded[id]
  return { id, area, kind: 'excluded', surface: null, source: null, section, text: title }
}

export const surfaceTitles: Readonly<Record<Surface, string>> = {
  openai: 'Compatible surface, /api/openai',
  v2: 'Native v2 surface, /api/v2',
  v3: 'Native v3 surface, /api/v3',
}

const areaTitles: Readonly<Record<string, string>> = {
  'OAI-AUTH': 'API key',
  'OAI-CHAT': 'Non-streaming chat completions',
  'OAI-TEMP': 'temperature',
  'OAI-TOPP': 'top_p',
  'OAI-MAXTOK': 'max_tokens',
  'OAI-STOP': 'Stop sequences',
  'OAI-ERR': 'Invalid requests',
  'OAI-MODELS': 'Models',
  'OAI-STREAM': 'Streaming chat completions',
  'OAI-TOOL': 'Tool calls',
  'OAI-FORMAT': 'Structured output: response_format',
  'OAI-N': 'Multiple choices: n',
  'V2-AUTH': 'Access token',
  'V2-MSG': 'Stored messages',
  'V2-GEN': 'Reply generation',
  'V2-CTX': 'Context',
  'V2-RAG': 'Retrieval',
  'V2-MODEL': 'Models',
  'V3-AUTH': 'Access token',
  'V3-CHAT': 'Chats',
  'V3-FAV': 'Favorites',
  'V3-HIST': 'History and pagination',
  'V3-GEN': 'Chat generation',
  'V3-MODEL': 'Models',
  'V3-ASST': 'Assistants',
  'V3-TOOLS': 'Tool lists',
  'V3-CTX': 'Context',
  'V3-IDEM': 'Idempotency',
  'V3-THINK': 'Reasoning',
  'V3-SSE': 'Event stream',
  'V3-ONE': 'One-shot',
  VER: 'Chat versions',
  'V3-ATT': 'Attachments',
  KB: 'Knowledge bases',
  RAG: 'Retrieval before the answer',
  X: 'Exclusions',
  OPEN: 'Open questions',
}
