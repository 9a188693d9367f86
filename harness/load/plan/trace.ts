import { asObject, parseJson } from '../../../contract/index.ts'

/** One line of a recorded workload. */
export interface TraceLine {
  /** Nanoseconds after the first line. */
  readonly atNs: number
  /** Entry of the mix; undefined draws one. */
  readonly transaction: string | undefined
  readonly promptWords: number | undefined
  readonly answerTokens: number | undefined
  readonly session: number | undefined
}

/** A line that is not a request; `line` counts from 1. */
export class TraceSyntaxError extends Error {
  override readonly name = 'TraceSyntaxError'
  readonly line: number

  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

/**
 * Reads one JSON object a line, in any order of time:
 *
 *     {"at": 1.25, "transaction": "v3-stream", "prompt": 80, "answer": 200, "session": "a"}
 *
 * `at` is seconds, `prompt` words, `answer` tokens; only the time is required. The names of published traces
 * are accepted, too: `timestamp` in milliseconds, `input_length` and `output_length`
 * (Mooncake, Qin et al. 2024).
 *
 * @throws TraceSyntaxError
 */
export function readTrace(text: string): TraceLine[] {
  const sessions = new Map<string, number>()
  const lines = text.split(/\r?\n/).flatMap((line, at) => {
    return line.trim() === '' ? [] : [readLine(line, at + 1, sessions)]
  })
  if (lines.length === 0) throw new TraceSyntaxError(1, 'there is no request in it')
  const first = lines.reduce(
    (minimum, { atNs }) => Math.min(minimum, atNs),
    Number.POSITIVE_INFINITY,
  )
  return lines.map((line) => ({ ...line, atNs: line.atNs - first })).sort((a, b) => a.atNs - b.atNs)
}

function readLine(text: string, line: number, sessions: Map<string, number>): TraceLine {
  const value = asObject(parseJson(text))
  if (value === undefined) throw new TraceSyntaxError(line, 'is no JSON object')
  const { at, timestamp, transaction, session } = value
  const seconds = at ?? (typeof timestamp === 'number' ? timestamp / 1000 : undefined)
  if (typeof seconds !== 'number' || !(seconds >= 0)) {
    throw new TraceSyntaxError(line, 'at: must be a number of seconds')
  }
  if (transaction !== undefined && typeof transaction !== 'string') {
    throw new TraceSyntaxError(line, 'transaction: must be the name of an entry of the mix')
  }
  return {
    atNs: Math.round(seconds * 1e9),
    transaction,
    promptWords: length(value, line, 'prompt', 'input_length'),
    answerTokens: length(value, line, 'answer', 'output_length'),
    session: session === undefined ? undefined : numberOf(JSON.stringify(session), sessions),
  }
}

function length(
  value: Readonly<Record<string, unknown>>,
  line: number,
  ...names: readonly [string, string]
): number | undefined {
  const name = names.find((name) => value[name] !== undefined)
  if (name === undefined) return undefined
  const found = value[name]
  if (typeof found === 'number' && Number.isInteger(found) && found >= 1) return found
  throw new TraceSyntaxError(line, `${name}: must be a whole number from 1 up`)
}

function numberOf(session: string, sessions: Map<string, number>): number {
  const index = sessions.get(session) ?? sessions.size
  sessions.set(session, index)
  return index
}
