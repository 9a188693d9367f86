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
 * | `[[malformed=12]]` | an event after 12 tokens is cut short |
 * | `[[stall=12]]` | nothing follows 12 tokens, until the client leaves |
 * | `[[pace=ttft=200ms,gap=20ms]]` | speaks at that pace instead of the server's |
 *
 * Invalid directives and those after the 32nd are treated as text.
 */
export function readDirectives(prompt: string): Directives {
  const tools: ToolOrder[] = []
  const mistyped: string[] = []
  let found: Omit<Directives, 'tools' | 'mistyped'> = { refuse: false, pace: {} }
  for (const { name, value, text } of scan(prompt)) {
    const read = Object.hasOwn(readers, name) ? (readers[name]?.(value) ?? {}) : {}
    if (Object.keys(read).length === 0 || read.tools?.length === 0) mistyped.push(text)
    tools.push(...(read.tools ?? []))
    const { tools: _, ...others } = read
    found = { ...found, ...others }
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

interface Scanned {
  /** Empty if it is not the name of a directive. */
  readonly name: string
  readonly value: string
  /** The directive with its brackets. */
  readonly text: string
}

function* scan(prompt: string): Generator<Scanned> {
  const openings = [...prompt.matchAll(opened)]
    .map(({ 0: opening, 1: name = '', 2: rest = '', index }) => {
      const isKnown = Object.hasOwn(readers, name.trim().toLowerCase())
      return { opening, name, rest, index, isKnown }
    })
    .filter(({ rest, isKnown }) => isKnown || rest === '=')
    .slice(0, directivesRead)
  for (const { opening, name, rest, index, isKnown } of openings) {
    if (rest.endsWith(']]')) {
      yield { name: rest === ']]' ? name : '', value: '', text: opening }
      continue
    }
    const from = index + opening.length
    const closed = upToClosing(prompt, from)
    const value = name === 'tool' ? (balanced(prompt, from) ?? closed) : closed
    if (value !== undefined) {
      yield { name: rest === '=' ? name : '', value, text: `${opening}${value}]]` }
    } else if (isKnown) {
      yield { name: '', value: '', text: prompt.slice(index, from + unclosedShown) }
    }
  }
}

function upToClosing(prompt: string, from: number): string | undefined {
  const end = prompt.indexOf(']]', from)
  return end < 0 ? undefined : prompt.slice(from, end)
}

function balanced(prompt: string, from: number): string | undefined {
  let end = prompt.indexOf(']]', from)
  for (let tried = 0; end >= 0 && tried < closingsTried; tried += 1) {
    const value = prompt.slice(from, end)
    if (toolOrder(value).length > 0) return value
    end = prompt.indexOf(']]', end + 1)
  }
  return undefined
}
