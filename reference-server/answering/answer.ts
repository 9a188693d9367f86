/** One answer of the model on a native surface, including retrieval (section 4.4). */

import { spoken } from '../model/generation.ts'
import type { BuiltinTool } from '../model/tools/tools.ts'
import type { Generation, SearchStep, Turn } from '../model/types.ts'
import type { Rag } from '../requests/index.ts'
import { searchPlan } from '../retrieval/retrieval.ts'
import type { Services } from '../services.ts'
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

/** Hits with a lower score count as chance if the caller sets no threshold. */
const defaults = { threshold: 0.35, limit: 4 }

/** The beginning of a long question is sufficient for a search. */
const maxQueryLength = 2000

/** @throws ModelOutage when the prompt asks for it */
export async function answer(
  { model, retrieve, store }: Pick<Services, 'model' | 'retrieve' | 'store'>,
  { caller, assistant, rag, model: id, turns, think, tools, maxTokens }: Ask,
): Promise<Generation> {
  const { baseIds, instructions, searchesByItself } = assistant
  const documents = baseIds.map((id) => store.knowledge.documents(caller, id))
  const bases = await Promise.all(documents)
  const plan = searchPlan(typeof rag === 'object' ? rag : {}, defaults)
  const search = (query: string) => retrieve(bases, query, plan)
  const question = turns.findLast(({ role }) => role === 'user')?.text ?? ''
  const query = question.slice(0, maxQueryLength)
  // `true` or an object searches before the answer, `false` and `agent` do not.
  const done: SearchStep[] =
    rag === false || rag === 'agent' || baseIds.length === 0
      ? []
      : [spoken({ type: 'file_search', queries: [query], results: search(query) }, [])]
  const system: Turn[] = instructions === null ? [] : [{ role: 'system', text: instructions }]
  // Digests of recorded requests depend on this order.
  const generation = model({
    model: id,
    turns: [...system, ...turns],
    think,
    tools: tools.map(({ name }) => name),
    toolsRunBy: 'service',
    maxTokens,
    stop: [],
    knowledge: { found: done.flatMap(({ results }) => results), search, searchesByItself },
  })
  return { ...generation, steps: [...done, ...generation.steps] }
}
