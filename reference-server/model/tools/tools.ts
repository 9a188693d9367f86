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

const builtinTools = [
  builtinTool('get_time', 'Tells the time of day', 'zone'),
  builtinTool('get_weather', 'Tells the weather of a place', 'place'),
  builtinTool(searchTool, 'Searches the knowledge base', 'query'),
]

function builtinTool(name: string, description: string, argument: string): BuiltinTool {
  const parameters = { type: 'object', properties: { [argument]: { type: 'string' } } }
  return { name, description, parameters }
}

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

/** A request and what its last user message says. */
export interface PromptContext {
  readonly seed: number
  readonly request: ModelRequest
  readonly question: string
  readonly directives: Directives
}

/** No calls after the answer of a tool, unless a client forces one: the model then answers. */
export function toolCalls(context: PromptContext): readonly ToolOrder[] {
  const { request, question, directives } = context
  const { client, knowledge, turns } = request
  const answered = turns.at(-1)?.role === 'tool'
  if (client !== undefined) return clientCalls(client, context, answered)
  if (answered) return []
  const ordered = directives.tools.length > 0 ? directives.tools : impliedCalls(question)
  const searches = ordered.length === 0 && knowledge?.searchesByItself === true
  const orders = searches ? [searchFor(question)] : ordered
  return orders.filter(({ name }) => request.tools.includes(name))
}

export function asksForTool(question: string, directives: Directives): boolean {
  return directives.tools.length > 0 || impliedCalls(question).length > 0
}

/** The service runs its search within the turn; a client receives and runs all calls itself. */
export function toolStep(call: ToolOrder, request: ModelRequest, question: string): Step {
  if (request.toolsRunBy === 'client' || call.name !== searchTool) {
    return spoken({ type: 'function_call', name: call.name }, splitTokens(call.arguments))
  }
  const query = asString(asObject(parseJson(call.arguments))?.['query']) ?? question
  const results = request.knowledge?.search(query) ?? []
  return spoken({ type: 'file_search', queries: [query], results }, [])
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

/**
 * The functions that the question implies or names. `required` and a named choice force a call,
 * even after the answer of a tool; otherwise the model then answers.
 *
 * @throws UnsupportedSchema for parameters for which no arguments can be generated
 */
function clientCalls(
  { functions, toolChoice, parallel }: ClientDemands,
  { seed, question, directives: { tools: ordered } }: PromptContext,
  answered: boolean,
): readonly ToolOrder[] {
  const implied = impliedCalls(question)
  const offered = functions.map(({ name }) => name)

  /** Calls from the prompt are sent unchanged; implied ones only to functions with an open schema. */
  const called = ({ name, parameters }: FunctionTool): ToolOrder => {
    const given = [...ordered, ...('properties' in parameters ? [] : implied)]
    const own = given.find((order) => order.name === name)
    if (own !== undefined) return own
    const value = conformingValue({ type: 'object', ...parameters }, seed, hintsIn(question))
    return { name, arguments: JSON.stringify(value) }
  }
  const requestedCalls = () =>
    ordered.length > 0
      ? ordered.filter(({ name }) => offered.includes(name))
      : functions
          .filter(({ name }) => isNamed(name, question) || implied.some((one) => one.name === name))
          .map(called)

  if (typeof toolChoice === 'object') {
    return functions.filter(({ name }) => name === toolChoice.name).map(called)
  }
  const calls = answered ? [] : requestedCalls()
  const forced = toolChoice === 'required' ? functions.slice(0, 1).map(called) : []
  const answer = calls.length > 0 ? calls : forced
  return parallel ? answer : answer.slice(0, 1)
}

/** "weather" and "get the weather" both name `get_weather`: all its words except access verbs must occur. */
function isNamed(name: string, question: string): boolean {
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
