/** Narrowing JSON of unknown shape, and finding values in it. Nothing here recurses or throws. */

export type JsonObject = Readonly<Record<string, unknown>>

/** A JSON object; an array is not one. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function asObject(value: unknown): JsonObject | undefined {
  return isObject(value) ? value : undefined
}

export function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** The array itself, or an empty one. */
export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The value of a JSON text; undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && uuid.test(value)
}

/** Keys under which an answer may carry the id of a chat. */
export const chatIdNames: readonly string[] = ['id', 'chat_id', 'chatId', 'uuid']

/**
 * The id of one new resource in an answer of unknown shape: the outermost UUID under one of the
 * `names`, in document order within one depth; otherwise the only UUID of the answer.
 */
export function findId(body: unknown, names: readonly string[]): string | undefined {
  let unnamed: string | undefined
  let count = 0
  for (const { key, value } of nodesOf(body)) {
    if (!isUuid(value)) continue
    if (names.includes(key)) return value
    unnamed = value
    count += 1
  }
  return count === 1 ? unnamed : undefined
}

/**
 * Every value of a JSON value, itself first, breadth first. `key`: name of the field or index of the element; empty at
 * the root.
 */
export function nodesOf(root: unknown) {
  const nodes: { readonly key: string; readonly value: unknown }[] = []
  someValue(root, (value, key) => {
    nodes.push({ key, value })
    return false
  })
  return nodes
}

/** Tests if a JSON value, or any value within it, passes; `key` as in {@link nodesOf}. */
export function someValue(
  root: unknown,
  passes: (value: unknown, key: string) => boolean,
): boolean {
  if (passes(root, '')) return true
  // The list grows while it is walked.
  const inner: object[] = typeof root === 'object' && root !== null ? [root] : []
  for (const parent of inner) {
    for (const key of Object.keys(parent)) {
      const value: unknown = parent[key as keyof typeof parent]
      if (passes(value, key)) return true
      if (typeof value === 'object' && value !== null) inner.push(value)
    }
  }
  return false
}

export interface JsonLeaf {
  readonly path: readonly string[]
  readonly value: unknown
}

/** Maximum length of a path: the memory for longer paths grows with the square of the depth. */
const maxDepth = 200

/** Every value that is neither object nor array, breadth first, with its path. */
export function leavesOf(value: unknown): JsonLeaf[] {
  const leaves: JsonLeaf[] = []
  const queue: JsonLeaf[] = [{ path: [], value }]
  // The queue grows while it is walked.
  for (const next of queue) {
    const { path, value: at } = next
    if (typeof at === 'object' && at !== null) {
      if (path.length === maxDepth) continue
      for (const [key, inner] of Object.entries(at)) {
        queue.push({ path: [...path, key], value: inner })
      }
    } else leaves.push(next)
  }
  return leaves
}

/** The value at a JSON pointer (RFC 6901); undefined if there is none. */
export function valueAt(body: unknown, pointer: string): unknown {
  if (pointer !== '' && !pointer.startsWith('/')) return undefined
  let value = body
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~')
    if (Array.isArray(value)) value = arrayIndex.test(key) ? value[Number(key)] : undefined
    else if (isObject(value) && Object.hasOwn(value, key)) value = value[key]
    else return undefined
  }
  return value
}

/** RFC 6901, section 4: no sign and no leading zero. */
const arrayIndex = /^(?:0|[1-9]\d*)$/

const quote = 34
const backslash = 92
const opening = new Set([91, 123])
const closing = new Set([93, 125])

/** Tests if JSON text is nested deeper than `maxDepth` levels: code that reads it may be recursive. */
export function isDeeperThan(text: string, maxDepth: number): boolean {
  // Each level needs a bracket.
  if (text.length <= maxDepth) return false
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === backslash) at += 1
      else if (code === quote) inString = false
    } else if (code === quote) inString = true
    else if (opening.has(code)) {
      depth += 1
      if (depth > maxDepth) return true
    } else if (closing.has(code)) depth -= 1
  }
  return false
}
