/** The tools of the service, and when the fake model calls one. */

import type { Directives, ToolOrder } from '../directives.ts'
import type { ModelRequest } from '../types.ts'
import { clientCalls } from './client-tools.ts'

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

/** No call once a tool has answered: the model then speaks. */
export function toolCalls(
  request: ModelRequest,
  question: string,
  directives: Directives,
  seed: number,
): readonly ToolOrder[] {
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

/** Query of a call of the search tool; undefined for calls of other tools. */
export function searchQuery(call: ToolOrder, question: string): string | undefined {
  if (call.name !== searchTool) return undefined
  const given: unknown = JSON.parse(call.arguments)
  const query = typeof given === 'object' && given !== null && 'query' in given && given.query
  return typeof query === 'string' ? query : question
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
