import { type JournalEntry, journalLine } from '../../../contract/index.ts'
import { messageOf } from '../../../contract/text.ts'
import { RedactingWriter } from '../../client/redaction/redacting-writer.ts'
import { createRedactor, type Secret } from '../../client/redaction/redaction.ts'

/** Location of the creation journal of a run; structured-cloneable. */
export interface JournalPlace {
  readonly file: string
}

/** Names written at a time; if a worker is killed, up to this many may not exist. */
const reservedNames = 64
const flushMs = 50

/**
 * The chats of a worker, in the creation journal of its run. A name is written before it is used, with others
 * in one write; its outcome follows soon, because a lost line costs no more than a search for the name.
 * Threads and processes append whole lines to one file.
 */
export class ChatJournal {
  /** Reason why lines could not be written. */
  writeError: string | undefined
  readonly #place: JournalPlace | undefined
  readonly #prefix: string
  readonly #redact: (text: string) => string
  readonly #writer: RedactingWriter
  readonly #unusedNames: string[] = []
  #nameCount = 0
  #lines = ''
  #flushing: NodeJS.Timeout | undefined
  #written: Promise<void> = Promise.resolve()

  /** @param prefix of every name */
  constructor(place: JournalPlace | undefined, prefix: string, secrets: readonly Secret[]) {
    this.#place = place
    this.#prefix = prefix
    this.#redact = createRedactor(secrets).text
    this.#writer = new RedactingWriter(secrets)
  }

  /** Reserves the name of a chat that is about to be created. */
  name(): string {
    const free = this.#unusedNames.pop()
    if (free !== undefined) return free
    const names = Array.from({ length: reservedNames }, () => `${this.#prefix}${++this.#nameCount}`)
    if (this.#place !== undefined) {
      const lines = names.map((name) => this.#line({ event: 'create', ...chatEntry(name) }))
      this.#writer.append(this.#place.file, lines.join(''))
    }
    this.#unusedNames.push(...names.reverse())
    return this.name()
  }

  created(name: string, id: string): void {
    this.#put({ event: 'created', ...chatEntry(name), id })
  }

  /** Notes that no chat of this name exists. */
  refused(name: string): void {
    this.#put({ event: 'refused', ...chatEntry(name) })
  }

  deleted(id: string): void {
    this.#put({ event: 'deleted', kind: 'chat', id })
  }

  /** Releases unused names and writes everything. */
  async close(): Promise<void> {
    for (const name of this.#unusedNames.splice(0)) this.refused(name)
    this.#flush()
    await this.#written
  }

  #put(entry: JournalEntry): void {
    if (this.#place === undefined) return
    this.#lines += this.#line(entry)
    this.#flushing ??= setTimeout(() => this.#flush(), flushMs)
  }

  #flush(): void {
    clearTimeout(this.#flushing)
    this.#flushing = undefined
    const [place, lines] = [this.#place, this.#lines]
    if (place === undefined || lines === '') return
    this.#lines = ''
    this.#written = this.#written
      .then(() => this.#writer.appendSoon(place.file, lines))
      .catch((error: unknown) => {
        this.writeError ??= messageOf(error)
      })
  }

  #line(entry: JournalEntry): string {
    return journalLine(entry, this.#redact)
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
