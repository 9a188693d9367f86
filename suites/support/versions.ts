import { isRecord } from '../../harness/conformance/scenario/index.ts'

/**
 * The versions that an answer states of a chat: values of the objects that show its id. A version
 * anywhere else may be an echo of the request.
 */
export function versionsOf(body: unknown, chatId: string): string[] {
  return recordsIn(body)
    .map((record) => Object.values(record))
    .filter((values) => values.some((value) => isSameId(value, chatId)))
    .flatMap((values) => values.filter((value) => value === 'v2' || value === 'v3'))
}

function isSameId(value: unknown, id: string): boolean {
  return typeof value === 'string' && value.toLowerCase() === id.toLowerCase()
}

/** Every object, from the outside to the inside. */
function recordsIn(body: unknown): Record<string, unknown>[] {
  const queue: unknown[] = [body]
  for (const value of queue) if (isRecord(value)) queue.push(...Object.values(value))
  return queue.filter(isRecord).filter((value) => !Array.isArray(value))
}
