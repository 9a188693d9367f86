import { setTimeout as sleep } from 'node:timers/promises'
import { isObject, type JsonObject } from '../../contract/json.ts'
import { type Draw, pick } from '../../reference-server/runtime/random.ts'
import type { Answer, Operation } from './operation.ts'

export interface HistoryClientOptions {
  /** Endpoints of one service; each request goes to one of them. */
  readonly urls: () => readonly string[]
  /** A caller of its own: nobody else may change its chats. */
  readonly key: string
  /** Part of all names and texts of this client. */
  readonly name: string
  readonly draw: Draw
}

type Turn = Pick<Operation & { kind: 'generate' }, 'chat' | 'key' | 'input'>

const requestTimeoutMs = 10_000
/** Time for an answer after the last crash: leases, restarts, and a machine that is busy with other things. */
const answerWithinMs = 30_000
const retryPauseMs = 200

/** Sends operations drawn from a seed, one after the other, and records them with their answers. */
export class HistoryClient {
  readonly history: Operation[] = []
  readonly #options: HistoryClientOptions
  readonly #draw: Draw
  readonly #chats: string[] = []
  readonly #turns: Turn[] = []
  #count = 0

  constructor(options: HistoryClientOptions) {
    this.#options = options
    this.#draw = options.draw
  }

  async sendNext(): Promise<void> {
    const chat = this.#chats[Math.floor(this.#draw() * this.#chats.length)]
    const turn = this.#turns[Math.floor(this.#draw() * this.#turns.length)]
    const kind = this.#draw()
    if (chat === undefined || kind < 0.1) await this.#create()
    else if (turn !== undefined && kind < 0.25) await this.#generate(turn)
    else if (kind < 0.5) await this.#generate(this.#newTurn(chat))
    else if (kind < 0.6) {
      const raced = this.#newTurn(chat)
      await Promise.all([this.#generate(raced), this.#generate(raced)])
    } else if (kind < 0.75) await this.#readHistory(chat)
    else if (kind < 0.85) await this.#favorite(chat, this.#draw() < 0.6)
    else if (kind < 0.95) await this.#readChats(this.#draw() < 0.5)
    else await this.#delete(chat)
  }

  /**
   * Reads everything and repeats every turn, once the service is whole again; each until it is answered,
   * since a key is free only after the lease of a replica that was killed.
   *
   * @returns requests that were not answered in time, of which nothing would be known
   */
  async readAll(): Promise<readonly string[]> {
    const requests = [
      ...this.#turns.map((turn) => () => this.#generate(turn)),
      ...this.#chats.map((chat) => () => this.#readHistory(chat)),
      () => this.#readChats(false),
      () => this.#readChats(true),
    ]
    const unanswered: string[] = []
    for (const send of requests) {
      if (await this.#isAnswered(send)) continue
      const at = this.history.length - 1
      unanswered.push(`operation ${at}: ${this.history[at]?.kind} has no answer after the crashes`)
    }
    return unanswered
  }

  async #isAnswered(send: () => Promise<void>): Promise<boolean> {
    for (const until = Date.now() + answerWithinMs; ; await sleep(retryPauseMs)) {
      await send()
      if (this.history.at(-1)?.answer !== 'unknown') return true
      if (Date.now() > until) return false
    }
  }

  #newTurn(chat: string): Turn {
    const id = this.#nextId()
    const turn = { chat, key: `key-${id}`, input: `Turn ${id}.` }
    this.#turns.push(turn)
    return turn
  }

  #nextId(): string {
    this.#count += 1
    return `${this.#options.name}-${this.#count}`
  }

  async #create(): Promise<void> {
    const name = `Chat ${this.#nextId()}`
    const answer = await this.#send('POST', '/chat', { name }, (body) => ({ chat: idIn(body) }))
    this.history.push({ kind: 'create', name, answer })
    if (typeof answer === 'object') this.#chats.push(answer.chat)
  }

  async #generate(turn: Turn): Promise<void> {
    const { chat, key, input } = turn
    const body = { chat_id: chat, model_id: 'SVC-Main', input: `${input} [[tokens=8]]` }
    const answer = await this.#send(
      'POST',
      '/message/generate',
      body,
      (json) => ({ response: idIn(json) }),
      { 'idempotency-key': key },
    )
    this.history.push({ kind: 'generate', ...turn, answer })
  }

  async #delete(chat: string): Promise<void> {
    const answer = await this.#send('DELETE', `/chat/${chat}`, undefined, () => ({}))
    this.history.push({ kind: 'delete', chat, answer })
  }

  async #favorite(chat: string, on: boolean): Promise<void> {
    const path = `/chat/${chat}/favorite`
    const answer = await this.#send(on ? 'POST' : 'DELETE', path, undefined, () => ({}))
    this.history.push({ kind: 'favorite', chat, on, answer })
  }

  async #readHistory(chat: string): Promise<void> {
    const answer = await this.#walk('/message', { chat_id: chat, limit: pageSize(this.#draw) })
    this.history.push({
      kind: 'history',
      chat,
      answer: withResult(answer, ({ rows }) => ({ rows: rows.map(inputOf) })),
    })
  }

  async #readChats(onlyFavorites: boolean): Promise<void> {
    const path = onlyFavorites ? '/chat/favorite' : '/chat'
    const answer = await this.#walk(path, { limit: pageSize(this.#draw) })
    this.history.push({
      kind: 'chats',
      onlyFavorites,
      answer: withResult(answer, ({ rows }) => ({
        chats: rows.map((row) => ({ id: idIn(row), name: String(row['name']) })),
      })),
    })
  }

  /** All rows of a list, page by page, each page from any endpoint. */
  async #walk(
    path: string,
    query: Readonly<Record<string, string>>,
  ): Promise<Answer<{ rows: readonly JsonObject[] }>> {
    const rows: JsonObject[] = []
    const cursors = new Set<string>()
    for (let cursor = ''; ; ) {
      const page = new URLSearchParams({ ...query, ...(cursor === '' ? {} : { cursor }) })
      const answer = await this.#send('GET', `${path}?${page}`, undefined, pageIn)
      if (typeof answer !== 'object') return answer
      rows.push(...answer.rows)
      if (answer.cursor === null) return { done: true, rows }
      if (cursors.has(answer.cursor)) throw new Error(`${path}: the cursors run in a circle`)
      cursors.add(answer.cursor)
      cursor = answer.cursor
    }
  }

  async #send<Result>(
    method: string,
    path: string,
    body: object | undefined,
    read: (json: unknown) => Result,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer<Result>> {
    const { urls, key } = this.#options
    const [first = '', ...others] = urls()
    const answer = await this.#fetch(`${pick(this.#draw, [first, ...others])}/api/v3${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(requestTimeoutMs),
    })
    if (answer === undefined) return 'unknown'
    const { status, text } = answer
    if (status === 404) return 'no-chat'
    if (status > 299) return isTemporary(status) ? 'unknown' : status
    return { done: true, ...read(text === '' ? undefined : JSON.parse(text)) }
  }

  /** Undefined without a complete answer. */
  async #fetch(
    url: string,
    init: RequestInit,
  ): Promise<{ readonly status: number; readonly text: string } | undefined> {
    try {
      const response = await fetch(url, init)
      return { status: response.status, text: await response.text() }
    } catch {
      return undefined
    }
  }
}

/** The store is away, or the key is in use by a request that has not ended. */
function isTemporary(status: number): boolean {
  return status === 409 || status === 503
}

function withResult<From, To>(answer: Answer<From>, convert: (from: From) => To): Answer<To> {
  return typeof answer === 'object' ? { done: true, ...convert(answer) } : answer
}

function pageSize(draw: Draw): string {
  return pick(draw, ['1', '2', '3', '50'])
}

function pageIn(json: unknown): { rows: readonly JsonObject[]; cursor: string | null } {
  const { result, pagination } = isObject(json) ? json : {}
  const cursor = isObject(pagination) ? pagination['cursor'] : undefined
  if (!Array.isArray(result) || (typeof cursor !== 'string' && cursor !== null)) {
    throw new Error(`no page: ${JSON.stringify(json)}`)
  }
  return { rows: result.filter(isObject), cursor }
}

function idIn(json: unknown): string {
  const id = isObject(json) ? json['id'] : undefined
  if (typeof id !== 'string') throw new Error(`no id: ${JSON.stringify(json)}`)
  return id
}

/** The text of an input, without the directives of the fake model; null for another item. */
function inputOf({ item }: JsonObject): string | null {
  if (!isObject(item) || item['role'] !== 'user') return null
  return /Turn [\w-]+\./.exec(JSON.stringify(item))?.[0] ?? JSON.stringify(item)
}
