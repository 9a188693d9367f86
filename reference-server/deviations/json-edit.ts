/** Editing JSON values by path, without touching the original. */

type Change = (old: unknown) => unknown

/**
 * A copy in which what stands at a path is another value, or what a function makes of it; undefined
 * takes the member away. `*` stands for every element of an array; a path that leads nowhere changes
 * nothing, but for its last name, which may be new.
 */
export function setAt<Value>(value: Value, path: string, to: unknown): Value {
  const change: Change = typeof to === 'function' ? (old) => to(old) : () => to
  return putAt(value, path.split('.'), change) as Value
}

function putAt(value: unknown, [name, ...rest]: readonly string[], change: Change): unknown {
  if (name === undefined) return change(value)
  if (Array.isArray(value)) {
    return value.map((element, at) =>
      name === '*' || name === String(at) ? putAt(element, rest, change) : element,
    )
  }
  if (typeof value !== 'object' || value === null) return value
  const members: Record<string, unknown> = { ...value }
  if (rest.length > 0 && !(name in members)) return value
  members[name] = putAt(members[name], rest, change)
  return members
}
