import { existsSync } from 'node:fs'
import { answerJson } from '../../../contract/index.ts'
import type { Leftover } from '../../../contract/report/conformance.ts'
import { createRedactor } from '../../client/index.ts'
import { interruptCleanupMs } from '../defaults.ts'
import type { RunSetup } from '../run-setup.ts'
import { isDeclined } from '../scenario/read.ts'
import { walkList } from '../scenario/routes/paging.ts'
import { BudgetSpentError } from '../session/errors.ts'
import { secretsOf } from '../session/secrets.ts'
import { createAuxiliaryClient, idsOfRecords } from './auxiliary-client.ts'
import { createdEntries, type OpenEntry, type OpenJournal, openJournal } from './journal.ts'
import {
  isNotFound,
  isRemaining,
  NoAnswerError,
  type RemovalOptions,
  removeChats,
  sendOperation,
} from './removal.ts'

/** Time limit of an audit: verdicts must not wait long for cleanup. */
const maxAuditMs = 5_000
const maxTries = 2

/** Number of chats read again after a confirmed deletion: a server may confirm a deletion and keep the chat. */
const sampleSize = 3
const maxUnknown = 12
const maxPages = 5

export const undeletable = 'the interface has no route to delete it'

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
  const open = openJournal(setup.journalFile)
  const { text } = createRedactor(secretsOf(setup))
  const audit = await auditChats(setup, open, isInterrupted)
  const kept = [...audit.leftovers, ...open.others.map((entry) => toLeftover(entry, undeletable))]
  return {
    ...audit,
    leftovers: kept.map((one) => ({ ...one, name: text(one.name), why: text(one.why) })),
  }
}

const emptyAudit: LeftoverAudit = { leftovers: [], incompleteReason: null, requests: 0 }

async function auditChats(
  setup: RunSetup,
  { journal, chats: open }: OpenJournal,
  isInterrupted: boolean,
): Promise<LeftoverAudit> {
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
  try {
    const removals = await removeChats(open, options)
    const remaining = removals.filter(isRemaining).map(({ entry, why }) => toLeftover(entry, why))
    const unanswered = removals.find(({ outcome }) => outcome === 'unanswered')
    if (unanswered)
      return { leftovers: remaining, incompleteReason: unanswered.why, requests: client.requests }
    const confirmed = made.filter(({ id }) => !open.some((entry) => entry.id === id))
    const still = await findRemaining(confirmed, open, options)
    return {
      leftovers: [...remaining, ...still.leftovers],
      incompleteReason: still.incompleteReason,
      requests: client.requests,
    }
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

/** Chats that exist although their deletion was confirmed, or that the journal does not contain. */
async function findRemaining(
  confirmed: readonly (OpenEntry & { readonly id: string })[],
  seenTo: readonly OpenEntry[],
  options: RemovalOptions,
): Promise<Pick<LeftoverAudit, 'leftovers' | 'incompleteReason'>> {
  try {
    const listed = await listedWithTag(options)
    const again = confirmed.filter(
      ({ id }, at) => listed.includes(id) || at >= confirmed.length - sampleSize,
    )
    const removals = await removeChats(again, options)
    const ids = [...confirmed, ...seenTo].map(({ id }) => id)
    const unknown = listed.filter((id) => !ids.includes(id)).slice(0, maxUnknown)
    const reads = await Promise.all(
      unknown.map((id) => sendOperation(options.client, 'v3.chat', id)),
    )
    const leftovers = [
      // The deletion was confirmed, so a chat that could not be read again is not known to exist.
      ...removals
        .filter(({ outcome }) => outcome === 'left')
        .map(({ entry, why }) => toLeftover(entry, why)),
      ...unknown.flatMap((id, at): Leftover[] => {
        const read = reads[at]
        if (read === undefined || isDeclined(read)) return []
        const why = 'listed with the tag of the run, but no accepted request created it'
        return [{ kind: 'chat', name: options.setup.tag, id, why }]
      }),
    ]
    const unanswered = removals.find(({ outcome }) => outcome === 'unanswered')
    return { leftovers, incompleteReason: unanswered?.why ?? null }
  } catch (error) {
    // No leftovers are known, and a target that no longer answers cannot show any.
    if (error instanceof NoAnswerError) return { leftovers: [], incompleteReason: error.message }
    throw error
  }
}

/** Ids in records that carry the tag: by search, and on the first page of the plain list; none without a tag. */
async function listedWithTag({ client, setup, maxPages }: RemovalOptions): Promise<string[]> {
  const { profile, tag } = setup
  if (tag === '') return []
  const search = (cursor: string | undefined) =>
    sendOperation(client, 'v3.chats', '', {
      search: tag,
      ...(cursor === undefined ? {} : { cursor }),
    })
  const walk = await walkList(search, {
    limits: { ...profile.limits, pages: maxPages },
    pointer: profile.shapes.chatCursor,
    isEnough: isNotFound,
  })
  const plain = await sendOperation(client, 'v3.chats', '')
  const ids = [...walk.pages, plain].flatMap(
    (page) => idsOfRecords(answerJson(page), (text) => text.includes(tag)) ?? [],
  )
  return [...new Set(ids)]
}

function toLeftover({ kind, name, id }: OpenEntry, why: string): Leftover {
  return { kind, name, id, why }
}
