/** Evidence of retrieval (section 4.4): a search step, or a fact that only the base contains; and of calls of tools. */
import { asArray, type JsonObject, type RequirementId } from '../../contract/index.ts'
import {
  answerJson,
  type Chat,
  type Exchange,
  expect,
  expectAccepted,
  finalResponse,
  type HistoryRow,
  inputRows,
  isObject,
  leavesOf,
  requireProfile,
  type Scenario,
  succeeded,
  type TargetProfile,
} from '../../harness/conformance/scenario/index.ts'
import { type Dimensions, rowsOf } from './mistakes.ts'
import { knows } from './recall.ts'

/** The knowledge base of an assistant, as the profile declares it, and the tool that searches it. */
export function requireBase({ knowledge, assistants, tools }: TargetProfile) {
  requireProfile(knowledge, 'knowledge')
  const assistant = assistants?.withKnowledge
  requireProfile(assistant, 'assistants.withKnowledge')
  const { question, expect: expected } = knowledge
  return { question, expected, assistant, tool: tools?.search ?? 'file_search' }
}

type Base = ReturnType<typeof requireBase>

/** Fields beside `rag`, described for messages: none, one of each dimension and, at depth full, further combinations. */
export function besidesRag(
  dimensions: Dimensions,
  context: Scenario,
): readonly (readonly [under: string, members: JsonObject])[] {
  const all = Object.values(dimensions).map((of) => Object.values(of).at(-1) ?? {})
  const rows = context.depth === 'full' ? rowsOf(dimensions, undefined, context, rowsAtFull) : []
  return [
    ['', {}],
    [' (with other fields)', Object.assign({}, ...all)],
    ...rows.map(([name, { members = {} }]) => [` (${name})`, members] as const),
  ]
}

export const rowsAtFull = 10

/** Tests if a reply has a search step before its answer, or the fact of the base in its answer. */
export function hasSearched(reply: Exchange, { expected, tool }: Base): boolean {
  const items = outputOf(reply)
  const answerAt = items.findIndex((item) => isObject(item) && item['type'] === 'message')
  const before = answerAt < 0 ? items : items.slice(0, answerAt)
  return knows(reply, expected) || before.some((item) => isSearchStep(item, tool))
}

function outputOf(reply: Exchange): readonly unknown[] {
  return asArray(finalResponse(reply)?.['output'])
}

/**
 * A search step has its own type, or is a call of the profile's search tool: both are legal (section 4.4). A search of
 * the web, or for tools, is not one in the knowledge base.
 */
function isSearchStep(item: unknown, tool: string): boolean {
  if (!isObject(item)) return false
  const { type, name } = item
  return name === tool || (typeof type === 'string' && /(?<!web_|tool_)search/.test(type))
}

/**
 * Asks the question of a base, in a new chat unless another is given, and checks for a search: a step in the output
 * or in the history, or the fact of the base in the answer. The history is read only if the reply shows no search.
 */
export async function askInChat(
  { v3 }: Scenario,
  base: Base,
  more: JsonObject,
  role: 'act' | 'arrange' = 'arrange',
  place?: Chat,
) {
  const chat = place ?? (await v3.createChat())
  const reply = await v3.generate(v3.generateBody(chat, base.question, more), { role })
  const isShown = outputOf(reply).some((item) => isSearchStep(item, base.tool))
  const evidence = [reply]
  let searched = hasSearched(reply, base)
  const mayBeStored = succeeded(reply) && !isShown && !searched
  if (mayBeStored && succeeded(await v3.history(chat))) {
    // The rows of the answer come after the step.
    const isWhole = (rows: readonly HistoryRow[]) => rows.length > inputRows(rows).length
    const { rows, pages } = await v3.waitForHistory(chat, isWhole)
    evidence.push(...pages)
    searched = rows.some(({ item }) => isSearchStep(item, base.tool))
  }
  // An answer that was cut need not contain the fact.
  const isCut = !searched && finalResponse(reply)?.['status'] === 'incomplete'
  return { chat, reply, evidence, searched, isShown, isCut }
}

interface SearchResult {
  /** Exchanges that show whether there was a search. */
  readonly evidence: readonly Exchange[]
  readonly searched: boolean
}

/**
 * A generation with `rag: true` that shows its search, and the fields with which others can be compared to it.
 * The search tool is excluded, so that a call by the model is not mistaken for a search before the answer. If
 * this also prevents the search, the tool is not excluded, and only the absence of any search is evidence.
 */
export async function findVisibleSearch<Result extends SearchResult>(
  ask: (rag: unknown, more: JsonObject) => Promise<Result>,
  tool: string,
) {
  const excluded = { exclude_tools: [tool] }
  const apart = await ask(true, excluded)
  if (apart.searched) return { control: apart, more: excluded, mayBeOwn: false }
  return { control: await ask(true, {}), more: {}, mayBeOwn: true }
}

/** Claims that a request with a search was accepted, and that its reply shows the search. */
export function claimSearched(
  { claim }: Scenario,
  requirement: RequirementId,
  { reply, searched, evidence }: SearchResult & { readonly reply: Exchange },
  under: string,
): void {
  const isShown = () => {
    expectAccepted(reply, `a generation that searches${under}`)
    const what = `the server searched: a search step, or its fact in the answer${under}`
    expect(searched, what).toBe(true)
  }
  claim(requirement, isShown, ...evidence)
}

/** Claims that a reply shows no search, which `mayBeOwn` if the model may have called the tool itself. */
export function claimNotSearched(
  { claim, session }: Scenario,
  requirement: RequirementId,
  reply: SearchResult,
  { control, mayBeOwn }: { readonly control: SearchResult; readonly mayBeOwn: boolean },
  what: string,
): void {
  const evidence = [...reply.evidence, ...control.evidence]
  if (reply.searched && mayBeOwn)
    session.markUndecided('inconclusive', [requirement], maybeToolCall)
  else claim(requirement, () => expect(reply.searched, what).toBe(false), ...evidence)
}

export const noVisibleSearch = 'rag: true shows no search, so the absence of one proves nothing'
export const maybeToolCall = 'the search may be a tool call of the model'

/** Names of the calls in a v2 answer; other fields may list the tools, but a call has arguments, or is named so. */
export function toolsCalledIn(answer: Exchange): readonly unknown[] {
  const leaves = leavesOf(answerJson(answer))
  const isCall = (place: readonly string[]) =>
    place.some((key) => /call/i.test(key)) ||
    leaves.some(
      ({ path, value }) =>
        place.every((key, at) => path[at] === key) &&
        (path[place.length] === 'arguments' ||
          (path[place.length] === 'type' && /call/.test(String(value)))),
    )
  const named = leaves.filter(({ path }) => path.at(-1) === 'name' && isCall(path.slice(0, -1)))
  return named.map(({ value }) => value)
}
