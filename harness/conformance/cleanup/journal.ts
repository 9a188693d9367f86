import { hash } from 'node:crypto'
import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  type CreationKind,
  type Exchange,
  type JournalEntry,
  type JournalHead,
  journalEntry,
  journalHead,
  journalLine,
  operationOf,
  parseJson,
  requestPath,
  succeeded,
} from '../../../contract/index.ts'
import { createRedactor, RedactingWriter, type Secret } from '../../client/index.ts'
import { suiteVersion } from '../defaults.ts'
import { asConfigurationError, ConfigurationError } from '../errors.ts'
import { maxStoredBytes, readInputFile } from '../input-file.ts'
import type { TargetProfile } from '../profile/index.ts'
import { storeEvidence } from '../recording/result-files.ts'
import type { ClientIdentity } from '../run-setup.ts'
import { NotSentError } from '../session/errors.ts'
import { secretsOf, surfaceCredentials } from '../session/secrets.ts'

export type { CreationKind, JournalEntry }
export type WriteJournal = (entry: JournalEntry) => void

/** Resource that was created, or may have been. */
export interface OpenEntry {
  readonly kind: CreationKind
  readonly name: string
  /** Null if no response contained it. */
  readonly id: string | null
  readonly scenario: string
}

export type Journal = ReturnType<typeof parseJournal>

/** @throws ConfigurationError if the file is missing or not a journal. */
export function readJournal(file: string): Journal {
  const read = () => readInputFile(file, maxStoredBytes)
  return parseJournal(asConfigurationError(Error, read, 'the journal cannot be read'), file)
}

/**
 * Reads a journal, also one that a crash left incomplete.
 * @throws ConfigurationError if it is not a journal.
 */
export function parseJournal(text: string, name: string) {
  const [first = '', ...lines] = text.split('\n')
  const head = journalHead.safeParse(parseJson(first))
  if (!head.success) {
    throw new ConfigurationError([
      `${name} is not a journal of chatgen: its first line does not name a run`,
    ])
  }
  /** Lines that a crash left incomplete. */
  let cutLines = 0
  const entries = lines.flatMap((line, at) => {
    if (line.trim() === '') return []
    const value = parseJson(line)
    if (value === undefined) {
      cutLines += 1
      return []
    }
    const { data } = journalEntry.safeParse(value)
    if (data !== undefined) return [data]
    throw new ConfigurationError([
      `${name}:${at + 2}: not a line of a journal that this version of chatgen can read`,
    ])
  })
  /** Resources without a confirmed deletion: chats, and those that no route of the document deletes. */
  const open = openAfter(entries)
  const chats = open.filter(({ kind }) => kind === 'chat')
  const others = open.filter(({ kind }) => kind !== 'chat')
  return { head: head.data, entries, cutLines, open, chats, others }
}

function openAfter(entries: readonly JournalEntry[]): readonly OpenEntry[] {
  let open: OpenEntry[] = []
  for (const entry of entries) {
    if (entry.event === 'deleted') {
      open = open.filter(({ kind, id }) => kind !== entry.kind || id !== entry.id)
      continue
    }
    const { event, kind, name, scenario } = entry
    const isCreate = (one: OpenEntry) => one.id === null && one.kind === kind && one.name === name
    // A creation ends no entry, and a load may leave 100,000 of them open.
    const at = event === 'create' ? -1 : open.findIndex(isCreate)
    if (at >= 0) open.splice(at, 1)
    const id = event === 'created' ? entry.id : null
    if (event !== 'refused') open.push({ kind, name, scenario, id })
  }
  return open
}

/**
 * Writes each line at once, so that a killed process loses at most one; after a crash, on a new line.
 * @throws EvidenceError if a line cannot be written, for example on a full disk
 */
export function journalWriter(file: string, secrets: readonly Secret[]): WriteJournal {
  const writer = new RedactingWriter(secrets)
  const { text } = createRedactor(secrets)
  const append = (line: string) => storeEvidence(() => writer.append(file, line))
  if (existsSync(file) && /[^\n]$/.test(readInputFile(file, maxStoredBytes))) append('\n')
  return (entry) => append(journalLine(entry, text))
}

export function headLine(about: Omit<JournalHead, 'journal'>, redact: (text: string) => string) {
  const { baseUrl, ...rest } = about
  return `${JSON.stringify({ journal: 1, ...rest, baseUrl: redact(baseUrl) })}\n`
}

/** Sends a request that creates something, and records the attempt and its result. */
export async function withJournal(
  journal: WriteJournal,
  about: { readonly kind: CreationKind; readonly name: string; readonly scenario: string },
  send: () => Promise<Exchange>,
  idIn: (answer: Exchange) => string | undefined,
): Promise<Exchange> {
  journal({ event: 'create', ...about })
  const answer = await send().catch((error: unknown) => {
    // It was not sent, so there is nothing to look for.
    if (error instanceof NotSentError) journal({ event: 'refused', ...about })
    throw error
  })
  const status = answer.response?.status ?? 0
  const id = succeeded(answer) ? idIn(answer) : undefined
  if (id !== undefined) journal({ event: 'created', ...about, id })
  else if (status >= 300 && status < 500) journal({ event: 'refused', ...about })
  return answer
}

/** The id of the chat that an exchange has deleted; a negative request deletes nothing of a conforming server. */
export function deletedChat(exchange: Exchange): string | undefined {
  const deletes = operationOf(exchange) === 'v3.deleteChat'
  const done = deletes && succeeded(exchange) && exchange.labels.role !== 'negative'
  // chatgen made this path, so its percent codes are valid.
  return done ? decodeURIComponent(requestPath(exchange).split('/').at(-1) ?? '') : undefined
}

/** Begins a journal; one of an earlier run that still has chats in it is renamed. */
export function startJournal(file: string, setup: ClientIdentity): void {
  archiveUnfinished(file)
  const secrets = secretsOf(setup)
  const about = {
    tag: setup.tag,
    ...(setup.tag === '' && { untagged: true as const }),
    kit: suiteVersion(),
    baseUrl: setup.profile.baseUrl,
    keys: keyMarks(setup.profile, setup.tag),
    ...(setup.profile.prefixes && { prefixes: setup.profile.prefixes }),
  }
  new RedactingWriter(secrets).write(file, headLine(about, createRedactor(secrets).text))
}

/** Digests of the keys of a run, too short to find out a key. */
export function keyMarks(
  profile: Parameters<typeof surfaceCredentials>[0] & Pick<TargetProfile, 'otherKey'>,
  tag: string,
): string[] {
  return [surfaceCredentials(profile).v3, profile.otherKey]
    .filter((key) => key !== undefined)
    .map((key) => hash('sha256', `${tag} ${key}`).slice(0, 4))
}

/** Removes a journal in which nothing is open. @returns number of open entries */
export function closeJournal(file: string): number {
  const { open } = readJournal(file)
  if (open.length === 0) rmSync(file)
  return open.length
}

/** Keeps the journal of a killed run: its leftovers can be found only through it. */
function archiveUnfinished(file: string): void {
  if (!existsSync(file)) return
  let tag = 'unreadable'
  try {
    const { head, chats } = readJournal(file)
    if (chats.length === 0) return
    tag = head.tag || 'untagged'
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    // Written by another version, or edited: it may still be readable for a person.
    if (statSync(file).size === 0) return
  }
  const first = join(dirname(file), `journal-${tag}`)
  let name = `${first}.ndjson`
  for (let number = 2; existsSync(name); number += 1) name = `${first}-${number}.ndjson`
  renameSync(file, name)
}
