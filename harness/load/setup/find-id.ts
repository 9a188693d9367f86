/** Finding the id of a new chat in an answer whose shape the document does not show. */

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const names: ReadonlySet<string> = new Set(['id', 'chat_id', 'chatId', 'uuid'])

/** The UUID under a key that is named for it, nearest to the outside. */
export function findId(body: unknown): string | undefined {
  const queue: unknown[] = [body]
  for (let next = 0; next < Math.min(queue.length, mostLookedAt); next += 1) {
    const at = queue[next]
    if (typeof at !== 'object' || at === null) continue
    for (const [key, value] of Object.entries(at)) {
      if (names.has(key) && typeof value === 'string' && uuid.test(value)) return value
    }
    for (const value of Object.values(at)) if (value !== undefined) queue.push(value)
  }
  return undefined
}

/** An answer about one chat is far smaller. */
const mostLookedAt = 10_000

/** RFC 6901; undefined where it leads nowhere. */
export function valueAt(body: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (at, key) =>
        typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[key] : undefined,
      body,
    )
}
