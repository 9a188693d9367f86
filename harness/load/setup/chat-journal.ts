import { type JournalEntry, journalLine } from '../../../contract/index.ts'
import { messageOf } from '../../../contract/text.ts'
import { RedactingWriter } from '../../client/redaction/redacting-writer.ts'
import { createRedactor, type Secret } from '../../client/redaction/redaction.ts'

/** Names written at a time; if a worker is killed, up to this many may not exist. */
const reservedNames = 64
const flushMs = 50

/**
 * The chats of a worker, in the creation journal of its run. A name is written before it is used, with others
 * in one write; its outcome follows soon, because a lost line costs no more than a search for the name.
 * Threads and processes append whole lines to one file.
 * @param prefix of every name
 */
export function chatJournal(file: string | undefined, prefix: string, secrets: readonly Secret[]) {
  const redact = createRedactor(secrets).text
  const writer = new RedactingWriter(secrets)
  const lineOf = (entry: JournalEntry) => journalLine(entry, redact)
  const unused: string[] = []
  let [count, lines] = [0, '']
  let flushing: NodeJS.Timeout | undefined
  let written = Promise.resolve()
  let writeError: string | undefined
  const flush = () => {
    clearTimeout(flushing)
    flushing = undefined
    const pending = lines
    if (file === undefined || pending === '') return
    lines = ''
    written = written
      .then(() => writer.appendSoon(file, pending))
      .catch((error: unknown) => {
        writeError ??= messageOf(error)
      })
  }
  const put = (entry: JournalEntry) => {
    if (file === undefined) return
    lines += lineOf(entry)
    flushing ??= setTimeout(flush, flushMs)
  }
  /** Notes that no chat of this name exists. */
  const refused = (name: string) => put({ event: 'refused', ...chatEntry(name) })
  return {
    /** Reserves the name of a chat that is about to be created. */
    name(): string {
      const free = unused.pop()
      if (free !== undefined) return free
      const names = Array.from({ length: reservedNames }, () => `${prefix}${++count}`)
      if (file !== undefined) {
        const created = names.map((name) => lineOf({ event: 'create', ...chatEntry(name) }))
        writer.append(file, created.join(''))
      }
      unused.push(...names.slice(1).reverse())
      return names[0] ?? ''
    },
    created: (name: string, id: string) => put({ event: 'created', ...chatEntry(name), id }),
    refused,
    deleted: (id: string) => put({ event: 'deleted', kind: 'chat', id }),
    /** Releases unused names and writes everything; returns the reason why lines could not be written. */
    async close(): Promise<string | undefined> {
      for (const name of unused.splice(0)) refused(name)
      flush()
      await written
      return writeError
    },
  }
}

function chatEntry(name: string) {
  return { kind: 'chat', name, scenario: 'load' } as const
}

/** A failed setup or cleanup request, with its number of occurrences; structured-cloneable. */
export interface Warning {
  readonly text: string
  /** Null without an answer, or if the status does not matter. */
  readonly status: number | null
  readonly count: number
}

/** Adds up the warnings of one text and status. */
export function countWarnings(warnings: readonly Warning[]): readonly Warning[] {
  const alike = Map.groupBy(warnings, ({ text, status }) => `${status} ${text}`)
  return [...alike.values()].flatMap((all) => {
    const count = all.reduce((sum, warning) => sum + warning.count, 0)
    return all.slice(0, 1).map((warning) => ({ ...warning, count }))
  })
}

/** `chat creation failed (status 500, 2 times)` */
export function warningText({ text, status, count }: Warning): string {
  const times = count === 1 ? 'once' : `${count} times`
  return `${text} (${status === null ? '' : `status ${status}, `}${times})`
}
