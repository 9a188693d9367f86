/** The requests of one case. */
import { randomUUID } from 'node:crypto'

export interface BenchRequest {
  /** Base address. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
  /** The chat of the next turn of a connection; null for what is not stored. */
  readonly chat: ((connection: number) => string) | null
}

export function nextRequest(
  { headers, body, chat }: BenchRequest,
  connection: number,
): { headers: Record<string, string>; body: string } {
  if (chat === null) return { headers: { ...headers }, body: JSON.stringify(body) }
  return {
    headers: { ...headers, 'idempotency-key': randomUUID() },
    body: JSON.stringify({ chat_id: chat(connection), ...body }),
  }
}
