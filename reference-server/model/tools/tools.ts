/** The tools of the service, and when the fake model calls one. */
import { asObject, asString, parseJson } from '../../../contract/json.ts'
import type { Directives, ToolOrder } from '../directives.ts'
import { splitTokens, spoken } from '../generation.ts'
import { conformingValue, hintsIn } from '../schema/conforming.ts'
import type { ClientDemands, FunctionTool, ModelRequest, Step } from '../types.ts'

export interface BuiltinTool {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly parameters: object
}

const searchTool = 'file_search'

const builtinTools: readonly BuiltinTool[] = [
  {
    name: 'get_time',
    description: 'Tells the time of day',
    parameters: { type: 'object', properties: { zone: { type: 'string' } } },
  },
  {
    name: 'get_weather',
    description: 'Tells the weather of a place',
    parameters: { type: 'object', properties: { place: { type: 'string' } } },
  },
  {
    name: searchTool,
    description: 'Searches the knowledge base',
    parameters: { type: 'object', properties: { query: { type: 'string' } } },
  },
]

/** Section 4.3: `include_tools` is a whitelist, `exclude_tools` a blacklist; never both. */
export function allowedTools(lists: {
  readonly include_tools?: readonly string[] | null | undefined
  readonly exclude_tools?: readonly string[] | null | undefined
}): readonly BuiltinTool[] {
  const { include_tools: include, exclude_tools: exclude } = lists
  return builtinTools.filter(
    ({ name }) => (include?.includes(name) ?? true) && !(exclude?.includes(name) ?? false),
  )
}

/** No calls after the answer of a tool: the model then answers. */
export function toolCalls({
  request,
  question,
  directives,
  seed,
}: {
  readonly request: ModelRequest
  readonly question: string
  readonly directives: Directives
  readonly seed: number
}): readonly ToolOrder[] {
  const answered = request.turns.at(-1)?.role === 'tool'
  if (request.client !== undefined) {
    const input = { text: question, ordered: directives.tools, implied: impliedCalls(question) }
    return clientCalls(request.client, { ...input, answered }, seed)
  }
  if (answered) return []
  const ordered = directives.tools.length > 0 ? directives.tools : impliedCalls(question)
  const orders =
    ordered.length === 0 && request.knowledge?.searchesByItself === true
      ? [searchFor(question)]
      : ordered
  return orders.filter(({ name }) => request.tools.includes(name))
}

export function asksForTool(question: string, directives: Directives): boolean {
  return directives.tools.length > 0 || impliedCalls(question).length > 0
}

/** The service runs its search within the turn; a client receives and runs all calls itself. */
export function toolStep(call: ToolOrder, request: ModelRequest, question: string): Step {
  const query = request.toolsRunBy === 'service' ? searchQuery(call, question) : undefined
  if (query === undefined) {
    return spoken({ type: 'function_call', name: call.name }, splitTokens(call.arguments))
  }
  const results = request.knowledge?.search(query) ?? []
  return spoken({ type: 'file_search', queries: [query], results }, [])
}

/** Query of a call of the search tool; undefined for calls of other tools. */
function searchQuery(call: ToolOrder, question: string): string | undefined {
  if (call.name !== searchTool) return undefined
  return asString(asObject(parseJson(call.arguments))?.['query']) ?? question
}

function impliedCalls(question: string): readonly ToolOrder[] {
  if (/what time is it|what(?:'s|’s| is) the time/i.test(question)) {
    return [{ name: 'get_time', arguments: '{"zone":"UTC"}' }]
  }
  const query = /search (?:the|your|our) (?:knowledge base|documents|files) for:? (\S.{0,500})/i
    .exec(question)?.[1]
    ?.trim()
  return query === undefined ? [] : [searchFor(query)]
}

function searchFor(query: string): ToolOrder {
  return { name: searchTool, arguments: JSON.stringify({ query }) }
}

interface Question {
  readonly text: string
  /** Calls from directives of the prompt, sent unchanged. */
  readonly ordered: readonly ToolOrder[]
  /** Calls that the question implies without a function name, for functions with an open schema. */
  readonly implied: readonly ToolOrder[]
  /** True if the last turn is the answer of a tool. */
  readonly answered: boolean
}

/**
 * The functions that the question implies or names. `required` and a named choice force a call,
 * even after the answer of a tool; otherwise the model then answers.
 *
 * @throws UnsupportedSchema for parameters for which no arguments can be generated
 */
export function clientCalls(
  { functions, toolChoice, parallel }: ClientDemands,
  question: Question,
  seed: number,
): readonly ToolOrder[] {
  const called = (tool: FunctionTool) => callOf(tool, question, seed)
  if (typeof toolChoice === 'object') {
    return functions.filter(({ name }) => name === toolChoice.name).map(called)
  }
  const calls = question.answered ? [] : askedFor(functions, question, called)
  const [first] = functions
  const forced = toolChoice === 'required' && first !== undefined ? [called(first)] : []
  const answer = calls.length > 0 ? calls : forced
  return parallel ? answer : answer.slice(0, 1)
}

function askedFor(
  functions: readonly FunctionTool[],
  { text, ordered, implied }: Question,
  called: (tool: FunctionTool) => ToolOrder,
): readonly ToolOrder[] {
  if (ordered.length > 0) {
    return ordered.filter((order) => functions.some(({ name }) => name === order.name))
  }
  const isRequested = (tool: FunctionTool) =>
    isNamed(tool, text) || implied.some(({ name }) => name === tool.name)
  return functions.filter(isRequested).map(called)
}

function callOf(tool: FunctionTool, question: Question, seed: number): ToolOrder {
  const { name, parameters } = tool
  const isOpen = !('properties' in parameters)
  const isAvailable =
    question.ordered.find((order) => order.name === name) ??
    (isOpen ? question.implied.find((order) => order.name === name) : undefined)
  if (isAvailable !== undefined) return isAvailable
  const value = conformingValue({ type: 'object', ...parameters }, seed, hintsIn(question.text))
  return { name, arguments: JSON.stringify(value) }
}

/** "weather" and "get the weather" both name `get_weather`: all its words except access verbs must occur. */
function isNamed({ name }: FunctionTool, question: string): boolean {
  const spoken = new Set(wordsOf(question))
  const words = wordsOf(name).filter((word) => !accessVerbs.has(word))
  return words.length > 0 && words.every((word) => spoken.has(word))
}

const accessVerbs = new Set(['get', 'fetch', 'read', 'lookup', 'find', 'list', 'query', 'current'])

/** Words of a text, also of camel case and snake case. */
function wordsOf(text: string): string[] {
  return (text.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').match(/[\p{L}\p{N}]+/gu) ?? []).map(
    (word) => word.toLowerCase(),
  )
}
