/** Reading and editing JSON values, never in place. */
import { asObject, isObject, type JsonObject } from '../../../contract/json.ts'

export type Json = JsonObject

/** New values by path, or functions of the old ones. */
export type Fields = Readonly<Record<string, unknown>>

type Change = (old: unknown) => unknown

/**
 * Copy of a value with another one at a path such as `output.*.type`, or with the result of a function
 * of the old one; undefined removes the field. `*` matches all elements of an array. A path without a
 * match changes nothing, except that its last field may be new.
 */
export function setAt<Value>(value: Value, path: string, to: unknown): Value {
  const change: Change = typeof to === 'function' ? (old) => to(old) : () => to
  return putAt(value, path.split('.'), change) as Value
}

/** Copy of a value with others at several paths; see `setAt`. */
export function setAll<Value>(value: Value, fields: Fields): Value {
  return Object.entries(fields).reduce((changed, [path, to]) => setAt(changed, path, to), value)
}

function putAt(value: unknown, [name, ...rest]: readonly string[], change: Change): unknown {
  if (name === undefined) return change(value)
  if (Array.isArray(value)) {
    return value.map((element, at) =>
      name === '*' || name === String(at) ? putAt(element, rest, change) : element,
    )
  }
  if (!isObject(value)) return value
  const members: Record<string, unknown> = { ...value }
  if (rest.length > 0 && !(name in members)) return value
  members[name] = putAt(members[name], rest, change)
  return members
}

/** Maps every string of a JSON value; `name` is the field that contains it. */
export function mapStrings(
  value: unknown,
  change: (text: string, name: string) => string,
  name = '',
): unknown {
  if (typeof value === 'string') return change(value, name)
  if (Array.isArray(value)) return value.map((element) => mapStrings(element, change, name))
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, mapStrings(member, change, key)]),
  )
}

/** The object itself, or an empty one. */
export function toObject(value: unknown): Json {
  return asObject(value) ?? {}
}

export function toList(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(toObject) : []
}

/** Neither undefined nor null. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

export function isText(value: unknown): value is string {
  return typeof value === 'string'
}

/** A function that keeps only these fields of an object. */
export function pickMembers(...names: readonly string[]): (object: unknown) => Json {
  return (object) =>
    Object.fromEntries(Object.entries(toObject(object)).filter(([name]) => names.includes(name)))
}
