/** The tools of the service, and when the fake model calls one. */
import type { Directives, ToolOrder } from './directives.ts'
import type { ModelRequest } from './types.ts'

export interface BuiltinTool {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly parameters: object
}

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
    name: 'file_search',
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
): readonly ToolOrder[] {
  if (request.turns.at(-1)?.role === 'tool') return []
  const ordered = directives.tools.length > 0 ? directives.tools : impliedCalls(question)
  return ordered.filter(({ name }) => request.tools.includes(name))
}

export function asksForTool(question: string, directives: Directives): boolean {
  return directives.tools.length > 0 || impliedCalls(question).length > 0
}

function impliedCalls(question: string): readonly ToolOrder[] {
  return /what time is it|what(?:'s|’s| is) the time/i.test(question)
    ? [{ name: 'get_time', arguments: '{"zone":"UTC"}' }]
    : []
}
