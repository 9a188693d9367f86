import { existsSync } from 'node:fs'
import type { Leftover } from '../../../contract/report/conformance.ts'
import { createRedactor } from '../../client/index.ts'
import { interruptCleanupMs, suiteVersion } from '../defaults.ts'
import { TargetUnusableError } from '../errors.ts'
import { preflight } from '../preflight/preflight.ts'
import { endpointsOf, profileOfEndpoint, type TargetProfile } from '../profile/index.ts'
import type { ClientIdentity, RunSetup } from '../run-setup.ts'
import { BudgetSpentError } from '../session/errors.ts'
import { secretsOf } from '../session/secrets.ts'
import { createAuxiliaryClient } from './auxiliary-client.ts'
import { keyMarks, type OpenEntry, readJournal } from './journal.ts'
import {
  isRemaining,
  NoAnswerError,
  type Removal,
  type RemovalOptions,
  removeChats,
} from './removal.ts'

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

/** Time limit of an audit: verdicts must not wait long for cleanup. */
const maxAuditMs = 5_000
const maxTries = 2
const maxAuditPages = 5

/** Findings and cost of an audit. */
export interface LeftoverAudit {
  readonly leftovers: readonly Leftover[]
  /** Reason why the search for leftovers was skipped or incomplete; null if it was complete. */
  readonly incompleteReason: string | null
  readonly requests: number
}

/**
 * Finds leftovers of a run on its target: chats without a confirmed deletion are checked one by one and deleted
 * again. It sends no more requests than the budget of the run has left.
 * @param isInterrupted the user is waiting
 */
export async function auditLeftovers(
  setup: RunSetup,
  isInterrupted: boolean,
): Promise<LeftoverAudit> {
  if (setup.recordingFile !== null || !existsSync(setup.journalFile)) return emptyAudit
  const { chats, others } = readJournal(setup.journalFile)
  const { text } = createRedactor(secretsOf(setup))
  const { removals, requests } = await removeOpen(chats, setup, isInterrupted)
  const why = 'the interface has no route to delete it'
  const leftovers = [...removals.filter(isRemaining), ...others.map((entry) => ({ entry, why }))]
  return {
    leftovers: leftovers.map(({ entry: { kind, name, id }, why }) => {
      return { kind, name: text(name), id, why: text(why) }
    }),
    incompleteReason: removals.find(({ outcome }) => outcome === 'unanswered')?.why ?? null,
    requests,
  }
}

export const emptyAudit: LeftoverAudit = { leftovers: [], incompleteReason: null, requests: 0 }

async function removeOpen(
  open: readonly OpenEntry[],
  setup: RunSetup,
  isInterrupted: boolean,
): Promise<{ readonly removals: readonly Removal[]; readonly requests: number }> {
  if (open.length === 0) return { removals: [], requests: 0 }
  const outOfTime = new AbortController()
  const end = () => outOfTime.abort(new NoAnswerError('no time was left'))
  const timer = setTimeout(end, isInterrupted ? interruptCleanupMs : maxAuditMs)
  const client = createAuxiliaryClient(setup, {
    purpose: 'residue-audit',
    signal: outOfTime.signal,
    tries: maxTries,
    budget: remainingBudget(setup),
    run: setup,
  })
  try {
    const work = { client, setup, journalFile: setup.journalFile, maxPages: maxAuditPages }
    const removals = await removeChats(open, work)
    return { removals, requests: client.requests }
  } finally {
    clearTimeout(timer)
    await client.close()
  }
}

function remainingBudget({ maxRequests, state }: RunSetup) {
  if (maxRequests === null) return undefined
  const requests = maxRequests - state.budget.requests
  return { requests, exceededError: new NoAnswerError(new BudgetSpentError(maxRequests).message) }
}
