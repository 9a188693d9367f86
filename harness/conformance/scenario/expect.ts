/**
 * Assertions of scenarios. Verdicts quote their messages, so these describe the violation in terms of the
 * contract, with expected and received, and not the comparison.
 */
import { isDeepStrictEqual } from 'node:util'

/** Violation of a requirement by the target; its message becomes the verdict's. */
export class ContractViolation extends Error {
  override readonly name = 'ContractViolation'
  readonly code = 'contract_violation'
}

/**
 * `what` names the value ("status of the repeat") or, for true and false, is a clause that is true or not
 * ("the history contains the question").
 *
 * @throws ContractViolation from its methods
 */
export function expect(actual: unknown, what: string) {
  const must = (holds: boolean, expected: string, received = show(actual)) => {
    if (!holds) throw new ContractViolation(`${what}: expected ${expected}, received ${received}`)
  }
  const mustEqual = (expected: unknown, holds: boolean) => {
    const from = show(expected) === show(actual) ? firstDifference(expected, actual) : 0
    must(holds, showFrom(expected, from), showFrom(actual, from))
  }
  const number = typeof actual === 'number' ? actual : Number.NaN
  const kind = Array.isArray(actual) ? 'a list' : 'a string'
  const length = typeof actual === 'string' || Array.isArray(actual) ? actual.length : undefined
  return {
    /** Compares by identity; messages show true and false as yes and no. */
    toBe(expected: unknown) {
      if (typeof expected !== 'boolean') mustEqual(expected, Object.is(actual, expected))
      else must(actual === expected, expected ? 'yes' : 'no', expected ? 'no' : 'yes')
    },
    toEqual: (expected: unknown) => mustEqual(expected, isDeepStrictEqual(actual, expected)),
    /** A part of a text or an element of a list. */
    toContain: (part: unknown) => must(contains(actual, part), `${kind} containing ${show(part)}`),
    toHaveLength: (expected: number) =>
      must(length === expected, String(expected), String(length ?? 'none')),
    toBeTypeOf: (type: keyof typeof article) =>
      must(actual !== null && typeof actual === type, article[type]),
    toBeDefined: () => must(actual !== undefined, 'a value'),
    toBeNull: () => must(actual === null, 'null'),
    toBeLessThan: (bound: number) => must(number < bound, `less than ${bound}`),
    toBeLessThanOrEqual: (bound: number) => must(number <= bound, `at most ${bound}`),
    toBeGreaterThan: (bound: number) => must(number > bound, `more than ${bound}`),
    toBeGreaterThanOrEqual: (bound: number) => must(number >= bound, `at least ${bound}`),
    not: {
      toBe: (unexpected: unknown) => must(!Object.is(actual, unexpected), otherThan(unexpected)),
      toEqual: (unexpected: unknown) =>
        must(!isDeepStrictEqual(actual, unexpected), otherThan(unexpected)),
      toContain: (part: unknown) => must(!contains(actual, part), `${kind} without ${show(part)}`),
    },
  }
}

const article = { string: 'a string', number: 'a number', object: 'an object' } as const

function otherThan(value: unknown): string {
  if (value === '') return 'a non-empty string'
  return Array.isArray(value) && value.length === 0
    ? 'at least one'
    : `a value other than ${show(value)}`
}

function contains(whole: unknown, part: unknown): boolean {
  if (typeof whole === 'string') return typeof part === 'string' && whole.includes(part)
  return Array.isArray(whole) && whole.includes(part)
}

const maxElements = 3
const maxCharacters = 160
const shownCharacters = 60

/** A value for a sentence: long texts are shortened, long lists have their length. */
function show(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === '') return 'an empty string'
  if (!Array.isArray(value)) return shortened(JSON.stringify(value))
  if (value.length === 0) return 'none'
  const first = value.slice(0, maxElements).map((element) => show(element))
  const rest = value.length > maxElements ? `, … (${value.length} in all)` : ''
  return shortened(first.join(', ')) + rest
}

/** Position of the first difference between two long values that look alike when cut. */
function firstDifference(a: unknown, b: unknown): number {
  if (typeof a === 'string' && typeof b === 'string') return firstDifference([...a], [...b])
  if (!Array.isArray(a) || !Array.isArray(b)) return 0
  const different = a.findIndex((element, at) => !isDeepStrictEqual(element, b[at]))
  return Math.max(0, different)
}

function showFrom(value: unknown, from: number): string {
  if (from === 0) return show(value)
  const rest = typeof value === 'string' ? [...value].slice(from).join('') : value
  return `${show(Array.isArray(rest) ? rest.slice(from) : rest)} from position ${from + 1}`
}

function shortened(text: string): string {
  if (text.length <= maxCharacters) return text
  return `${text.slice(0, shownCharacters)}… (${text.length} characters)`
}
