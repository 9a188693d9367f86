import { isUuid } from '../../../contract/index.ts'

/** Tests if a text occurs among the values of a body; a UUID may be in capitals. */
export function contains(body: unknown, text: string): boolean {
  const form = isUuid(text) ? (value: string) => value.toLowerCase() : (value: string) => value
  const needle = form(text)
  return someValue(body, (value) => typeof value === 'string' && form(value).includes(needle))
}

/** Tests if a body holds an array at any depth. */
export function holdsList(body: unknown): boolean {
  return someValue(body, Array.isArray)
}

function someValue(body: unknown, matches: (value: unknown) => boolean): boolean {
  const queue: unknown[] = [body]
  // The queue grows while it is walked.
  for (const value of queue) {
    if (matches(value)) return true
    if (typeof value === 'object' && value !== null) {
      for (const inner of Object.values(value)) queue.push(inner)
    }
  }
  return false
}
