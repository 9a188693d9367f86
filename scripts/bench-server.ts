/**
 * The reference server and a bare node:http server that writes the same bytes, in one run; see
 * docs/internals/performance.md.
 *
 *   npm run bench:server [-- --seconds 3 --streams 1000 --open 5000 --rows 100000]
 *
 * Prints each figure with its goal. Ends with 1 if a goal is missed.
 */
import { loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { lowerMedianOf, quantileOf } from '../contract/averages.ts'
import { runBench } from '../harness/load/bench/bench.ts'
import { benchCases } from '../harness/load/bench/cases.ts'
import { type ChildServer, childServer } from '../harness/load/child-server.ts'
import { plainTarget } from '../harness/load/target.ts'
import { startReferenceServer } from '../reference-server/index.ts'
import { openStore } from '../reference-server/store/open-store.ts'
import { bodyOf, key } from './server/event-stream.ts'
import { memoryOf, paced } from './server/streams.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    streams: { type: 'string', default: '1000' },
    open: { type: 'string', default: '5000' },
    rows: { type: 'string', default: '100000' },
  },
})
const [seconds, streams, open, rows] = [
  values.seconds,
  values.streams,
  values.open,
  values.rows,
].map(Number) as [number, number, number, number]
const gapMs = 20
const warmUpSeconds = 5
const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))
let missed = 0

console.log(`load of the machine ${(loadavg()[0] ?? 0).toFixed(1)}`)
await start()
await throughput()
await pacedStreams()
await openStreams()
await historyPages()
process.exitCode = missed === 0 ? 0 : 1

function print(name: string, figure: string, goal: string, isMet: boolean): void {
  if (!isMet) missed += 1
  console.log(
    `${isMet ? 'met   ' : 'missed'}  ${name.padEnd(34)} ${figure.padEnd(44)} goal: ${goal}`,
  )
}

function serve(...flags: readonly string[]): Promise<ChildServer> {
  return childServer([path('../bin/chatgen.cjs'), 'serve', '--port', '0', '--key', key, ...flags])
}

async function start(): Promise<void> {
  const times: number[] = []
  for (let run = 0; run < 6; run += 1) {
    const startedAt = performance.now()
    const server = await serve()
    times.push(performance.now() - startedAt)
    await server.stop()
  }
  const ms = lowerMedianOf(times.slice(1)) ?? Number.NaN
  print('start', `${ms.toFixed(0)} ms, median of 5`, '< 400 ms', ms < 400)
}

async function throughput(): Promise<void> {
  const server = await serve()
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
  for (const { case: name, target, baseline, ratio } of measured) {
    const goal = name.endsWith('stream') ? 0.85 : 0.5
    const rates = [target, baseline].map((one) => one?.answersPerSecond.toFixed(0))
    const figure = `${(ratio ?? 0).toFixed(2)} of bare (${rates.join(' and ')} answers/s)`
    print(`burst, ${name}`, figure, `>= ${goal}`, (ratio ?? 0) >= goal)
  }
}

async function pacedStreams(): Promise<void> {
  const server = await serve('--pace', `ttft=0ms,gap=${gapMs}ms`)
  const pieces = await piecesOf(server.url, Math.ceil((seconds + 30) * (1000 / gapMs)))
  const load = { streams, gapMs, seconds }
  const ours = await paced(server, load).finally(() => server.stop())
  const line = JSON.stringify({ pieces, gapMs })
  const bareServer = await childServer([path('server/bare-paced.ts')], { line })
  const bare = await paced(bareServer, load).finally(() => bareServer.stop())
  const ratio = ours.cpuUs / bare.cpuUs
  const costs = `${ours.cpuUs.toFixed(1)} and ${bare.cpuUs.toFixed(1)} µs`
  const name = `${streams} streams of 50 tokens/s`
  print(`${name}, CPU`, `${ratio.toFixed(2)} of bare (${costs} an event)`, '<= 1.25', ratio <= 1.25)
  const [error = Number.NaN, bareError = Number.NaN] = [ours, bare].map(
    ({ errors }) => quantileOf(errors, 0.99) ?? Number.NaN,
  )
  const figure = `p99 ${error.toFixed(2)} ms (bare ${bareError.toFixed(2)} ms)`
  print(`${name}, pacing error`, figure, 'p99 < 2 ms', error < 2)
  const busy = [ours, bare].map(({ clientBusy }) => `${(100 * clientBusy).toFixed(0)} %`)
  console.log(`        client busy for ${busy.join(' and ')} of the time`)
}

/** Events for an answer of this length, repeated from a short one of the server. */
async function piecesOf(url: string, tokens: number): Promise<readonly string[]> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ ...bodyOf(tokens), max_tokens: 50 })
  const answer = await fetch(`${url}/api/openai/chat/completions`, {
    method: 'POST',
    headers,
    body,
  })
  const events = (await answer.text()).split(/(?<=\n\n)/).slice(0, 50)
  return Array.from({ length: tokens }, (_, at) => events[at % events.length] ?? '')
}

async function openStreams(): Promise<void> {
  const server = await serve('--pace', 'ttft=0ms,gap=60s')
  const ours = await memoryOf(server, open).finally(() => server.stop())
  const line = JSON.stringify({ pieces: ['data: {}\n\n'], gapMs: 60_000 })
  const bareServer = await childServer([path('server/bare-paced.ts')], { line })
  const bare = await memoryOf(bareServer, open).finally(() => bareServer.stop())
  const figure = `${(ours / 1024).toFixed(1)} KB each (bare ${(bare / 1024).toFixed(1)} KB)`
  print(`${open} open streams, memory`, figure, '<= 20 KB', ours <= 20 * 1024)
}

async function historyPages(): Promise<void> {
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
    const headers = { authorization: `Bearer ${key}` }
    const latencies: number[] = []
    for (let request = 0; request < 400; request += 1) {
      const startedAt = performance.now()
      await (await fetch(`${server.url}/api/v3/message?chat_id=${id}&limit=50`, { headers })).text()
      if (request >= 100) latencies.push(performance.now() - startedAt)
    }
    return lowerMedianOf(latencies) ?? Number.NaN
  }
  try {
    const [few, many] = [await pageMs(100), await pageMs(rows)]
    const figure = `${(many / few).toFixed(2)} times (${few.toFixed(2)} and ${many.toFixed(2)} ms)`
    print(`history page of ${rows} rows to 100`, figure, '<= 1.2', many / few <= 1.2)
  } finally {
    await server.close()
    await store.close()
  }
}
