/** Identifiers as a replaceable part. */
import { randomUUID } from 'node:crypto'

export interface Ids {
  uuid(): string
  /** `<prefix>_` and 32 characters that no other id of this server has. */
  tagged(prefix: string): string
}

export const randomIds: Ids = {
  uuid: randomUUID,
  tagged: (prefix) => `${prefix}_${randomUUID().replaceAll('-', '')}`,
}
