import { asString, isObject } from '../../contract/json.ts'

/** An index as the contract defines it: a nonnegative integer. */
export function asIndex(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined
}

/** A value for a sentence, cut if it is long. */
export function show(value: unknown): string {
  let text = 'missing'
  try {
    // JSON of a target may have a number beyond the range of a double, which JSON.stringify shows as null.
    if (value !== undefined) text = typeof value === 'number' ? `${value}` : JSON.stringify(value)
  } catch {
    text = 'a value that is nested too deeply'
  }
  return text.length <= 80 ? text : `${text.slice(0, 60)}… (${text.length} characters)`
}

/** A text as it is, any other value as in `show`. */
export function wordOf(value: unknown): string {
  return asString(value) ?? show(value)
}

/** Maximum depth: deeper JSON could exhaust the stack, and no response needs it. */
const maxDepth = 200

/**
 * Tests if two values agree. A field that only one object has, or has as null, is not a difference: optional
 * fields may be omitted in one place and shown in another.
 */
export function agrees(a: unknown, b: unknown, depth = 0): boolean {
  if (depth > maxDepth) return true
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((value, at) => agrees(value, b[at], depth + 1))
  }
  if (isObject(a) && isObject(b)) {
    return Object.keys(a).every(
      (key) => a[key] == null || b[key] == null || agrees(a[key], b[key], depth + 1),
    )
  }
  return Object.is(a, b)
}
