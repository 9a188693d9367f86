import { suiteVersion } from '../defaults.ts'
import { preflight } from '../preflight/preflight.ts'
import { endpointsOf, type TargetProfile } from '../profile/index.ts'
import type { ClientIdentity } from '../run-setup.ts'
import { createAuxiliaryClient } from './auxiliary-client.ts'
import { keyMarks, readJournal } from './journal.ts'
import { type Removal, type RemovalOptions, removeChats } from './removal.ts'

export interface CleanupOptions {
  readonly journalFile: string
  readonly profile: TargetProfile
  /** Aborted with the error to be thrown. */
  readonly signal?: AbortSignal
  /** Called for each chat once its removal has ended. */
  readonly onRemoval?: RemovalOptions['onRemoval']
}

/**
 * Deletes the chats that a journal leaves open and records the deletions in it, so that a second call repeats
 * no request.
 * @throws ConfigurationError for a journal that cannot be read, TargetUnusableError if the
 * target does not answer or refuses the key.
 */
export async function cleanUp(options: CleanupOptions): Promise<readonly Removal[]> {
  const { journalFile, profile, signal, onRemoval } = options
  const { chats, head } = readJournal(journalFile)
  const marks = keyMarks(profile, head.tag)
  const isElsewhere =
    !endpointsOf(profile).some(({ baseUrl }) => baseUrl === head.baseUrl) ||
    (head.keys ?? []).some((mark) => !marks.includes(mark))
  const userAgent = `chatgen-conformance/${suiteVersion()}`
  const setup: ClientIdentity = { profile, tag: head.tag, userAgent }
  const client = createAuxiliaryClient(setup, { purpose: 'cleanup', signal })
  try {
    await preflight(setup, ['v3'], { signal })
    const work = { client, setup, journalFile, maxPages, isElsewhere, onRemoval }
    return await removeChats(chats, work)
  } finally {
    await client.close()
  }
}

/** A cleanup may take longer than a run, so it reads more pages. */
const maxPages = 50
