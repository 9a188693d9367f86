/** One answer of the model on a native surface, including retrieval (section 4.4). */

import type { BuiltinTool } from '../model/tools/tools.ts'
import type { Generation, Model, SearchStep, Turn } from '../model/types.ts'
import type { Rag } from '../requests/index.ts'
import { searchPlan } from '../retrieval/retrieval.ts'
import type { Retrieval, SearchHit } from '../retrieval/types.ts'
import type { Store } from '../store/types.ts'
import type { AssistantContext } from './assistant-context.ts'

export interface Ask {
  readonly caller: string
  /** Id or alias of the model. */
  readonly model: string
  /** The conversation, oldest turn first, the question last. */
  readonly turns: readonly Turn[]
  readonly assistant: AssistantContext
  readonly rag: Rag
  readonly think: boolean
  readonly tools: readonly BuiltinTool[]
  readonly maxTokens: number
}

export interface AnsweringServices {
  readonly model: Model
  readonly retrieve: Retrieval
  readonly store: Store
}

/** @throws ModelOutage when the prompt asks for it */
export async function answer(services: AnsweringServices, ask: Ask): Promise<Generation> {
  const { assistant, turns, tools } = ask
  const search = await searcher(services, ask)
  const done = searchesFirst(ask) ? [searchedInAdvance(question(turns), search)] : []
  const generation = services.model({
    model: ask.model,
    turns: [...instructions(assistant), ...turns],
    think: ask.think,
    tools: tools.map(({ name }) => name),
    toolsRunBy: 'service',
    maxTokens: ask.maxTokens,
    stop: [],
    knowledge: {
      found: done.flatMap(({ results }) => results),
      search,
      searchesByItself: assistant.searchesByItself,
    },
  })
  return { ...generation, steps: [...done, ...generation.steps] }
}

/** True for `rag: true` or an object if there is a base; `false` and `agent` do not search in advance. */
function searchesFirst({ rag, assistant }: Ask): boolean {
  return rag !== false && rag !== 'agent' && assistant.baseIds.length > 0
}

/** Hits with a lower score count as chance if the caller sets no threshold. */
const defaults = { threshold: 0.35, limit: 4 }

async function searcher(
  { store, retrieve }: AnsweringServices,
  { caller, assistant, rag }: Ask,
): Promise<(query: string) => readonly SearchHit[]> {
  const plan = searchPlan(typeof rag === 'object' ? rag : {}, defaults)
  const bases = await Promise.all(
    assistant.baseIds.map((id) => store.knowledge.documents(caller, id)),
  )
  return (query) => retrieve(bases, query, plan)
}

function searchedInAdvance(
  query: string,
  search: (query: string) => readonly SearchHit[],
): SearchStep {
  return {
    type: 'file_search',
    queries: [query],
    results: search(query),
    fragments: [],
    complete: true,
  }
}

/** The beginning of a long question is sufficient for a search. */
const maxQueryLength = 2000

function question(turns: readonly Turn[]): string {
  return (turns.findLast(({ role }) => role === 'user')?.text ?? '').slice(0, maxQueryLength)
}

function instructions({ instructions }: AssistantContext): readonly Turn[] {
  return instructions === null ? [] : [{ role: 'system', text: instructions }]
}
