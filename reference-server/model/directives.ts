/** Directives: commands in a prompt for the fake model. */
import { parseJson } from '../../contract/json.ts'
import { type Pace, PaceSyntaxError, parsePartialPace } from '../runtime/pace.ts'
import type { Disruption } from './types.ts'

export interface ToolOrder {
  readonly name: string
  /** JSON in a string. */
  readonly arguments: string
}

export interface Directives {
  readonly tokens?: number
  readonly say?: string
  readonly think?: number
  readonly tools: readonly ToolOrder[]
  readonly error?: number
  readonly fail?: number
  readonly disruption?: Disruption
  readonly refuse: boolean
  readonly pace: Partial<Pace>
  /** Text that looks like a directive but is not one. */
  readonly mistyped: readonly string[]
}

const maxAnswerTokens = 100_000

/**
 * Reads the directives of the last user message, anywhere in its text:
 *
 * | Directive | Effect |
 * |---|---|
 * | `[[tokens=200]]` | the answer has exactly 200 tokens (at most 100,000) |
 * | `[[say=any text]]` | the answer is exactly that text |
 * | `[[think=40]]` | with `think`: the reasoning has exactly 40 tokens |
 * | `[[tool=get_time {"zone":"UTC"}]]` | calls that tool with those arguments, if it is available; may be repeated |
 * | `[[refuse]]` | refuses, in the contract's own form |
 * | `[[error=503]]` | no answer: an HTTP error of that status, 400 to 599 |
 * | `[[fail=12]]` | fails in mid-stream, after 12 tokens of the answer |
 * | `[[drop=12]]` | the connection ends after 12 tokens, without the end of the answer |
 * | `[[malformed=12]]` | an event after 12 tokens is truncated |
 * | `[[stall=12]]` | nothing follows 12 tokens, until the client disconnects |
 * | `[[pace=ttft=200ms,gap=20ms]]` | speaks at that pace instead of the server's |
 *
 * Invalid directives and those after the 32nd are treated as text.
 */
export function readDirectives(prompt: string): Directives {
  const tools: ToolOrder[] = []
  const mistyped: string[] = []
  let found: Omit<Directives, 'tools' | 'mistyped'> = { refuse: false, pace: {} }
  for (const { 0: opening, 1: name = '', 2: rest = '', index } of openingsIn(prompt)) {
    const from = index + opening.length
    const isBare = rest.endsWith(']]')
    const value = isBare ? '' : valueAt(prompt, from, name)
    const isExact = Object.hasOwn(readers, name) && (rest === '=' || rest === ']]')
    const read = isExact && value !== undefined ? (readers[name]?.(value) ?? {}) : {}
    const { tools: called, ...others } = read
    found = { ...found, ...others }
    tools.push(...(called ?? []))
    if (Object.keys(others).length > 0 || (called ?? []).length > 0) continue
    if (isBare) mistyped.push(opening)
    else if (value !== undefined) mistyped.push(`${opening}${value}]]`)
    else if (isKnown(name)) mistyped.push(prompt.slice(index, from + unclosedShown))
  }
  return { ...found, tools, mistyped }
}

type Reader = (value: string) => Partial<Directives>

const readers: Readonly<Record<string, Reader>> = {
  tool: (value) => ({ tools: toolOrder(value) }),
  say: (say) => ({ say }),
  refuse: () => ({ refuse: true }),
  pace,
  tokens: count((tokens) => ({ tokens })),
  think: count((think) => ({ think })),
  fail: count((fail) => ({ fail })),
  drop: disruption('drop'),
  malformed: disruption('malformed'),
  stall: disruption('stall'),
  error: count((error) => (error < 400 ? {} : { error }), 599),
}

function count(use: (count: number) => Partial<Directives>, max = maxAnswerTokens): Reader {
  return (value) => (/^\d{1,9}$/.test(value) ? use(Math.min(Number(value), max)) : {})
}

function disruption(kind: Disruption['kind']): Reader {
  return count((afterTokens) => ({ disruption: { kind, afterTokens } }))
}

function pace(value: string): Partial<Directives> {
  try {
    return { pace: parsePartialPace(value) }
  } catch (error) {
    if (error instanceof PaceSyntaxError) return {}
    throw error
  }
}

function toolOrder(value: string): ToolOrder[] {
  const match = /^([\w-]{1,64})(?:\s+(\S.*))?$/s.exec(value.trim())
  if (match?.[1] === undefined) return []
  const given = match[2] ?? '{}'
  return parseJson(given) !== undefined ? [{ name: match[1], arguments: given }] : []
}

/** Limits, so that every prompt is read quickly. */
const directivesRead = 32
/** JSON may contain `]]`: further closings are then tried. */
const closingsTried = 8

/**
 * Openings of directives, also mistyped ones such as `[[Tokens=5]]` and `[[tokens: 5]]`. Other words without `=`
 * may be wiki links.
 */
const opened = /\[\[( {0,3}[A-Za-z_-]{1,16})( {0,3}(?:=|\]\]|:)| )/g
/** Characters that are shown of a directive that is never closed. */
const unclosedShown = 20

function openingsIn(prompt: string) {
  return [...prompt.matchAll(opened)]
    .filter(({ 1: name = '', 2: rest }) => rest === '=' || isKnown(name))
    .slice(0, directivesRead)
}

function isKnown(name: string): boolean {
  return Object.hasOwn(readers, name.trim().toLowerCase())
}

/** The text up to the next closing, or for a tool up to the first one at which its arguments are complete. */
function valueAt(prompt: string, from: number, name: string): string | undefined {
  let first: string | undefined
  let end = prompt.indexOf(']]', from)
  for (let tried = 0; end >= 0 && tried < closingsTried; tried += 1) {
    const value = prompt.slice(from, end)
    if (name !== 'tool' || toolOrder(value).length > 0) return value
    first ??= value
    end = prompt.indexOf(']]', end + 1)
  }
  return first
}
