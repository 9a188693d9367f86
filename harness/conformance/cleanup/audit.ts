import { existsSync } from 'node:fs'
import { answerJson } from '../../../contract/index.ts'
import type { Leftover } from '../../../contract/report/conformance.ts'
import { createRedactor } from '../../client/index.ts'
import { interruptCleanupMs } from '../defaults.ts'
import type { RunSetup } from '../run-setup.ts'
import { isDeclined } from '../scenario/read.ts'
import { BudgetSpentError } from '../session/errors.ts'
import { secretsOf } from '../session/secrets.ts'
import { createAuxiliaryClient, idsOfRecords } from './auxiliary-client.ts'
import { createdEntries, type Journal, type OpenEntry, readJournal } from './journal.ts'
import {
  isRemaining,
  NoAnswerError,
  type Removal,
  type RemovalOptions,
  removeChats,
  sendOperation,
  walkChats,
} from './removal.ts'

/** Time limit of an audit: verdicts must not wait long for cleanup. */
const maxAuditMs = 5_000
const maxTries = 2

/** Number of chats read again after a confirmed deletion: a server may confirm a deletion and keep the chat. */
const sampleSize = 3
const maxUnknown = 12
const maxPages = 5

/** Findings and cost of an audit. */
export interface LeftoverAudit {
  readonly leftovers: readonly Leftover[]
  /** Reason why the search for leftovers was skipped or incomplete; null if it was complete. */
  readonly incompleteReason: string | null
  readonly requests: number
}

/**
 * Finds leftovers of a run on its target. Chats without a confirmed deletion are checked one by one and
 * deleted again; of the others, the latest few are read, and a short walk through the list of chats searches
 * for the tag of the run. It sends no more requests than the budget of the run has left.
 * @param isInterrupted the user is waiting
 */
export async function auditLeftovers(
  setup: RunSetup,
  isInterrupted: boolean,
): Promise<LeftoverAudit> {
  if (setup.recordingFile !== null || !existsSync(setup.journalFile)) return emptyAudit
  const journal = readJournal(setup.journalFile)
  const { text } = createRedactor(secretsOf(setup))
  const audit = await auditChats(setup, journal, isInterrupted)
  const why = 'the interface has no route to delete it'
  const others = journal.others.map((entry) => toLeftover({ entry, why }))
  const leftovers = [...audit.leftovers, ...others].map((one) => ({
    ...one,
    name: text(one.name),
    why: text(one.why),
  }))
  return { ...audit, leftovers }
}

export const emptyAudit: LeftoverAudit = { leftovers: [], incompleteReason: null, requests: 0 }

async function auditChats(
  setup: RunSetup,
  journal: Journal,
  isInterrupted: boolean,
): Promise<LeftoverAudit> {
  const open = journal.chats
  const made = createdEntries(journal).filter(({ kind }) => kind === 'chat')
  if (open.length === 0 && made.length === 0) return emptyAudit
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
  const options: RemovalOptions = { client, setup, journalFile: setup.journalFile, maxPages }
  const leftovers: Leftover[] = []
  let incompleteReason: string | null
  try {
    const removals = await removeChats(open, options)
    leftovers.push(...removals.filter(isRemaining).map(toLeftover))
    incompleteReason = unansweredIn(removals)
    if (incompleteReason === null) {
      const confirmed = made.filter(({ id }) => !open.some((entry) => entry.id === id))
      const still = await findRemaining(confirmed, open, options)
      leftovers.push(...still.leftovers)
      incompleteReason = still.incompleteReason
    }
  } catch (error) {
    // No further leftovers are known, and a target that no longer answers cannot show any.
    if (!(error instanceof NoAnswerError)) throw error
    incompleteReason = error.message
  } finally {
    clearTimeout(timer)
    await client.close()
  }
  return { leftovers, incompleteReason, requests: client.requests }
}

function remainingBudget({ maxRequests, state }: RunSetup) {
  if (maxRequests === null) return undefined
  const requests = maxRequests - state.budget.requests
  return { requests, exceededError: new NoAnswerError(new BudgetSpentError(maxRequests).message) }
}

/**
 * Chats that exist although their deletion was confirmed, or that the journal does not contain.
 * @throws NoAnswerError
 */
async function findRemaining(
  confirmed: readonly (OpenEntry & { readonly id: string })[],
  seenTo: readonly OpenEntry[],
  options: RemovalOptions,
) {
  const listed = await listedWithTag(options)
  const again = confirmed.filter(
    ({ id }, at) => listed.includes(id) || at >= confirmed.length - sampleSize,
  )
  const removals = await removeChats(again, options)
  const ids = [...confirmed, ...seenTo].map(({ id }) => id)
  const unknown = listed.filter((id) => !ids.includes(id)).slice(0, maxUnknown)
  const reads = await Promise.all(
    unknown.map(async (id) => ({ id, read: await sendOperation(options.client, 'v3.chat', id) })),
  )
  const why = 'listed with the tag of the run, but no accepted request created it'
  const leftovers: Leftover[] = [
    // The deletion was confirmed, so a chat that could not be read again is not known to exist.
    ...removals.filter(({ outcome }) => outcome === 'left').map(toLeftover),
    ...reads
      .filter(({ read }) => !isDeclined(read))
      .map(({ id }) => ({ kind: 'chat' as const, name: options.setup.tag, id, why })),
  ]
  return { leftovers, incompleteReason: unansweredIn(removals) }
}

/** Ids in records that carry the tag: by search, and on the first page of the plain list; none without a tag. */
async function listedWithTag(options: RemovalOptions): Promise<string[]> {
  const { tag } = options.setup
  if (tag === '') return []
  const { pages } = await walkChats({ search: tag }, options)
  const plain = await sendOperation(options.client, 'v3.chats', '')
  const ids = [...pages, plain].flatMap(
    (page) => idsOfRecords(answerJson(page), (text) => text.includes(tag)) ?? [],
  )
  return [...new Set(ids)]
}

function unansweredIn(removals: readonly Removal[]): string | null {
  return removals.find(({ outcome }) => outcome === 'unanswered')?.why ?? null
}

function toLeftover({ entry, why }: Pick<Removal, 'entry' | 'why'>): Leftover {
  const { kind, name, id } = entry
  return { kind, name, id, why }
}
