import { setMaxListeners } from 'node:events'
import { asString, chatIdNames, findId, pathOf, valueAt } from '../../../contract/index.ts'
import type { ChannelPool } from '../http/channel.ts'
import type { RequestSpec } from '../http/wire-request.ts'
import { aWhileAfter } from '../patience.ts'
import type { LoadTarget } from '../target.ts'
import { ChatJournal } from './chat-journal.ts'
import { PreparationGuard } from './preparation-guard.ts'
import { type SetupAnswer, sendSetupRequest } from './setup-request.ts'

/** How many chats a run needs before it begins. */
export interface ChatNeeds {
  /** One for each transaction that takes a fresh one. */
  readonly v3: number
  readonly v2: number
  /** With some turns in them, for readers of histories. */
  readonly history: number
}

/** Requests of the preparation in flight. */
const concurrency = 16
/** Turns in a chat whose history is read. */
const historyTurns = 3

/**
 * The chats of a thread. They are made before the clock starts, so that making them is no load of
 * the run, and deleted after it. A v3 chat serves one transaction alone.
 */
export class ChatPool {
  /** What could not be made or removed, in words, with how often. */
  readonly warnings = new Map<string, number>()
  /** Made and not deleted. */
  remaining = 0
  /** Why the preparation was given up, as a sentence; undefined where it was not. */
  failure: string | undefined
  readonly #channels: ChannelPool
  readonly #target: LoadTarget
  readonly #place: string
  readonly #fresh: string[] = []
  readonly #histories: string[] = []
  readonly #v2: string[] = []
  readonly #created: string[] = []
  readonly #journal: ChatJournal
  /** Names of chats that transactions asked for, and how many of those were made. */
  readonly #requestedNames: string[] = []
  #registered = 0
  #next = 0
  #preparation: PreparationGuard | undefined

  constructor(channels: ChannelPool, target: LoadTarget, place: string) {
    this.#channels = channels
    this.#target = target
    this.#place = place
    // Two runs with one seed have one tag, and a chat may be looked for by its name alone.
    const own = crypto.randomUUID().slice(0, 8)
    this.#journal = new ChatJournal(
      target.journal,
      `${target.tag} ${own}.${place}.`,
      target.secrets,
    )
  }

  async prepare(needs: ChatNeeds, signal: AbortSignal): Promise<void> {
    const preparation = new PreparationGuard(this.#target)
    this.#preparation = preparation
    const stop = AbortSignal.any([signal, preparation.signal])
    setMaxListeners(0, stop)
    await this.#make(needs, stop)
    preparation.close()
    this.#preparation = undefined
    this.failure = preparation.failure
  }

  async #make(needs: ChatNeeds, signal: AbortSignal): Promise<void> {
    const patience = aWhileAfter(signal)
    await this.#many(needs.v3, signal, async () => {
      const id = await this.#create(patience)
      if (id !== undefined) this.#fresh.push(id)
    })
    await this.#many(needs.history, signal, async () => {
      const id = await this.#create(patience)
      if (id !== undefined && (await this.#fillHistory(id, signal))) this.#histories.push(id)
    })
    await this.#many(needs.v2, signal, async () => {
      const id = await this.#createV2(patience)
      if (id !== undefined) this.#v2.push(id)
    })
  }

  /** A prepared chat that nobody has used; undefined where they are used up. */
  freshChat(): string | undefined {
    return this.#fresh.pop()
  }

  /** Body of a request for one more, in the course of the run. */
  newChatBody(): Readonly<Record<string, unknown>> {
    const name = this.#journal.name()
    this.#requestedNames.push(name)
    return this.#bodyOf(name)
  }

  /** The chat that such a request was answered with, to be deleted in the end. */
  registerChat(answer: unknown): string | undefined {
    const id = this.#idIn(answer)
    if (id === undefined) return undefined
    this.#registered += 1
    this.#created.push(id)
    return id
  }

  historyChat(): string | undefined {
    this.#next += 1
    return this.#histories[this.#next % Math.max(1, this.#histories.length)]
  }

  /** In a v2 chat, a message without a parent begins a chain of its own, so it may be shared. */
  v2Chat(): string | undefined {
    this.#next += 1
    return this.#v2[this.#next % Math.max(1, this.#v2.length)]
  }

  async close(deadlineMs: number): Promise<void> {
    const stop = AbortSignal.timeout(deadlineMs)
    setMaxListeners(0, stop)
    this.remaining = this.#created.length
    await this.#many(this.#created.length, stop, async () => {
      const id = this.#created.pop()
      if (id === undefined) return
      const answer = await this.#ask('DELETE', pathOf('v3.deleteChat', id), stop)
      if (isGone(answer)) {
        this.remaining -= 1
        this.#journal.deleted(id)
      } else this.#warn('deleting a chat', answer)
    })
    // Which name became which chat is not known, but where all are gone there is none of any.
    if (this.remaining === 0 && this.#registered === this.#requestedNames.length) {
      for (const name of this.#requestedNames) this.#journal.refused(name)
    }
    await this.#journal.close()
    const { writeError } = this.#journal
    if (writeError !== undefined) this.warnings.set(`writing the journal: ${writeError}`, 1)
  }

  async #create(signal: AbortSignal): Promise<string | undefined> {
    const name = this.#journal.name()
    const answer = await this.#ask('POST', '/api/v3/chat', signal, this.#bodyOf(name))
    const id = isSuccess(answer) ? this.#idIn(answer.json) : undefined
    if (id === undefined) {
      this.#warn('making a chat', answer)
      if (answer.status >= 300 && answer.status < 500) this.#journal.refused(name)
      return undefined
    }
    this.#created.push(id)
    this.#journal.created(name, id)
    return id
  }

  #bodyOf(name: string) {
    return { ...this.#target.createChat, name }
  }

  #idIn(answer: unknown): string | undefined {
    const { chatId } = this.#target
    return chatId === null ? findId(answer, chatIdNames) : asString(valueAt(answer, chatId))
  }

  async #fillHistory(chat: string, signal: AbortSignal): Promise<boolean> {
    for (let turn = 0; turn < historyTurns; turn += 1) {
      const json = {
        ...this.#target.generate,
        chat_id: chat,
        stream: false,
        model_id: this.#target.model,
        input: `Say one word. This is turn ${turn}.`,
      }
      const headers = { 'idempotency-key': crypto.randomUUID() }
      const answer = await this.#ask('POST', '/api/v3/message/generate', signal, json, headers)
      if (!isSuccess(answer)) {
        this.#warn('filling a history', answer)
        return false
      }
    }
    return true
  }

  async #createV2(signal: AbortSignal): Promise<string | undefined> {
    const { v2Chat, tag } = this.#target
    if (v2Chat === null) return undefined
    if (v2Chat.kind === 'any') return crypto.randomUUID()
    if (v2Chat.kind === 'ids') return v2Chat.ids[this.#v2.length % v2Chat.ids.length]
    const { method, path, query, body, id: pointer } = v2Chat
    const name = `${tag} ${this.#place}.v2.${this.#v2.length}`
    const fill = (text: string) => text.replaceAll('{name}', name)
    const spec: RequestSpec = {
      surface: 'v2',
      method,
      path: fill(path),
      query: Object.fromEntries(Object.entries(query).map(([key, value]) => [key, fill(value)])),
      json: body === undefined ? undefined : JSON.parse(fill(JSON.stringify(body))),
    }
    const answer = await this.#call(spec, signal)
    const id =
      pointer === null ? findId(answer.json, chatIdNames) : asString(valueAt(answer.json, pointer))
    if (!isSuccess(answer) || id === undefined) this.#warn('making a v2 chat', answer)
    return id
  }

  #ask(
    method: string,
    path: string,
    signal: AbortSignal,
    json?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<SetupAnswer> {
    return this.#call({ surface: 'v3', method, path, json, headers }, signal)
  }

  async #call(spec: RequestSpec, signal: AbortSignal): Promise<SetupAnswer> {
    const place = `prepare/${this.#place}`
    const answer = await sendSetupRequest(this.#channels, this.#target, spec, { place, signal })
    // What ended because the run was left says nothing about the target.
    if (answer.timedOut || !signal.aborted) {
      this.#preparation?.recordAnswer(`${spec.method} ${spec.path}`, answer.timedOut === true)
    }
    return answer
  }

  #warn(what: string, { status, error }: SetupAnswer): void {
    const said = `${what}: ${error ?? `status ${status}`}`
    this.warnings.set(said, (this.warnings.get(said) ?? 0) + 1)
  }

  async #many(count: number, signal: AbortSignal, make: () => Promise<void>): Promise<void> {
    let begun = 0
    const lane = async () => {
      while (begun < count && !signal.aborted) {
        begun += 1
        await make()
      }
    }
    await Promise.all(Array.from({ length: Math.min(concurrency, count) }, lane))
  }
}

function isSuccess({ status }: SetupAnswer): boolean {
  return status >= 200 && status < 300
}

function isGone(answer: SetupAnswer): boolean {
  return isSuccess(answer) || answer.status === 404
}
