import { existsSync } from 'node:fs'
import { bodyJson } from '../../../contract/index.ts'
import type { Residue } from '../../../contract/report/conformance.ts'
import { createRedactor } from '../../client/index.ts'
import type { RunSetup } from '../run-setup.ts'
import { declined } from '../scenario/read.ts'
import { walkList } from '../scenario/routes/paging.ts'
import { secretsOf } from '../session/context.ts'
import { BudgetSpentError } from '../session/errors.ts'
import { createCaller } from './client.ts'
import { idsListedWith } from './find-in-list.ts'
import {
  createdEntries,
  type Journal,
  journalWriter,
  type OpenEntry,
  openEntries,
  readJournal,
} from './journal.ts'
import {
  call,
  isLeft,
  NoAnswer,
  patienceOfInterruptedMs,
  type RemovalOptions,
  removeChats,
  tellsOfAbsence,
} from './removal.ts'

/** A verdict is never kept waiting longer for the sake of tidiness. */
const patienceMs = 5_000
const tries = 2

/** So many chats whose deletion was confirmed are read again: a server may confirm and keep. */
const sampleSize = 3
const mostUnknown = 12
const mostPages = 5

export const undeletable = 'no route of the document deletes it'

/** What an audit has found, and what it cost. */
export interface Audit {
  readonly residue: readonly Residue[]
  /** Why it was not looked for, or not to the end; null where it was. */
  readonly unseen: string | null
  readonly requests: number
}

export interface AuditOptions {
  /** Somebody is waiting. */
  readonly interrupted: boolean
  /** Requests of the run so far, which its budget has gone into. */
  readonly spent: number
}

/**
 * What a run has left on its target. Chats whose deletion was not confirmed are checked one by one
 * and deleted again; of the confirmed ones the latest few are read, and a short walk through the
 * list of chats looks for the tag of the run. It asks no more than the budget of the run has left.
 */
export async function auditResidue(setup: RunSetup, options: AuditOptions): Promise<Audit> {
  if (setup.recordingFile !== null || !existsSync(setup.journalFile)) return nothing
  const journal = readJournal(setup.journalFile)
  const others = openEntries(journal).filter(({ kind }) => kind !== 'chat')
  const { text } = createRedactor(secretsOf(setup))
  const chats = await auditChats(setup, journal, options)
  const kept = [...chats.residue, ...others.map((entry) => residueOf(entry, undeletable))]
  return {
    ...chats,
    residue: kept.map((one) => ({ ...one, name: text(one.name), why: text(one.why) })),
  }
}

const nothing: Audit = { residue: [], unseen: null, requests: 0 }

async function auditChats(
  setup: RunSetup,
  journal: Journal,
  { interrupted, spent }: AuditOptions,
): Promise<Audit> {
  const open = openEntries(journal).filter(({ kind }) => kind === 'chat')
  const made = createdEntries(journal).filter(({ kind }) => kind === 'chat')
  if (open.length === 0 && made.length === 0) return nothing

  const outOfTime = new AbortController()
  const timer = setTimeout(
    () => outOfTime.abort(new NoAnswer('there was no time left to see to it')),
    interrupted ? patienceOfInterruptedMs : patienceMs,
  )
  const caller = createCaller(setup, {
    purpose: 'residue-audit',
    signal: outOfTime.signal,
    tries,
    budget: whatIsLeft(setup, spent),
    evidenceFile: setup.exchangesFile,
  })
  const options: RemovalOptions = {
    caller,
    profile: setup.profile,
    tag: setup.tag,
    journal: journalWriter(setup.journalFile, secretsOf(setup)),
    pages: mostPages,
  }
  try {
    const removals = await removeChats(open, options)
    const left = removals.filter(isLeft).map(({ entry, why }) => residueOf(entry, why))
    const unanswered = removals.find(({ outcome }) => outcome === 'unanswered')
    if (unanswered) return { residue: left, unseen: unanswered.why, requests: caller.requests }
    const confirmed = made.filter(({ id }) => !open.some((entry) => entry.id === id))
    const still = await stillThere(confirmed, open, options)
    return {
      residue: [...left, ...still.residue],
      unseen: still.unseen,
      requests: caller.requests,
    }
  } finally {
    clearTimeout(timer)
    await caller.close()
  }
}

function whatIsLeft({ maxRequests }: RunSetup, spent: number) {
  if (maxRequests === null) return undefined
  const requests = maxRequests - spent
  return { requests, spent: new NoAnswer(new BudgetSpentError(maxRequests).message) }
}

/** Chats that are there although their deletion was confirmed, or of which the journal knows nothing. */
async function stillThere(
  confirmed: readonly (OpenEntry & { readonly id: string })[],
  seenTo: readonly OpenEntry[],
  options: RemovalOptions,
): Promise<Pick<Audit, 'residue' | 'unseen'>> {
  try {
    const listed = await listedWithTag(options)
    const again = confirmed.filter(
      ({ id }, at) => listed.includes(id) || at >= confirmed.length - sampleSize,
    )
    const removals = await removeChats(again, options)
    const known = [...confirmed, ...seenTo].map(({ id }) => id)
    const unknown = listed.filter((id) => !known.includes(id)).slice(0, mostUnknown)
    const reads = await Promise.all(unknown.map((id) => call(options.caller, 'v3.chat', id)))
    const residue = [
      // A deletion was confirmed, so what could not be read again is not known to be there.
      ...removals
        .filter(({ outcome }) => outcome === 'left')
        .map(({ entry, why }) => residueOf(entry, why)),
      ...unknown.flatMap((id, at): Residue[] => {
        const read = reads[at]
        if (read === undefined || declined(read)) return []
        const why = 'listed with the tag of the run, but made by no request that was accepted'
        return [{ kind: 'chat', name: options.tag, id, why }]
      }),
    ]
    const unanswered = removals.find(({ outcome }) => outcome === 'unanswered')
    return { residue, unseen: unanswered?.why ?? null }
  } catch (error) {
    // Nothing is known to be left, and a target that has gone can tell no more.
    if (error instanceof NoAnswer) return { residue: [], unseen: error.message }
    throw error
  }
}

/** Ids in records that carry the tag: by search, and on the first page of the plain list. */
async function listedWithTag({ caller, profile, tag, pages }: RemovalOptions): Promise<string[]> {
  const search = (cursor: string | undefined) =>
    call(caller, 'v3.chats', '', { search: tag, ...(cursor === undefined ? {} : { cursor }) })
  const walk = await walkList(search, {
    limits: { ...profile.limits, pages },
    pointer: profile.shapes.chatCursor,
    enough: tellsOfAbsence,
  })
  const plain = await call(caller, 'v3.chats', '')
  const ids = [...walk.pages, plain].flatMap((page) => idsListedWith(bodyJson(page), tag) ?? [])
  return [...new Set(ids)]
}

function residueOf({ kind, name, id }: OpenEntry, why: string): Residue {
  return { kind, name, id, why }
}
