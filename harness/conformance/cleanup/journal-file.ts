import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createRedactor, RedactingWriter } from '../../client/index.ts'
import { suiteVersion } from '../defaults.ts'
import { ConfigurationError } from '../errors.ts'
import type { ClientIdentity } from '../run-setup.ts'
import { secretsOf } from '../session/secrets.ts'
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
    ...(setup.profile.prefixes && { prefixes: setup.profile.prefixes }),
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
  const first = join(dirname(file), `journal-${tag || 'untagged'}`)
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? `${first}.ndjson` : `${first}-${number}.ndjson`
    if (existsSync(name)) continue
    renameSync(file, name)
    return
  }
}

/** Tag of a run whose journal is to be kept; undefined if nothing is open in it. */
function unfinishedTag(file: string): string | undefined {
  try {
    const journal = readJournal(file)
    const open = openEntries(journal).some(({ kind }) => kind === 'chat')
    return open ? journal.head.tag : undefined
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    // Another version, or an editor: somebody may still make sense of it.
    return statSync(file).size === 0 ? undefined : 'unreadable'
  }
}
