import {
  answerJson,
  type Exchange,
  isSegment,
  leavesOf,
  type OperationId,
  operations,
} from '../../../contract/index.ts'
import type { ClientIdentity } from '../run-setup.ts'
import { equalDelays, readRepeatedly } from '../scenario/poll.ts'
import { isDeclined, statusText, succeeded } from '../scenario/read.ts'
import { type ListWalk, walkList } from '../scenario/routes/paging.ts'
import { createSemaphore } from '../session/limits/semaphore.ts'
import { route } from '../session/requests/wire-request.ts'
import { secretsOf } from '../session/secrets.ts'
import { type AuxiliaryClient, idsOfRecords } from './auxiliary-client.ts'
import { journalWriter, type OpenEntry, type WriteJournal } from './journal.ts'

/** Result of removing one entry of a journal. */
export interface Removal {
  readonly entry: OpenEntry
  /** `gone`: it did not exist any more; `left`: it exists or may exist; `unanswered`: the target went silent. */
  readonly outcome: 'deleted' | 'gone' | 'left' | 'unanswered'
  readonly why: string
}

export interface RemovalOptions {
  readonly client: AuxiliaryClient
  /** A chat without the tag of the run in its name is not touched. If it is empty, the entries alone decide. */
  readonly setup: ClientIdentity
  /** Gets every chat that is known to be gone. */
  readonly journalFile: string
  /** Maximum pages of a list that are searched for a name. */
  readonly maxPages: number
  readonly onRemoval?: (removal: Removal) => void
}

/**
 * Deletes chats that a journal leaves open, by id, or by name if no response contained the id, and reads them
 * to confirm it. Resources that no route of the document deletes are ignored.
 */
export async function removeChats(
  entries: readonly OpenEntry[],
  options: RemovalOptions,
): Promise<Removal[]> {
  const slots = createSemaphore(concurrency)
  let list: Promise<ListWalk> | undefined
  const work: Work = {
    ...options,
    journal: journalWriter(options.journalFile, secretsOf(options.setup)),
    wholeList() {
      list ??= walkChats({}, options)
      return list
    },
  }
  let lost: string | undefined
  return Promise.all(
    entries.map(async (entry) => {
      const release = await slots.acquire()
      try {
        const removal = lost === undefined ? await attempt(entry) : unanswered(entry, lost)
        options.onRemoval?.(removal)
        return removal
      } finally {
        release()
      }
    }),
  )

  async function attempt(entry: OpenEntry): Promise<Removal> {
    try {
      return await remove(entry, work)
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error
      lost = error.message
      return unanswered(entry, lost)
    }
  }
}

interface Work extends RemovalOptions {
  readonly journal: WriteJournal
  /** Walked once for all names that no search has found. */
  wholeList(): Promise<ListWalk>
}

async function remove(entry: OpenEntry, options: Work): Promise<Removal> {
  const { tag } = options.setup
  if (!entry.name.includes(tag)) {
    return remaining(entry, `its name does not carry the tag ${tag}, so it is not touched`)
  }
  if (entry.id !== null && !isSegment(entry.id)) {
    return remaining(entry, 'its id cannot be part of a path, so nothing was sent')
  }
  if (entry.id !== null) return removeById(entry, entry.id, options)
  const found = await findByName(entry.name, options)
  if (typeof found === 'string') return remaining(entry, found)
  if (found.length === 0) {
    options.journal({ event: 'refused', ...toJournalSubject(entry) })
    return { entry, outcome: 'gone', why: 'no chat of this name is listed' }
  }
  const removals: Removal[] = []
  for (const id of found) {
    options.journal({ event: 'created', ...toJournalSubject(entry), id })
    removals.push(await removeById({ ...entry, id }, id, options))
  }
  return removals.find(isRemaining) ?? removals[0] ?? remaining(entry, 'unsure')
}

async function removeById(
  entry: OpenEntry,
  id: string,
  { client, journal, setup }: Work,
): Promise<Removal> {
  const removed = (outcome: 'deleted' | 'gone', why: string): Removal => {
    journal({ event: 'deleted', kind: entry.kind, id })
    return { entry, outcome, why }
  }
  const before = await sendOperation(client, 'v3.chat', id)
  if (isNotFound(before)) {
    return removed('gone', `did not exist any more (GET: ${statusText(before)})`)
  }
  const deleted = await sendOperation(client, 'v3.deleteChat', id)
  const read = await readRepeatedly(
    () => sendOperation(client, 'v3.chat', id),
    isNotFound,
    client,
    equalDelays(setup.profile.limits.settleMs),
  )
  const statuses = `DELETE: ${statusText(deleted)}, then GET: ${statusText(read)}`
  if (isNotFound(read)) return removed('deleted', statuses)
  return remaining(
    entry,
    succeeded(read) ? `it can still be read (${statuses})` : `unsure (${statuses})`,
  )
}

/** Ids of the chats with exactly this name, or the reason why they cannot be determined. */
async function findByName(name: string, options: Work): Promise<string[] | string> {
  const idsIn = (page: Exchange) => idsOfRecords(answerJson(page), (text) => text === name)
  const found = (page: Exchange) => idsIn(page) !== undefined
  // It is open what a search matches, except a whole word at the start of the name.
  const walks = [
    () => walkChats({ search: name }, options, found),
    () => walkChats({ search: name.split(' ')[0] ?? name }, options, found),
    options.wholeList,
  ]
  let refused: Exchange | undefined
  let answered = false
  for (const walk of walks) {
    const { pages } = await walk()
    const listing = pages.filter(found)
    if (listing.length > 0) {
      const ids = listing.flatMap((page) => idsIn(page) ?? [])
      const named = await chatsNamed(name, [...new Set(ids)], options.client)
      return named.length > 0 ? named : 'it is listed, but its id was not found'
    }
    refused ??= pages.find(isDeclined)
    answered ||= !pages.some(isDeclined)
  }
  if (answered || !refused) return []
  return `its id is unknown, and GET /chat was answered ${statusText(refused)}`
}

function walkChats(
  query: Readonly<Record<string, string>>,
  { client, setup: { profile }, maxPages }: RemovalOptions,
  enough: (page: Exchange) => boolean = () => false,
): Promise<ListWalk> {
  return walkList(
    (cursor) =>
      sendOperation(client, 'v3.chats', '', cursor === undefined ? query : { ...query, cursor }),
    {
      limits: { ...profile.limits, pages: maxPages },
      pointer: profile.shapes.chatCursor,
      isEnough: (page) => isDeclined(page) || enough(page),
    },
  )
}

/** A record contains ids of other things as well: only chats that show the name when read are deleted. */
async function chatsNamed(
  name: string,
  ids: readonly string[],
  client: AuxiliaryClient,
): Promise<string[]> {
  const named: string[] = []
  for (const id of ids.slice(0, maxCandidates)) {
    const read = await sendOperation(client, 'v3.chat', id)
    const values = succeeded(read) ? leavesOf(answerJson(read)).map(({ value }) => value) : []
    if (values.includes(name)) named.push(id)
  }
  return named
}

function toJournalSubject({ kind, name, scenario }: OpenEntry) {
  return { kind, name, scenario }
}

/** A chat that does not exist: reading it is declined, and for no other reason. */
export function isNotFound(exchange: Exchange): boolean {
  const status = exchange.response?.status ?? 0
  return isDeclined(exchange) && ![401, 408, 429].includes(status) && status < 500
}

/** @throws NoAnswerError, so that nothing waits for a target that no longer answers. */
export async function sendOperation(
  client: AuxiliaryClient,
  operation: OperationId,
  id: string,
  query: Readonly<Record<string, string>> = {},
): Promise<Exchange> {
  const { method, path } = operations[operation]
  const exchange = await client.send({ ...route(operation, id), query, role: 'cleanup' })
  const status = exchange.response?.status
  if (status === undefined || exchange.ending.kind === 'timeout') {
    throw new NoAnswerError(`the target did not answer ${method} ${path}`)
  }
  if (status === 429 || status === 503) {
    throw new NoAnswerError(`the target kept answering ${status} to ${method} ${path}`)
  }
  return exchange
}

export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'
}

/** Tests if the resource still exists, as far as is known. */
export function isRemaining({ outcome }: Removal): boolean {
  return outcome === 'left' || outcome === 'unanswered'
}

function unanswered(entry: OpenEntry, why: string): Removal {
  return { entry, outcome: 'unanswered', why }
}

function remaining(entry: OpenEntry, why: string): Removal {
  return { entry, outcome: 'left', why }
}

const concurrency = 4
const maxCandidates = 12
