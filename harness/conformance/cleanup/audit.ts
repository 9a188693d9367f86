import { existsSync } from 'node:fs'
import type { Leftover } from '../../../contract/report/conformance.ts'
import { createRedactor } from '../../client/index.ts'
import { interruptCleanupMs } from '../defaults.ts'
import type { RunSetup } from '../run-setup.ts'
import { BudgetSpentError } from '../session/errors.ts'
import { secretsOf } from '../session/secrets.ts'
import { createAuxiliaryClient } from './auxiliary-client.ts'
import { type OpenEntry, readJournal } from './journal.ts'
import { isRemaining, NoAnswerError, type Removal, removeChats } from './removal.ts'

/** Time limit of an audit: verdicts must not wait long for cleanup. */
const maxAuditMs = 5_000
const maxTries = 2
const maxPages = 5

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
  const timer = setTimeout(
    () => outOfTime.abort(new NoAnswerError('no time was left')),
    isInterrupted ? interruptCleanupMs : maxAuditMs,
  )
  const client = createAuxiliaryClient(setup, {
    purpose: 'residue-audit',
    signal: outOfTime.signal,
    tries: maxTries,
    budget: remainingBudget(setup),
    run: setup,
  })
  try {
    const { journalFile } = setup
    const removals = await removeChats(open, { client, setup, journalFile, maxPages })
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
