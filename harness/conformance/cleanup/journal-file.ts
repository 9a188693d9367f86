import { existsSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createRedactor, RedactingWriter } from '../../client/index.ts'
import { ConfigurationError } from '../errors.ts'
import type { ClientIdentity } from '../run-setup.ts'
import { secretsOf } from '../session/secrets.ts'
import { suiteVersion } from '../version.ts'
import { headLine, openEntries, readJournal } from './journal.ts'

/** Begins a journal; one that an earlier run left with chats in it steps aside. */
export function startJournal(file: string, setup: ClientIdentity): void {
  archiveUnfinished(file)
  const secrets = secretsOf(setup)
  const about = {
    tag: setup.tag,
    ...(setup.tag === '' && { untagged: true as const }),
    kit: suiteVersion(),
    baseUrl: setup.profile.baseUrl,
  }
  new RedactingWriter(secrets).write(file, headLine(about, createRedactor(secrets).text))
}

/** Removes a journal in which nothing is open. @returns number of open entries */
export function closeJournal(file: string): number {
  const open = openEntries(readJournal(file)).length
  if (open === 0) rmSync(file)
  return open
}

/** Keeps the journal of a killed run: only through it can its leftovers be found. */
function archiveUnfinished(file: string): void {
  const tag = existsSync(file) ? unfinishedTag(file) : undefined
  if (tag === undefined) return
  const names = Array.from({ length: 100 }, (_, at) =>
    join(dirname(file), `journal-${tag || 'untagged'}${at === 0 ? '' : `-${at + 1}`}.ndjson`),
  )
  const free = names.find((name) => !existsSync(name))
  if (free !== undefined) renameSync(file, free)
}

function unfinishedTag(file: string): string | undefined {
  try {
    const journal = readJournal(file)
    const open = openEntries(journal).some(({ kind }) => kind === 'chat')
    return open ? journal.head.tag : undefined
  } catch (error) {
    if (error instanceof ConfigurationError) return undefined
    throw error
  }
}
