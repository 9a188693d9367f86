import {
  answerText,
  declared,
  type Exchange,
  finalResponse,
  isRecord,
} from '../../harness/conformance/scenario/index.ts'

interface Declared {
  readonly knowledge?: { readonly question: string; readonly expect: string } | undefined
  readonly assistants?: { readonly withKnowledge?: string | undefined } | undefined
  readonly tools?: { readonly search?: string | undefined } | undefined
}

/** What the profile says of a base that an assistant has, and of the tool that searches it. */
export function baseOf({ knowledge, assistants, tools }: Declared) {
  declared(knowledge, 'knowledge')
  const assistant = assistants?.withKnowledge
  declared(assistant, 'assistants.withKnowledge')
  const { question, expect: expected } = knowledge
  return { question, expected, assistant, tool: tools?.search ?? 'file_search' }
}

/** A search step in the output, or the fact that only the base knows in the answer. */
export function searched(
  reply: Exchange,
  { expected, tool }: { readonly expected: string; readonly tool: string },
): boolean {
  const output = finalResponse(reply)?.['output']
  const items: readonly unknown[] = Array.isArray(output) ? output : []
  const inAnswer = answerText(reply)?.includes(expected) ?? false
  return inAnswer || items.some((item) => isSearchStep(item, tool))
}

/**
 * A search step is an item of a type of its own, or a call of the search tool of the profile; which
 * of them, the document does not say (section 4.4).
 */
export function isSearchStep(item: unknown, tool: string): boolean {
  if (!isRecord(item)) return false
  const { type, name } = item
  return name === tool || (typeof type === 'string' && type.includes('search'))
}

interface Asked {
  /** What shows whether there was a search. */
  readonly evidence: readonly Exchange[]
  readonly searched: boolean
}

type Ask = (rag: unknown, more: Readonly<Record<string, unknown>>) => Promise<Asked>

/**
 * A generation with `rag: true` that shows its search, and how others have to be asked so that they
 * can be held against it. The search tool is excluded, so that no call of the model's own is taken
 * for a search in advance; where that keeps the server from searching too, it is not, and only the
 * absence of any search says something.
 */
export async function withSearch(ask: Ask, tool: string) {
  const excluded = { exclude_tools: [tool] }
  const apart = await ask(true, excluded)
  if (apart.searched) return { able: apart, more: excluded, mayBeOwn: false }
  return { able: await ask(true, {}), more: {}, mayBeOwn: true }
}

/** Why an absence of searches, or a search, would say nothing. */
export const searchless = 'rag: true shows no search, so its absence says nothing'
export const maybeOwn = 'the search may be a call of the model itself'
