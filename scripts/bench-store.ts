/**
 * Costs of the stores: writes and history pages a second, and the time to the first token beside memory,
 * with few and with many stored rows.
 *
 *   npm run bench:store [-- --rows 1000000 --seconds 2]
 *
 * Ends with 1 if a page of a history takes 1.5 times as long with many rows as with few.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { medianOf } from '../contract/averages.ts'
import { startReferenceServer } from '../reference-server/index.ts'
import { openStore } from '../reference-server/store/open-store.ts'
import type { Store } from '../reference-server/store/types.ts'
import { postgresPrograms, startPostgres } from '../reference-server/test-support/postgres.ts'

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '2' },
  },
})
const seconds = Number(values.seconds)
const fewRows = 10
const manyRows = Number(values.rows)
const rowsOfRun = 10
const runsOfChat = 100
const key = 'sk-bench-store-4711'
const maxRatio = 1.5

interface Costs {
  readonly writes: number
  readonly pages: number
  readonly firstTokenMs: number
}

const folder = mkdtempSync(join(tmpdir(), 'chatgen-bench-'))
const postgres = postgresPrograms() === undefined ? undefined : await startPostgres()
const places: (readonly [name: string, place: string])[] = [
  ['memory', 'memory'],
  ['sqlite', `sqlite:${join(folder, 'store.sqlite')}`],
]
if (postgres === undefined) console.log('skipped: PostgreSQL is not installed')
else places.push(['postgres', await postgres.createDatabase('chats')])

try {
  console.log('store     rows      turns/s  pages/s  first token ms')
  const ratios: number[] = []
  for (const [name, place] of places) ratios.push(await measure(name, place))
  process.exitCode = ratios.some((ratio) => ratio > maxRatio) ? 1 : 0
} finally {
  await postgres?.remove()
  rmSync(folder, { recursive: true, force: true })
}

/** @returns the time of a page with many rows, in times of that with few */
async function measure(name: string, place: string): Promise<number> {
  const store = await openStore(place)
  const server = await startReferenceServer({ keys: [key], store })
  const owner = server.services.authenticate(`Bearer ${key}`, { method: 'GET', path: '/' }) ?? ''
  try {
    await fill(store, owner, fewRows)
    const few = print(name, fewRows, await costs(server.url, store))
    await fill(store, owner, manyRows)
    const many = print(name, manyRows, await costs(server.url, store))
    const ratio = few.pages / many.pages
    console.log(`          a page takes ${ratio.toFixed(2)} times as long`)
    return ratio
  } finally {
    await server.close()
    await store.close()
  }
}

/** Chats of equal histories, several at a time. */
async function fill(store: Store, owner: string, rows: number): Promise<void> {
  const chats = Math.ceil(rows / rowsOfRun / runsOfChat)
  const runs = Math.min(runsOfChat, rows / rowsOfRun)
  let filled = 0
  const writer = async () => {
    while (filled < chats) {
      filled += 1
      await fillChat(store, owner, runs)
    }
  }
  await Promise.all(Array.from({ length: 8 }, writer))
}

async function fillChat(store: Store, owner: string, runs: number): Promise<void> {
  const id = crypto.randomUUID()
  const times = { createdAt: 0, updatedAt: 0 }
  await store.chats.create({ id, owner, name: 'bench', version: 'v3', favorite: false, ...times })
  const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }
  const input = Array.from({ length: rowsOfRun - 1 }, () => item)
  for (let at = 0; at < runs; at += 1) {
    await store.history.append(id, {
      id: `r${at}`,
      parentId: null,
      createdAt: 0,
      input,
      output: [item],
    })
  }
}

async function costs(url: string, store: Store): Promise<Costs> {
  const send = sender(url)
  const { result } = await send('GET', '/api/v3/chat?limit=1')
  const [{ id: filled }] = result
  const { id: chatId } = await send('POST', '/api/v3/chat', { name: 'turns' })
  const turn = () =>
    send('POST', '/api/v3/message/generate', { chat_id: chatId, model_id: 'SVC-Main', input: 'Hi' })
  const page = () => send('GET', `/api/v3/message?chat_id=${filled}&limit=10`)
  const firstTokens: number[] = []
  const firstToken = async () => {
    const { id } = await send('POST', '/api/v3/chat', { name: 'first token' })
    const started = performance.now()
    const body = { chat_id: id, model_id: 'SVC-Main', input: 'Hi', stream: true }
    await send('POST', '/api/v3/message/generate', body, () => {
      firstTokens.push(performance.now() - started)
    })
  }
  await store.ready()
  const [writes, pages] = [await perSecond(turn), await perSecond(page)]
  await perSecond(firstToken)
  return { writes, pages, firstTokenMs: medianOf(firstTokens) ?? Number.NaN }
}

/** One after another, by the median of their times, which pauses of the machine do not change. */
async function perSecond(request: () => Promise<unknown>): Promise<number> {
  for (let warmUp = 0; warmUp < 50; warmUp += 1) await request()
  const times: number[] = []
  for (const until = performance.now() + seconds * 1000; performance.now() < until; ) {
    const started = performance.now()
    await request()
    times.push(performance.now() - started)
  }
  return 1000 / (medianOf(times) ?? Number.NaN)
}

function sender(url: string) {
  return async (method: string, path: string, body?: object, onFirstByte?: () => void) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': crypto.randomUUID(),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`)
    if (onFirstByte === undefined) return JSON.parse(await response.text())
    const decoder = new TextDecoder()
    let text = ''
    let isFirst = true
    for await (const bytes of response.body ?? []) {
      text += decoder.decode(bytes, { stream: true })
      if (isFirst && text.includes('output_text.delta')) {
        isFirst = false
        onFirstByte()
      }
    }
    return {}
  }
}

function print(name: string, rows: number, result: Costs): Costs {
  const { writes, pages, firstTokenMs } = result
  const figures = [writes.toFixed(0).padStart(7), pages.toFixed(0).padStart(8)]
  console.log(
    `${name.padEnd(8)}  ${String(rows).padEnd(8)}  ${figures.join(' ')}  ${firstTokenMs.toFixed(2).padStart(14)}`,
  )
  return result
}
