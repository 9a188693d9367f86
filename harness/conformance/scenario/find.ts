/** Finding by value what the document does not place: identifiers, names, cursors, lists. */

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && uuid.test(value)
}

/** Names under which an answer may tell the id of a chat. */
export const chatIdNames: readonly string[] = ['id', 'chat_id', 'chatId', 'uuid']

export interface Leaf {
  readonly path: readonly string[]
  readonly value: unknown
}

/** Keys from the outside to a value; the paths of deeper ones would take the square of their depth. */
const maxDepth = 200

/** Every value that is neither object nor array, from the outside to the inside. */
export function leavesOf(value: unknown): Leaf[] {
  const leaves: Leaf[] = []
  const queue: Leaf[] = [{ path: [], value }]
  // The queue grows while it is walked through.
  for (const next of queue) {
    const { path, value: at } = next
    if (typeof at === 'object' && at !== null) {
      if (path.length === maxDepth) continue
      for (const key of Object.keys(at)) {
        queue.push({ path: [...path, key], value: Reflect.get(at, key) })
      }
    } else leaves.push(next)
  }
  return leaves
}

/**
 * The id in an answer that tells of one new thing: a UUID under a key that is named for it, nearest
 * to the outside; else the only UUID there is.
 */
export function findNewId(body: unknown, names: readonly string[]): string | undefined {
  const found = leavesOf(body).filter((leaf) => isUuid(leaf.value))
  const named = found.find((leaf) => names.includes(leaf.path.at(-1) ?? ''))
  const chosen = named ?? (found.length === 1 ? found[0] : undefined)
  return typeof chosen?.value === 'string' ? chosen.value : undefined
}

/** Whether a text occurs anywhere among the values; a UUID may be written in capitals. */
export function contains(body: unknown, text: string): boolean {
  const form = isUuid(text) ? (value: string) => value.toLowerCase() : (value: string) => value
  const sought = form(text)
  const queue: unknown[] = [body]
  for (const value of queue) {
    if (typeof value === 'string' && form(value).includes(sought)) return true
    if (isRecord(value)) for (const inner of Object.values(value)) queue.push(inner)
  }
  return false
}

/** Whether a body holds an array, at whatever depth. */
export function holdsList(body: unknown): boolean {
  const queue: unknown[] = [body]
  for (const value of queue) {
    if (Array.isArray(value)) return true
    if (isRecord(value)) for (const inner of Object.values(value)) queue.push(inner)
  }
  return false
}

/** RFC 6901; undefined where it leads nowhere. */
export function valueAt(body: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), body)
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
