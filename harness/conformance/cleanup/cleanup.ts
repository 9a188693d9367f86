import { preflight } from '../preflight/preflight.ts'
import type { TargetProfile } from '../profile/index.ts'
import type { ClientIdentity } from '../run-setup.ts'
import { secretsOf } from '../session/secrets.ts'
import { suiteVersion } from '../version.ts'
import { createAuxiliaryClient } from './auxiliary-client.ts'
import { type Journal, journalWriter, type OpenEntry, openEntries, readJournal } from './journal.ts'
import { type Removal, removeChats } from './removal.ts'

/** Open entries of a journal. */
export interface OpenJournal {
  readonly journal: Journal
  readonly chats: readonly OpenEntry[]
  /** Entries that no route of the document deletes. */
  readonly others: readonly OpenEntry[]
}

export interface CleanupOptions {
  readonly journalFile: string
  readonly profile: TargetProfile
  /** Aborted with the error to be thrown. */
  readonly signal?: AbortSignal
  /** Told of each chat as soon as its fate is known. */
  readonly onRemoval?: (removal: Removal) => void
}

/** @throws ConfigurationError where the file is missing, or is no journal. */
export function openJournal(journalFile: string): OpenJournal {
  const journal = readJournal(journalFile)
  const open = openEntries(journal)
  return {
    journal,
    chats: open.filter(({ kind }) => kind === 'chat'),
    others: open.filter(({ kind }) => kind !== 'chat'),
  }
}

/**
 * Deletes the chats that a journal leaves open, and writes into it what is gone, so that doing it
 * twice asks for nothing twice.
 * @throws ConfigurationError for a journal that cannot be read, TargetUnusableError where the
 * target does not answer or refuses the key.
 */
export async function cleanUp(options: CleanupOptions): Promise<readonly Removal[]> {
  const { journalFile, profile, signal, onRemoval } = options
  const { journal, chats } = openJournal(journalFile)
  const { tag } = journal.head
  const setup: ClientIdentity = {
    profile,
    tag,
    userAgent: `chatgen-conformance/${suiteVersion()}`,
  }
  await preflight(setup, ['v3'], { signal })
  const client = createAuxiliaryClient(setup, { purpose: 'cleanup', ...(signal ? { signal } : {}) })
  try {
    return await removeChats(chats, {
      client,
      profile,
      tag,
      journal: journalWriter(journalFile, secretsOf(setup)),
      maxPages,
      ...(onRemoval ? { onRemoval } : {}),
    })
  } finally {
    await client.close()
  }
}

/** Nobody waits for a cleanup as for a run, so it looks further. */
const maxPages = 50
