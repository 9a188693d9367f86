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
  /** `gone`: it no longer existed; `left`: it exists or may exist; `unanswered`: the target went silent. */
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
  /** The run had another address or another key: a chat that is not seen here may still be there. */
  readonly isElsewhere?: boolean
  /** Authorization in place of that of the profile. */
  readonly authorization?: string | undefined
  readonly onRemoval?: ((removal: Removal) => void) | undefined
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
  const journal = journalWriter(options.journalFile, secretsOf(options.setup))
  const lists = new Map<string | undefined, Promise<ListWalk>>()
  const wholeList = (caller: RemovalOptions) => {
    const list = lists.get(caller.authorization) ?? walkChats({}, caller)
    lists.set(caller.authorization, list)
    return list
  }
  let lost: string | undefined
  return Promise.all(
    entries.map(async (entry) => {
      const slot = await slots.acquire()
      try {
        const removal = await attempt(entry)
        options.onRemoval?.(removal)
        return removal
      } finally {
        slot.release()
      }
    }),
  )

  async function attempt(entry: OpenEntry): Promise<Removal> {
    if (lost === undefined) {
      try {
        return await remove(entry, { ...options, journal, wholeList })
      } catch (error) {
        if (!(error instanceof NoAnswerError)) throw error
        lost = error.message
      }
    }
    return { entry, outcome: 'unanswered', why: lost }
  }
}

interface Work extends RemovalOptions {
  readonly journal: WriteJournal
  /** Walked once by each caller for all names that no search has found. */
  wholeList(caller: RemovalOptions): Promise<ListWalk>
}

async function remove(entry: OpenEntry, options: Work): Promise<Removal> {
  const { tag, profile } = options.setup
  const { kind, id, name, scenario } = entry
  if (!name.includes(tag)) {
    return remaining(entry, `its name does not carry the tag ${tag}, so it is not touched`)
  }
  if (entry.id !== null && !isSegment(entry.id)) {
    return remaining(entry, 'its id cannot be part of a path, so nothing was sent')
  }
  let removal = await removeAs(entry, options)
  if (removal.outcome === 'gone' && profile.otherKey !== undefined) {
    // A caller may see its own chats only.
    removal = await removeAs(entry, { ...options, authorization: `Bearer ${profile.otherKey}` })
  }
  if (removal.outcome !== 'gone') return removal
  if (options.isElsewhere) return remaining(entry, `${removal.why}${notHere}`)
  options.journal(
    id === null ? { event: 'refused', kind, name, scenario } : { event: 'deleted', kind, id },
  )
  return removal
}

const notHere = ', and its run had another address or key, or a second one'

async function removeAs(entry: OpenEntry, options: Work): Promise<Removal> {
  if (entry.id !== null) return removeById(entry, entry.id, options)
  const { kind, name, scenario } = entry
  const found = await findByName(name, options)
  if (typeof found === 'string') return remaining(entry, found)
  if (found.length === 0) return { entry, outcome: 'gone', why: 'no chat with this name is listed' }
  const removals: Removal[] = []
  for (const id of found) {
    options.journal({ event: 'created', kind, name, scenario, id })
    removals.push(await removeById({ ...entry, id }, id, options))
  }
  return removals.find(isRemaining) ?? removals[0] ?? remaining(entry, 'unsure')
}

async function removeById(
  entry: OpenEntry,
  id: string,
  { client, journal, setup, authorization }: Work,
): Promise<Removal> {
  const get = () => sendOperation(client, 'v3.chat', id, {}, authorization)
  const before = await get()
  if (isNotFound(before)) {
    return { entry, outcome: 'gone', why: `no longer existed (GET: ${statusText(before)})` }
  }
  const deleted = await sendOperation(client, 'v3.deleteChat', id, {}, authorization)
  const delays = equalDelays(setup.profile.limits.settleMs)
  const read = await readRepeatedly(get, isNotFound, client, delays)
  const statuses = `DELETE: ${statusText(deleted)}, then GET: ${statusText(read)}`
  if (isNotFound(read)) {
    journal({ event: 'deleted', kind: entry.kind, id })
    return { entry, outcome: 'deleted', why: statuses }
  }
  return remaining(entry, `${succeeded(read) ? 'it can still be read' : 'unsure'} (${statuses})`)
}

/** Ids of the chats with exactly this name, or the reason why they cannot be determined. */
async function findByName(name: string, options: Work): Promise<string[] | string> {
  const { client, authorization } = options
  const idsIn = (page: Exchange) => idsOfRecords(answerJson(page), (text) => text === name)
  const search = (text: string) => () =>
    walkChats({ search: text }, options, (page) => idsIn(page) !== undefined)
  let refused: Exchange | undefined
  let answered = false
  // It is open what a search matches, except a whole word at the start of the name.
  for (const walk of [
    search(name),
    search(name.split(' ')[0] ?? name),
    () => options.wholeList(options),
  ]) {
    const { pages } = await walk()
    const ids = pages.map(idsIn).filter((found) => found !== undefined)
    if (ids.length > 0) {
      const named: string[] = []
      // A record contains ids of other things as well: only chats that show the name when read are deleted.
      for (const id of [...new Set(ids.flat())].slice(0, maxCandidates)) {
        const read = await sendOperation(client, 'v3.chat', id, {}, authorization)
        const values = succeeded(read) ? leavesOf(answerJson(read)).map(({ value }) => value) : []
        if (values.includes(name)) named.push(id)
      }
      return named.length > 0 ? named : 'it is listed, but its id was not found'
    }
    refused ??= pages.find(isDeclined)
    answered ||= !pages.some(isDeclined)
  }
  if (answered || !refused) return []
  return `its id is unknown, and GET /chat was answered ${statusText(refused)}`
}

/** Follows the list of chats to its end, to a page that is refused, or until `enough`. */
function walkChats(
  query: Readonly<Record<string, string>>,
  { client, setup: { profile }, maxPages, authorization }: RemovalOptions,
  enough: (page: Exchange) => boolean = () => false,
): Promise<ListWalk> {
  return walkList(
    (cursor) => {
      const page = cursor === undefined ? query : { ...query, cursor }
      return sendOperation(client, 'v3.chats', '', page, authorization)
    },
    {
      limits: { ...profile.limits, pages: maxPages },
      pointer: profile.shapes.chatCursor,
      isEnough: (page) => isDeclined(page) || enough(page),
    },
  )
}

/** A chat that does not exist: reading it is declined, and for no other reason. */
function isNotFound(exchange: Exchange): boolean {
  const status = exchange.response?.status ?? 0
  return isDeclined(exchange) && ![401, 408, 429].includes(status) && status < 500
}

/** @throws NoAnswerError, so that nothing waits for a target that no longer answers. */
async function sendOperation(
  client: AuxiliaryClient,
  operation: OperationId,
  id: string,
  query: Readonly<Record<string, string>> = {},
  authorization?: string,
): Promise<Exchange> {
  const { method, path } = operations[operation]
  const by = authorization === undefined ? {} : { authorization }
  const exchange = await client.send({ ...route(operation, id), query, ...by, role: 'cleanup' })
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

function remaining(entry: OpenEntry, why: string): Removal {
  return { entry, outcome: 'left', why }
}

const concurrency = 4
const maxCandidates = 12
