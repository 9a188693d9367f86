/** Assistant of a request: its instructions and knowledge bases, for all ways of naming it. */
import { isUuid } from '../../contract/json.ts'
import { or404 } from '../http/errors.ts'
import type { OneShotRequest } from '../requests/native.ts'
import type { Store } from '../store/sql/store.ts'
import type { KnowledgeBase } from '../store/types.ts'

export interface AssistantContext {
  readonly instructions: string | null
  /** Knowledge bases of the caller to search; all of them exist. */
  readonly baseIds: readonly string[]
  /** True for a search scenario, in which the model searches without being asked. */
  readonly searchesByItself: boolean
}

export const noAssistant: AssistantContext = {
  instructions: null,
  baseIds: [],
  searchesByItself: false,
}

/** @throws ApiError 404 for an id that is not in the catalog */
export function catalogAssistant(id: string | null | undefined): AssistantContext {
  if (id === null || id === undefined) return noAssistant
  const { instructions, baseId } = or404(
    assistants.find((one) => one.id === id),
    `No assistant ${JSON.stringify(id)} in the catalog`,
    'assistant_not_found',
    'assistant_id',
  )
  return { ...noAssistant, instructions, baseIds: baseId === null ? [] : [baseId] }
}

/**
 * Section 4.2: the UUID of an assistant, or an identifier of instructions. Unknown identifiers are stored with
 * the message and have no effect.
 *
 * @throws ApiError 404 for a UUID that is not in the catalog
 */
export function assistantOrInstructions(id: string | null | undefined): AssistantContext {
  if (isUuid(id)) return catalogAssistant(id.toLowerCase())
  return { ...noAssistant, instructions: namedInstructions.get(id ?? '') ?? null }
}

type OneShotAssistant = Pick<OneShotRequest, 'assistant_id' | 'assistant' | 'kb_id'>

/**
 * Section 4.3: null with a custom scenario in `assistant`, `searcher` with an optional `kb_id` (without it, all
 * bases of the caller), or an assistant of the catalog.
 *
 * @throws ApiError 404 for an assistant or a base that does not exist
 */
export async function oneShotAssistant(
  knowledge: Store['knowledge'],
  caller: string,
  { assistant_id, assistant, kb_id }: OneShotAssistant,
): Promise<AssistantContext> {
  const named = async (id: string | null | undefined, param: string) =>
    typeof id === 'string' ? [(await ownBase(knowledge, caller, id, param)).id] : undefined
  if (assistant_id === 'searcher') {
    const all = async () => (await knowledge.bases(caller, { limit: maxBases })).rows
    const baseIds = (await named(kb_id, 'kb_id')) ?? (await all()).map(({ id }) => id)
    return { instructions: 'You search the knowledge base.', baseIds, searchesByItself: true }
  }
  if (typeof assistant_id === 'string') return catalogAssistant(assistant_id)
  const baseIds = (await named(assistant?.kb_id, 'assistant.kb_id')) ?? []
  return { ...noAssistant, instructions: assistant?.instructions ?? null, baseIds }
}

/** @throws ApiError 404 for a knowledge base that does not exist or belongs to another caller */
export async function ownBase(
  knowledge: Store['knowledge'],
  caller: string,
  id: string,
  param: string,
): Promise<KnowledgeBase> {
  const message = `No knowledge base ${JSON.stringify(id)}`
  return or404(await knowledge.find(caller, id), message, 'knowledge_base_not_found', param)
}

/** Maximum number of knowledge bases in one search. */
const maxBases = 20

/** The assistants of the catalog, and named instructions. */

export interface CatalogAssistant {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly instructions: string
  /** The attached knowledge base; null if there is none. */
  readonly baseId: string | null
}

/** The base that every caller has from the start. */
export const seededBaseId = 'a4f3c8d1-6b25-47e9-8f10-2d9c5e7b3a60'

export const assistants: readonly CatalogAssistant[] = [
  {
    id: '7d0e4a52-3c1b-4f6e-9a27-5b8c1e90d3f4',
    name: 'Island guide',
    description: 'Answers from the documents about the island of Varnholm',
    instructions: 'You answer questions about the island of Varnholm from its documents.',
    baseId: seededBaseId,
  },
  {
    id: 'c2a91f68-84d7-4be3-b0c5-13f7a6d29e81',
    name: 'Plain helper',
    description: 'Answers without any documents',
    instructions: 'You are a helpful assistant.',
    baseId: null,
  },
]

/** Instructions that `assistant_id` of v2 can name (section 4.2). */
const namedInstructions: ReadonlyMap<string, string> = new Map([
  ['concise', 'Answer in as few words as the question allows.'],
  ['formal', 'Answer in formal language, without contractions.'],
])
