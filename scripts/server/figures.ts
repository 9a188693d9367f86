/**
 * The reference server and a bare node:http server that writes the same bytes, in one run; see
 * docs/internals/performance.md.
 */
import { fileURLToPath } from 'node:url'
import { lowerMedianOf, quantileOf } from '../../contract/averages.ts'
import { call } from '../../harness/client/test-support/send.ts'
import { runBench } from '../../harness/load/bench/bench.ts'
import { benchCases } from '../../harness/load/bench/cases.ts'
import { childServer } from '../../harness/load/child-server.ts'
import { plainTarget } from '../../harness/load/target.ts'
import { startReferenceServer } from '../../reference-server/index.ts'
import { openStore } from '../../reference-server/store/open-store.ts'
import { serve } from '../foreign/programs.ts'
import { bodyOf, key, memoryOf, paced } from './streams.ts'

/** A line of the table: a figure, its anchor, their ratio, and the goal of one of them. */
export interface Row {
  readonly name: string
  readonly figure: string
  readonly anchor: string
  readonly anchorFigure: string
  readonly ratio: number
  readonly goal: string
  readonly isMet: boolean
}

/** Sizes of the measurements: duration of each, paced streams, open streams, and rows of a history. */
export interface Sizes {
  readonly seconds: number
  readonly streams: number
  readonly open: number
  readonly rows: number
}

export const serverFigures = [
  { name: 'server: burst', rows: throughput },
  { name: 'server: paced streams', rows: pacedStreams },
  { name: 'server: open streams', rows: openStreams },
  { name: 'server: history page', rows: historyPages },
] as const

const gapMs = 20
const warmUpSeconds = 5
const bareServer = 'bare node:http server'
const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))

async function throughput({ seconds }: Sizes): Promise<readonly Row[]> {
  const server = await serve('--key', key)
  const maxTokens = 64
  const text = `Describe a harbour. [[tokens=${maxTokens}]]`
  const options = {
    target: plainTarget(server.url, key),
    prompt: { text, maxTokens },
    cases: benchCases,
    connections: 10,
    timeoutSeconds: 60,
    turns: 8,
    signal: new AbortController().signal,
  }
  const bench = async () => {
    // Warm-up: a whole server takes longer than a bare one to be compiled.
    await runBench({ ...options, seconds: warmUpSeconds, baseline: false })
    return runBench({ ...options, seconds, baseline: true })
  }
  const { rows: measured } = await bench().finally(() => server.stop())
  return measured.map(({ case: name, target, baseline, ratio }) => {
    const goal = name.endsWith('stream') ? 0.85 : 0.5
    const rate = (one: typeof target | null) => `${one?.answersPerSecond.toFixed(0)}/s`
    return {
      ...{ name: `server: burst, ${name}`, figure: rate(target) },
      ...{ anchor: bareServer, anchorFigure: rate(baseline), ratio: ratio ?? 0 },
      ...{ goal: `>= ${goal}`, isMet: (ratio ?? 0) >= goal },
    }
  })
}

async function pacedStreams({ seconds, streams }: Sizes): Promise<readonly Row[]> {
  const server = await serve('--key', key, '--pace', `ttft=0ms,gap=${gapMs}ms`)
  const pieces = await piecesOf(server.url, Math.ceil((seconds + 30) * (1000 / gapMs)))
  const load = { streams, gapMs, seconds }
  const ours = await paced(server, load).finally(() => server.stop())
  const line = JSON.stringify({ pieces, gapMs })
  const bare = await childServer([path('bare-paced.ts')], { line })
  const its = await paced(bare, load).finally(() => bare.stop())
  const late = ({ errors }: typeof ours) => quantileOf(errors, 0.99) ?? Number.NaN
  const name = `server: ${streams} streams of 50 tokens/s`
  const cpu = ours.cpuUs / its.cpuUs
  return [
    {
      ...{ name: `${name}, CPU of an event`, figure: `${ours.cpuUs.toFixed(1)} µs` },
      ...{ anchor: bareServer, anchorFigure: `${its.cpuUs.toFixed(1)} µs`, ratio: cpu },
      ...{ goal: '<= 1.25', isMet: cpu <= 1.25 },
    },
    {
      ...{ name: `${name}, lateness p99`, figure: `${late(ours).toFixed(2)} ms` },
      ...{ anchor: bareServer, anchorFigure: `${late(its).toFixed(2)} ms` },
      ...{ ratio: late(ours) / late(its), goal: '< 2 ms', isMet: late(ours) < 2 },
    },
  ]
}

/** Events for an answer of this length, repeated from a short one of the server. */
async function piecesOf(url: string, tokens: number): Promise<readonly string[]> {
  const body = { ...bodyOf(tokens), max_tokens: 50 }
  const { text } = await call({ url, key }, 'POST', '/api/openai/chat/completions', body)
  const events = text.split(/(?<=\n\n)/).slice(0, 50)
  return Array.from({ length: tokens }, (_, at) => events[at % events.length] ?? '')
}

async function openStreams({ open }: Sizes): Promise<readonly Row[]> {
  const server = await serve('--key', key, '--pace', 'ttft=0ms,gap=60s')
  const ours = await memoryOf(server, open).finally(() => server.stop())
  const line = JSON.stringify({ pieces: ['data: {}\n\n'], gapMs: 60_000 })
  const bare = await childServer([path('bare-paced.ts')], { line })
  const its = await memoryOf(bare, open).finally(() => bare.stop())
  const text = (bytes: number) => `${(bytes / 1024).toFixed(1)} KB`
  return [
    {
      ...{ name: `server: ${open} open streams, memory of one`, figure: text(ours) },
      ...{ anchor: bareServer, anchorFigure: text(its), ratio: ours / its },
      ...{ goal: '<= 20 KB', isMet: ours <= 20 * 1024 },
    },
  ]
}

async function historyPages({ rows }: Sizes): Promise<readonly Row[]> {
  const store = await openStore('memory')
  const server = await startReferenceServer({ keys: [key], store })
  const owner = server.services.authenticate(`Bearer ${key}`, { method: 'GET', path: '/' }) ?? ''
  const pageMs = async (count: number) => {
    const id = crypto.randomUUID()
    const times = { createdAt: 0, updatedAt: 0 }
    await store.chats.create({ id, owner, name: 'bench', version: 'v3', favorite: false, ...times })
    const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }
    for (let at = 0; at < count / 2; at += 1) {
      const run = { id: `r${at}`, parentId: null, createdAt: 0, input: [item], output: [item] }
      await store.history.append(id, run)
    }
    const latencies: number[] = []
    for (let request = 0; request < 400; request += 1) {
      const startedAt = performance.now()
      await call({ url: server.url, key }, 'GET', `/api/v3/message?chat_id=${id}&limit=50`)
      if (request >= 100) latencies.push(performance.now() - startedAt)
    }
    return lowerMedianOf(latencies) ?? Number.NaN
  }
  try {
    const [few, many] = [await pageMs(100), await pageMs(rows)]
    return [
      {
        ...{ name: `server: history page of ${rows} rows`, figure: `${many.toFixed(2)} ms` },
        ...{ anchor: 'of 100 rows', anchorFigure: `${few.toFixed(2)} ms`, ratio: many / few },
        ...{ goal: '<= 1.2', isMet: many / few <= 1.2 },
      },
    ]
  } finally {
    await server.close()
    await store.close()
  }
}
