import { suiteVersion } from '../defaults.ts'
import { TargetUnusableError } from '../errors.ts'
import { preflight } from '../preflight/preflight.ts'
import { endpointsOf, profileOfEndpoint, type TargetProfile } from '../profile/index.ts'
import type { ClientIdentity } from '../run-setup.ts'
import { createAuxiliaryClient } from './auxiliary-client.ts'
import { type OpenEntry, readJournal } from './journal.ts'
import { type Removal, removeChats } from './removal.ts'

export interface CleanupOptions {
  readonly journalFile: string
  readonly profile: TargetProfile
  /** Aborted with the error to be thrown. */
  readonly signal?: AbortSignal
  /** Called for each chat once its removal has ended. */
  readonly onRemoval?: (removal: Removal) => void
  /** Called for each of several endpoints that does not answer. */
  readonly onUnusableEndpoint?: (reason: TargetUnusableError) => void
}

/**
 * Deletes the chats that a journal leaves open and records the deletions in it, so that a second call repeats
 * no request. Of several endpoints, each gets the requests for what the earlier ones did not delete; those
 * that do not answer are skipped if another one does.
 * @throws ConfigurationError for a journal that cannot be read, TargetUnusableError if the
 * target does not answer or refuses the key.
 */
export async function cleanUp(options: CleanupOptions): Promise<readonly Removal[]> {
  const { chats, head } = readJournal(options.journalFile)
  const removals = new Map<OpenEntry, Removal>()
  const refusals: TargetUnusableError[] = []
  for (const endpoint of endpointsOf(options.profile)) {
    const pending = chats.filter((entry) => removals.get(entry)?.outcome !== 'deleted')
    if (pending.length === 0) break
    try {
      const profile = profileOfEndpoint(options.profile, endpoint)
      for (const removal of await cleanUpAt(profile, head.tag, pending, options)) {
        removals.set(removal.entry, worse(removal, removals.get(removal.entry)))
      }
    } catch (error) {
      if (!(error instanceof TargetUnusableError)) throw error
      refusals.push(error)
    }
  }
  const [refusal] = refusals
  if (removals.size === 0 && refusal !== undefined) throw refusal
  for (const each of refusals) options.onUnusableEndpoint?.(each)
  return [...removals.values()]
}

/** A chat that one endpoint deleted is gone; otherwise the chats that any of them still has count. */
function worse(removal: Removal, before: Removal | undefined): Removal {
  const isLeft = before?.outcome === 'left' && removal.outcome !== 'deleted'
  return isLeft || (before !== undefined && removal.outcome === 'unanswered') ? before : removal
}

async function cleanUpAt(
  profile: TargetProfile,
  tag: string,
  chats: readonly OpenEntry[],
  { journalFile, signal, onRemoval }: CleanupOptions,
): Promise<readonly Removal[]> {
  const setup: ClientIdentity = { profile, tag, userAgent: `chatgen-conformance/${suiteVersion()}` }
  await preflight(setup, ['v3'], { signal })
  const client = createAuxiliaryClient(setup, { purpose: 'cleanup', signal })
  try {
    const report = onRemoval ? { onRemoval } : {}
    return await removeChats(chats, { client, setup, journalFile, maxPages, ...report })
  } finally {
    await client.close()
  }
}

/** A cleanup may take longer than a run, so it reads more pages. */
const maxPages = 50
