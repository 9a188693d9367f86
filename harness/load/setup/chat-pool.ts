import { setMaxListeners } from 'node:events'
import { maxTimerMs } from '../../../contract/timer.ts'
import { mapConcurrently, withGracePeriod } from '../clock.ts'
import type { ChatNeeds } from '../plan/plan.ts'
import type { LoadEndpoint, LoadTarget } from '../target.ts'
import { ChatClient } from './chat-client.ts'
import { chatJournal, countWarnings, type Warning, warningText } from './chat-journal.ts'

/** Setup requests in flight. */
const concurrency = 16
/** Number of consecutive timeouts that abort the preparation. */
const maxTimeouts = 3

/**
 * The chats of one worker. They are created before the clock starts, so that their creation is not part
 * of the load, and deleted after the run. Each v3 chat serves one transaction.
 */
export class ChatPool {
  /** Created chats that were not deleted. */
  remaining = 0
  /** Reason why the preparation was aborted, as a sentence. */
  failure: string | undefined
  readonly #target: LoadTarget
  readonly #client: ChatClient
  readonly #unused: string[] = []
  readonly #histories: string[] = []
  readonly #v2: string[] = []
  readonly #created: string[] = []
  readonly #journal: ReturnType<typeof chatJournal>
  /** Names of chats that transactions requested, and the number of those that were created. */
  readonly #requestedNames: string[] = []
  /** Endpoints that created the chats. */
  readonly #homes = new Map<string, number>()
  #registered = 0
  #next = 0
  #nextEndpoint = 0

  constructor(target: LoadTarget, place: string) {
    this.#target = target
    this.#client = new ChatClient(target, place)
    // Two runs with one seed have one tag, and a chat may be searched for by its name alone.
    const suffix = crypto.randomUUID().slice(0, 8)
    const prefix = `${target.tag} ${suffix}.${place}.`
    this.#journal = chatJournal(target.journal, prefix, target.secrets)
  }

  /** Failed creations and deletions. */
  get warnings(): readonly Warning[] {
    return countWarnings(this.#client.warnings)
  }

  async prepare(
    endpoints: readonly LoadEndpoint[],
    needs: ChatNeeds,
    signal: AbortSignal,
  ): Promise<void> {
    this.#client.endpoints = endpoints
    const { timeoutMs, runMs } = this.#target
    const ending = new AbortController()
    const giveUp = (why: string) => {
      this.failure ??= `${why}, while the chats of the run were created. No load was sent.`
      ending.abort()
    }
    const tooLong = `creating the chats took longer than ${runMs} ms: raise limits.runMs in the target profile`
    const timer =
      runMs === undefined ? undefined : setTimeout(giveUp, Math.min(runMs, maxTimerMs), tooLong)
    let timeouts = 0
    this.#client.onAnswer = (request, timedOut) => {
      timeouts = timedOut ? timeouts + 1 : 0
      const often = `${maxTimeouts} times in a row`
      if (timeouts < maxTimeouts) return
      giveUp(`${request} had no answer within ${timeoutMs} ms (limits.timeoutMs), ${often}`)
    }
    const stop = AbortSignal.any([signal, ending.signal])
    setMaxListeners(0, stop)
    await this.#create(needs, stop)
    clearTimeout(timer)
    this.#client.onAnswer = () => {}
    if (!signal.aborted) this.failure ??= this.#shortage(needs)
  }

  /** A prepared chat that no transaction has used; undefined if none is left. */
  freshChat(): string | undefined {
    return this.#unused.pop()
  }

  /** Body of a request for another chat during the run. */
  newChatBody(): Readonly<Record<string, unknown>> {
    const name = this.#journal.name()
    this.#requestedNames.push(name)
    return this.#client.chatBody(name)
  }

  /** Registers the chat in an endpoint's answer to such a request for deletion; returns its id. */
  registerChat(answer: unknown, body: unknown, endpoint: number): string | undefined {
    const id = this.#client.idIn(answer, body)
    if (id === undefined) return undefined
    this.#registered += 1
    this.#homes.set(id, endpoint)
    this.#created.push(id)
    return id
  }

  /** The endpoint that created a chat; undefined if chatgen did not create it. */
  homeOf(id: string): number | undefined {
    return this.#homes.get(id)
  }

  /** One of the chats with a history, which transactions share. */
  historyChat(): string | undefined {
    this.#next += 1
    return this.#histories[this.#next % Math.max(1, this.#histories.length)]
  }

  /** One of the shared v2 chats: a message without a parent starts its own chain. */
  v2Chat(): string | undefined {
    this.#next += 1
    return this.#v2[this.#next % Math.max(1, this.#v2.length)]
  }

  /** Deletes all chats and writes the journal. */
  async close(endpoints: readonly LoadEndpoint[], timeoutMs: number): Promise<void> {
    this.#client.endpoints = endpoints
    const timeout = AbortSignal.timeout(timeoutMs)
    setMaxListeners(0, timeout)
    const ids = this.#created.splice(0)
    this.remaining = ids.length
    await mapConcurrently(ids, concurrency, async (id) => {
      if (timeout.aborted || !(await this.#client.delete(id, this.homeOf(id) ?? 0, timeout))) return
      this.remaining -= 1
      this.#journal.deleted(id)
    })
    // The names of chats created by transactions are unknown, but once all are deleted none exists.
    if (this.remaining === 0 && this.#registered === this.#requestedNames.length) {
      for (const name of this.#requestedNames) this.#journal.refused(name)
    }
    const writeError = await this.#journal.close()
    if (writeError !== undefined) {
      const text = `the journal cannot be written: ${writeError}`
      this.#client.warnings.push({ text, status: null, count: 1 })
    }
  }

  /**
   * The reason, as a sentence, if a load would send nothing for lack of chats. A transaction creates a
   * missing v3 chat itself.
   */
  #shortage({ history, v2 }: ChatNeeds): string | undefined {
    const failures = this.warnings.map(warningText).join('; ')
    const hasNone =
      (history > 0 && this.#histories.length === 0) || (v2 > 0 && this.#v2.length === 0)
    return hasNone && failures !== '' ? `${failures}. No load was sent.` : undefined
  }

  async #create(needs: ChatNeeds, signal: AbortSignal): Promise<void> {
    const delayed = withGracePeriod(signal)
    const repeat = (count: number, run: () => Promise<void>) =>
      mapConcurrently(Array.from({ length: count }), concurrency, async () => {
        if (!signal.aborted) await run()
      })
    await repeat(needs.v3, async () => {
      const id = await this.#createV3(delayed)
      if (id !== undefined) this.#unused.push(id)
    })
    await repeat(needs.history, async () => {
      const id = await this.#createV3(delayed)
      if (
        id !== undefined &&
        (await this.#client.createHistory(id, this.homeOf(id) ?? 0, signal))
      ) {
        this.#histories.push(id)
      }
    })
    await repeat(needs.v2, async () => {
      const endpoint = this.#takeEndpoint()
      const id = await this.#client.createV2(this.#v2.length, endpoint, delayed)
      if (id === undefined) return
      this.#v2.push(id)
      if (this.#target.v2Chat?.kind === 'create') this.#homes.set(id, endpoint)
    })
  }

  async #createV3(signal: AbortSignal): Promise<string | undefined> {
    const name = this.#journal.name()
    const endpoint = this.#takeEndpoint()
    const { id, isRejected } = await this.#client.createV3(name, endpoint, signal)
    if (isRejected) this.#journal.refused(name)
    if (id === undefined) return undefined
    this.#created.push(id)
    this.#homes.set(id, endpoint)
    this.#journal.created(name, id)
    return id
  }

  #takeEndpoint(): number {
    this.#nextEndpoint += 1
    return (this.#nextEndpoint - 1) % (this.#target.endpoints?.list.length ?? 1)
  }
}
