/** Clients that write to a server without pause, and record what it acknowledges. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { call } from '../../harness/client/test-support/send.ts'

interface Turn {
  readonly chatId: string
  readonly key: string
  readonly input: string
  /** Answer that was acknowledged; undefined if none completed. */
  answer?: string
}

/** Place for acknowledged and attempted writes of a number of clients. */
export function emptyLedger() {
  return {
    chats: new Set<string>(),
    deleted: new Set<string>(),
    /** Deletions whose answer did not arrive. */
    undecided: new Set<string>(),
    turns: [] as Turn[],
    uploads: new Set<string>(),
  }
}

type Ledger = ReturnType<typeof emptyLedger>

const maxLeaseMs = 30_000

export interface Target {
  /** The current server; requests fail while there is none. */
  readonly url: () => string
  readonly key: string
}

/** Writes until the signal fires. Requests that fail are not repeated: the check does that. */
export async function writeUntil(
  signal: AbortSignal,
  target: Target,
  ledger: Ledger,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await oneConversation(signal, target, ledger)
    } catch {
      await sleep(20)
    }
  }
}

async function oneConversation(
  signal: AbortSignal,
  target: Target,
  { chats, deleted, undecided, turns, uploads }: Ledger,
): Promise<void> {
  const created = await send(target, 'POST', '/api/v3/chat', { name: randomUUID() })
  if (created.status !== 201) throw new Error(`${created.status}`)
  const chatId = textMember(created.text, 'id')
  chats.add(chatId)
  for (let count = 0; count < 3 && !signal.aborted; count += 1) {
    const turn: Turn = { chatId, key: randomUUID(), input: `Turn ${count} of ${chatId}` }
    turns.push(turn)
    const { status, text } = await generate(target, turn)
    if (status === 200) turn.answer = text
    const form = new FormData()
    form.append('file', new Blob([randomUUID()], { type: 'text/plain' }), 'a.txt')
    const uploaded = await send(target, 'POST', '/api/v3/attachment', form)
    if (uploaded.status === 201) uploads.add(textMember(uploaded.text, 'id'))
  }
  if (chats.size % 3 > 0) return
  undecided.add(chatId)
  const { status } = await send(target, 'DELETE', `/api/v3/chat/${chatId}`)
  if (status !== 204) return
  undecided.delete(chatId)
  deleted.add(chatId)
}

/** Differences between a server and what it has acknowledged. Repeats every turn. */
export async function differences(target: Target, ledger: Ledger): Promise<readonly string[]> {
  const { chats, deleted, undecided, turns, uploads } = ledger
  const problems: string[] = []
  for (const id of chats) {
    const { status } = await send(target, 'GET', `/api/v3/chat/${id}`)
    if (undecided.has(id)) {
      if (status === 404) deleted.add(id)
    } else if (status !== (deleted.has(id) ? 404 : 200)) {
      problems.push(`chat ${id}: ${status}, ${deleted.has(id) ? 'deleted' : 'created'} before`)
    }
  }
  const stored = await walk(target, '/api/v3/attachment')
  const files = new Set(stored.map((row) => String(row['id'])))
  for (const id of uploads) if (!files.has(id)) problems.push(`file ${id} is lost`)
  for (const turn of turns.filter(({ chatId }) => !deleted.has(chatId))) {
    const { status, text } = await answerTo(target, turn)
    if (status !== 200) problems.push(`repeat of ${turn.input}: ${status}`)
    else if (turn.answer !== undefined && turn.answer !== text) {
      problems.push(`repeat of ${turn.input}: another answer`)
    }
    turn.answer = text
  }
  for (const [chatId, own] of Map.groupBy(turns, (turn) => turn.chatId)) {
    if (deleted.has(chatId)) continue
    const rows = await walk(target, '/api/v3/message', { chat_id: chatId, limit: '2' })
    const inputs = rows.flatMap(inputText)
    const expected = own.map(({ input }) => input)
    if (inputs.toSorted().join() !== expected.toSorted().join()) {
      problems.push(`history of ${chatId}: ${inputs.join(', ')}; expected ${expected.join(', ')}`)
    }
  }
  return problems
}

/** The answer to a repeat: its key is in use until the lease of a killed replica expires. */
async function answerTo(target: Target, turn: Turn) {
  for (const until = Date.now() + maxLeaseMs; ; await sleep(200)) {
    const answer = await generate(target, turn)
    if (answer.status !== 409 || Date.now() > until) return answer
  }
}

function generate(target: Target, { chatId, key, input }: Turn) {
  const body = { chat_id: chatId, model_id: 'SVC-Main', input: `${input} [[tokens=4]]` }
  return send(target, 'POST', '/api/v3/message/generate', body, { 'idempotency-key': key })
}

type JsonObject = Readonly<Record<string, unknown>>

async function walk(
  target: Target,
  path: string,
  query: Readonly<Record<string, string>> = {},
): Promise<readonly JsonObject[]> {
  const rows: JsonObject[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = new URLSearchParams({ ...query, ...(cursor === '' ? {} : { cursor }) })
    const { status, text } = await send(target, 'GET', `${path}?${page}`)
    if (status !== 200) throw new Error(`GET ${path}: ${status}`)
    const body: { result: JsonObject[]; pagination: { cursor: string | null } } = JSON.parse(text)
    rows.push(...body.result)
    cursor = body.pagination.cursor
  }
  return rows
}

/** The question of a user, without the directives of the fake model. */
function inputText({ item }: JsonObject): readonly string[] {
  const text = JSON.stringify(item)
  if (!text.includes('"role":"user"')) return []
  return /Turn \d+ of [\da-f-]+/.exec(text)?.slice(0, 1) ?? []
}

function textMember(json: string, name: string): string {
  const body: JsonObject = JSON.parse(json)
  return String(body[name])
}

function send({ url, key }: Target, method: string, path: string, body?: object, headers = {}) {
  const signal = AbortSignal.timeout(30_000)
  return call({ url: url(), key }, method, path, body, { headers, signal })
}
