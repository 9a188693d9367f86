/** Identifiers as a replaceable part. */
import { randomUUID } from 'node:crypto'

export interface Ids {
  uuid(): string
  /** `<prefix>_` and 32 characters that no other id of this server has. */
  tagged(prefix: string): string
}

export const randomIds: Ids = {
  uuid: randomUUID,
  tagged: (prefix) => `${prefix}_${withoutHyphens(randomUUID())}`,
}

function withoutHyphens(uuid: string): string {
  const [a, b, c, e] = [uuid.slice(0, 8), uuid.slice(9, 13), uuid.slice(14, 18), uuid.slice(19, 23)]
  return a + b + c + e + uuid.slice(24)
}
