/**
 * Hostile requests to a server on each store: good requests with one thing wrong, made from the OpenAPI
 * document, and bytes that are no HTTP.
 *
 *   node scripts/hostile-requests.ts [--requests 100000 --store memory,sqlite,postgres --seed 1]
 *
 * Ends with 1 if the server crashes, answers 5xx for another reason than its database, needs more and
 * more memory, or if its data is damaged afterwards. The memory store keeps what it accepts: its memory
 * is printed only.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Agent } from 'undici'
import { seededDraw } from '../reference-server/runtime/random.ts'
import { postgresPrograms } from '../reference-server/test-support/postgres.ts'
import { garbage, hostileRequests, sendHostile } from './hostile/requests.ts'
import { checkHistory } from './store/client-history.ts'
import { HistoryClient } from './store/history-client.ts'
import { startStoreServer } from './store/store-server.ts'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    store: { type: 'string', default: 'memory,sqlite,postgres' },
    seed: { type: 'string', default: '1' },
  },
})
const keys = ['sk-hostile-caller-4711', 'sk-honest-caller-4711'] as const
const concurrency = 16
const garbageInterval = 20
const honestOperations = 60
/** Growth of the resident memory from the first half to the second. */
const max = { growth: 1.25, slackMb: 30 }

let failed = 0
for (const store of values.store.split(',')) {
  if (store === 'postgres' && postgresPrograms() === undefined) {
    console.log('postgres: skipped, PostgreSQL is not installed')
    continue
  }
  const problems = await attacked(store)
  failed += problems.length
  for (const problem of problems.slice(0, 10)) console.log(`  ${problem}`)
}
process.exitCode = failed > 0 ? 1 : 0

async function attacked(store: string): Promise<readonly string[]> {
  const server = await startStoreServer(store, keys)
  const dispatcher = new Agent({ connections: concurrency })
  const total = Number(values.requests)
  const counts = new Map<string, number>()
  const problems: string[] = []
  const memoryMb: number[] = []
  try {
    const client = new HistoryClient({
      urls: () => [server.url],
      key: keys[1],
      name: 'honest',
      draw: seededDraw(Number(values.seed), store),
    })
    for (let count = 0; count < honestOperations; count += 1) await client.sendNext()
    const requests = hostileRequests(server.url, keys[0], Number(values.seed))
    let sent = 0
    const attack = async () => {
      while (sent < total) {
        sent += 1
        if (sent % Math.ceil(total / 20) === 0) memoryMb.push(residentMb(server.pid))
        const isGarbage = sent % garbageInterval === 0
        const { value: hostile } = await requests.next()
        if (hostile === undefined) return
        const outcome = isGarbage
          ? await garbage(server.url, hostile)
          : await sendHostile(server.url, keys[0], hostile, dispatcher)
        counts.set(outcome.kind, (counts.get(outcome.kind) ?? 0) + 1)
        if (outcome.problem !== undefined) problems.push(outcome.problem)
      }
    }
    await Promise.all(Array.from({ length: concurrency }, attack))
    const before = client.history.length
    await client.readAll()
    problems.push(...checkHistory(client.history))
    const unanswered = client.history
      .slice(before)
      .filter(({ answer }) => answer === 'unknown').length
    if (unanswered > 0) problems.push(`${unanswered} honest requests have no answer`)
    if (store !== 'memory') problems.push(...growthProblems(memoryMb))
  } finally {
    await dispatcher.close()
    problems.push(...(await server.close()))
  }
  const kinds = [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1))
  console.log(
    `${store}: ${total} requests, ${kinds.map(([kind, count]) => `${kind}: ${count}`).join(', ')}; memory ${memoryMb.map(Math.round).join(' ')} MB; ${problems.length} problems`,
  )
  return problems
}

function residentMb(pid: number): number {
  const kb = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kb) / 1024
}

function growthProblems(memoryMb: readonly number[]): readonly string[] {
  const half = Math.floor(memoryMb.length / 2)
  const [first, second] = [memoryMb.slice(0, half), memoryMb.slice(half)].map((each) =>
    Math.max(...each),
  )
  if (first === undefined || second === undefined) return []
  if (second <= max.growth * first + max.slackMb) return []
  return [`the memory grew from ${Math.round(first)} MB to ${Math.round(second)} MB`]
}
