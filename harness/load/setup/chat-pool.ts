import { setMaxListeners } from 'node:events'
import { maxTimerMs } from '../../../contract/timer.ts'
import { mapConcurrently, withGracePeriod } from '../clock.ts'
import type { ChatNeeds } from '../plan/plan.ts'
import type { LoadEndpoint, LoadTarget } from '../target.ts'
import { chatBody, chatClient, newChatId } from './chat-client.ts'
import { chatJournal, countWarnings, type Warning, warningText } from './chat-journal.ts'

/** Setup requests in flight. */
const concurrency = 16
/** Number of consecutive timeouts that abort the preparation. */
const maxTimeouts = 3

export type ChatPool = ReturnType<typeof chatPool>
type Book = ReturnType<typeof openBook>

/** Chats of a worker by their use, with their journal. */
function openBook(target: LoadTarget, place: string) {
  // Two runs with one seed have one tag, and a chat may be searched for by its name alone.
  const prefix = `${target.tag} ${crypto.randomUUID().slice(0, 8)}.${place}.`
  const [unused, histories, v2]: [string[], string[], string[]] = [[], [], []]
  const warnings: Warning[] = []
  return {
    ...{ target, unused, histories, v2, warnings },
    journal: chatJournal(target.journal, prefix, target.secrets),
    /** Endpoints that created the chats. */
    homes: new Map<string, number>(),
    /** Chats to delete. */
    created: new Set<string>(),
  }
}

async function createChats(
  { target, journal, unused, histories, v2, homes, created }: Book,
  client: ReturnType<typeof chatClient>,
  needs: ChatNeeds,
  signal: AbortSignal,
): Promise<void> {
  const endpoints = target.endpoints?.list.length ?? 1
  const delayed = withGracePeriod(signal)
  let next = 0
  const repeat = (count: number, run: (endpoint: number) => Promise<void>) =>
    mapConcurrently(Array.from({ length: count }), concurrency, async () => {
      if (!signal.aborted) await run(next++ % endpoints)
    })
  const repeatV3 = (count: number, use: (id: string, endpoint: number) => unknown) =>
    repeat(count, async (endpoint) => {
      const name = journal.name()
      const { id, isRejected } = await client.createV3(name, endpoint, delayed)
      if (isRejected) journal.refused(name)
      if (id === undefined) return
      created.add(id)
      homes.set(id, endpoint)
      journal.created(name, id)
      await use(id, endpoint)
    })
  await repeatV3(needs.v3, (id) => unused.push(id))
  await repeatV3(needs.history, async (id, endpoint) => {
    if (await client.createHistory(id, endpoint, signal)) histories.push(id)
  })
  await repeat(needs.v2, async (endpoint) => {
    const id = await client.createV2(v2.length, endpoint, delayed)
    if (id === undefined) return
    v2.push(id)
    if (target.v2Chat && 'create' in target.v2Chat) homes.set(id, endpoint)
  })
}

/**
 * The reason, as a sentence, if a load would send nothing for lack of chats. A transaction creates a
 * missing v3 chat itself.
 */
function shortageOf({ histories, v2, warnings }: Book, needs: ChatNeeds): string | undefined {
  const failures = countWarnings(warnings).map(warningText).join('; ')
  const hasNone = (needs.history > 0 && histories.length === 0) || (needs.v2 > 0 && v2.length === 0)
  return hasNone && failures !== '' ? `${failures}. No load was sent.` : undefined
}

/**
 * The chats of one worker. They are created before the clock starts, so that their creation is not part
 * of the load, and deleted after the run. Each v3 chat serves one transaction.
 */
export function chatPool(target: LoadTarget, place: string) {
  const book = openBook(target, place)
  const { journal, homes, created, warnings } = book
  /** Names of chats that transactions requested, and the number of those that were created. */
  const requestedNames: string[] = []
  let [registered, taken] = [0, 0]
  const takeTurn = (chats: readonly string[]) => {
    taken += 1
    return chats[taken % Math.max(1, chats.length)]
  }
  return {
    /** Failed creations and deletions. */
    warnings: () => countWarnings(warnings),
    /** Creates the chats that are needed; returns the reason why the preparation failed, as a sentence. */
    async prepare(endpoints: readonly LoadEndpoint[], needs: ChatNeeds, signal: AbortSignal) {
      const ending = giveUpTimer(target)
      const stop = AbortSignal.any([signal, ending.signal])
      setMaxListeners(0, stop)
      const client = chatClient({ target, place, endpoints, warnings, onAnswer: ending.onAnswer })
      await createChats(book, client, needs, stop)
      return ending.end() ?? (signal.aborted ? undefined : shortageOf(book, needs))
    },
    /** A prepared chat that no transaction has used; undefined if none is left. */
    freshChat: () => book.unused.pop(),
    /** Body of a request for another chat during the run. */
    newChatBody(): object {
      const name = journal.name()
      requestedNames.push(name)
      return chatBody(target, name)
    },
    /** Registers the chat in an endpoint's answer to such a request for deletion; returns its id. */
    registerChat(answer: unknown, body: unknown, endpoint: number): string | undefined {
      const id = newChatId(target, answer, body)
      if (id === undefined) return undefined
      registered += 1
      created.add(id)
      homes.set(id, endpoint)
      return id
    },
    /** The endpoint that created a chat; undefined if chatgen did not create it. */
    homeOf: (id: string) => homes.get(id),
    /** One of the chats with a history, which transactions share. */
    historyChat: () => takeTurn(book.histories),
    /** One of the shared v2 chats: a message without a parent starts its own chain. */
    v2Chat: () => takeTurn(book.v2),
    /** Deletes all chats and writes the journal; returns the number of those that are left. */
    async close(endpoints: readonly LoadEndpoint[], timeoutMs: number): Promise<number> {
      const client = chatClient({ target, place, endpoints, warnings })
      const timeout = AbortSignal.timeout(timeoutMs)
      setMaxListeners(0, timeout)
      await mapConcurrently([...created], concurrency, async (id) => {
        if (timeout.aborted || !(await client.delete(id, homes.get(id) ?? 0, timeout))) return
        created.delete(id)
        journal.deleted(id)
      })
      // The names of chats created by transactions are unknown, but once all are deleted none exists.
      if (created.size === 0 && registered === requestedNames.length) {
        for (const name of requestedNames) journal.refused(name)
      }
      const writeError = await journal.close()
      if (writeError !== undefined) {
        const text = `the journal cannot be written: ${writeError}`
        warnings.push({ text, status: null, count: 1 })
      }
      return created.size
    },
  }
}

/** Ends a preparation that takes too long, or to whose requests nothing answers. */
function giveUpTimer({ timeoutMs, runMs }: LoadTarget) {
  const ending = new AbortController()
  let [timeouts, why]: [number, string | undefined] = [0, undefined]
  const giveUp = (reason: string) => {
    why ??= `${reason}, while the chats of the run were created. No load was sent.`
    ending.abort()
  }
  const tooLong = `creating the chats took longer than ${runMs} ms: raise limits.runMs in the target profile`
  const timer =
    runMs === undefined ? undefined : setTimeout(giveUp, Math.min(runMs, maxTimerMs), tooLong)
  return {
    signal: ending.signal,
    onAnswer(request: string, timedOut: boolean): void {
      timeouts = timedOut ? timeouts + 1 : 0
      const often = `${maxTimeouts} times in a row`
      if (timeouts < maxTimeouts) return
      giveUp(`${request} got no answer within ${timeoutMs} ms (limits.timeoutMs), ${often}`)
    },
    /** The reason for which it gave up. */
    end(): string | undefined {
      clearTimeout(timer)
      return why
    },
  }
}
