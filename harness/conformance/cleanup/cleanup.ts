import { suiteVersion } from '../defaults.ts'
import { TargetUnusableError } from '../errors.ts'
import { preflight } from '../preflight/preflight.ts'
import { endpointsOf, profileOfEndpoint, type TargetProfile } from '../profile/index.ts'
import type { ClientIdentity } from '../run-setup.ts'
import { createAuxiliaryClient } from './auxiliary-client.ts'
import { keyMarks, type OpenEntry, readJournal } from './journal.ts'
import { type Removal, type RemovalOptions, removeChats } from './removal.ts'

export interface CleanupOptions {
  readonly journalFile: string
  readonly profile: TargetProfile
  /** Aborted with the error to be thrown. */
  readonly signal?: AbortSignal
  /** Called for each chat once its removal has ended. */
  readonly onRemoval?: RemovalOptions['onRemoval']
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
  const { journalFile, signal, onRemoval } = options
  const { chats, head } = readJournal(journalFile)
  const removals = new Map<OpenEntry, Removal>()
  const refusals: TargetUnusableError[] = []
  const marks = keyMarks(options.profile, head.tag)
  const isElsewhere =
    !endpointsOf(options.profile).some(({ baseUrl }) => baseUrl === head.baseUrl) ||
    (head.keys ?? []).some((mark) => !marks.includes(mark))
  for (const endpoint of endpointsOf(options.profile)) {
    const pending = chats.filter((entry) => removals.get(entry)?.outcome !== 'deleted')
    if (pending.length === 0) break
    const profile = profileOfEndpoint(options.profile, endpoint)
    const userAgent = `chatgen-conformance/${suiteVersion()}`
    const setup: ClientIdentity = { profile, tag: head.tag, userAgent }
    const client = createAuxiliaryClient(setup, { purpose: 'cleanup', signal })
    try {
      await preflight(setup, ['v3'], { signal })
      const work = { client, setup, journalFile, maxPages, isElsewhere, onRemoval }
      for (const removal of await removeChats(pending, work)) {
        removals.set(removal.entry, worse(removal, removals.get(removal.entry)))
      }
    } catch (error) {
      if (!(error instanceof TargetUnusableError)) throw error
      refusals.push(error)
    } finally {
      await client.close()
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

/** A cleanup may take longer than a run, so it reads more pages. */
const maxPages = 50
