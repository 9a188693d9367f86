/** The latest requests with their bodies, for tests that assert what a client sent. */
import { headersToShow, type Observer, requestLine, type Served } from './observe.ts'

export interface JournalEntry {
  readonly id: string | undefined
  /** ISO 8601. */
  readonly receivedAt: string
  readonly method: string
  /** Path without query. */
  readonly path: string
  readonly query: unknown
  /** Headers without their credentials. */
  readonly headers: Readonly<Record<string, unknown>>
  /** Name of the caller, never the key; empty without one. */
  readonly caller: string
  /** JSON value, or fields of a form; undefined without one, or if the request was refused unread. */
  readonly body: unknown
  readonly file:
    | { readonly filename: string; readonly contentType: string; readonly bytes: number }
    | undefined
  /** Null while the request is being answered. */
  readonly status: number | null
  /** True if the client disconnected before the answer was complete, or the connection was dropped. */
  readonly aborted: boolean
}

export interface Journal extends Observer {
  /** Oldest first. */
  entries(): readonly JournalEntry[]
  clear(): void
}

/** Keeps the latest 1,000 requests, and at most 16 MiB of their bodies. */
export function requestJournal(): Journal {
  let kept: Kept[] = []
  const drop = () => {
    let bytes = 0
    const first = kept.findLastIndex((one) => {
      bytes += one.bytes
      return bytes > maxBytes
    })
    kept = kept.slice(first + 1).slice(-maxEntries)
  }
  return {
    begins(served) {
      const receivedAt = new Date().toISOString()
      const one: Kept = { read: () => entryOf(served, receivedAt, false), bytes: 0 }
      kept.push(one)
      served.response.once('close', () => {
        const entry = entryOf(served, receivedAt, true)
        one.read = () => entry
        one.bytes = JSON.stringify(entry.body ?? null).length
        drop()
      })
    },
    entries: () => kept.map(({ read }) => read()),
    clear() {
      kept = []
    },
  }
}

interface Kept {
  read: () => JournalEntry
  /** Length of its body, set when it is answered. */
  bytes: number
}

const maxEntries = 1000
const maxBytes = 16 * 1024 * 1024

function entryOf(served: Served, receivedAt: string, isOver: boolean): JournalEntry {
  const { request, response, call } = served
  return {
    id: call?.id,
    receivedAt,
    ...requestLine(served),
    query: call?.query ?? {},
    headers: headersToShow(request.headers),
    caller: call?.caller ?? '',
    body: call?.body,
    file: call?.file && { ...call.file, bytes: call.file.bytes.length },
    status: isOver ? response.statusCode : null,
    aborted: isOver && !response.writableFinished,
  }
}
