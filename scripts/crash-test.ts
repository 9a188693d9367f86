/**
 * A crash test in the manner of Jepsen: concurrent clients send seeded operations to three replicas on
 * PostgreSQL, or to one server on a SQLite file, while servers and the database are killed at random
 * moments. The history of every client is then compared with a model of the service.
 *
 *   npm run crash-test [-- --store postgres|sqlite --runs 20 --seconds 20 --clients 50 --seed 1]
 *
 * Ends with 1 if a history contradicts the model. Skips with a line where PostgreSQL is not installed.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Draw, seededDraw } from '../reference-server/runtime/random.ts'
import { postgresPrograms } from '../reference-server/test-support/postgres.ts'
import { checkHistory } from './store/client-history.ts'
import { type CrashingService, crashingServices } from './store/crashing-service.ts'
import { HistoryClient } from './store/history-client.ts'

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'postgres' },
    runs: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '20' },
    clients: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
  },
})
const keys = Array.from({ length: Number(values.clients) }, (_, at) => `sk-crash-test-${at}`)
const maxPauseMs = 3000
/** Pause after a request without an answer, so that an outage is no busy loop. */
const retryPauseMs = 50

const start = crashingServices[values.store]
if (start === undefined) throw new Error('--store is postgres or sqlite')
if (values.store === 'postgres' && postgresPrograms() === undefined) {
  console.log('skipped: PostgreSQL is not installed')
} else {
  let contradictions = 0
  for (let run = 0; run < Number(values.runs); run += 1) {
    contradictions += await crashed(await start(keys), Number(values.seed) + run)
  }
  console.log(`${values.runs} runs, ${contradictions} contradictions`)
  process.exitCode = contradictions > 0 ? 1 : 0
}

/** One run; returns the number of contradictions. */
async function crashed(service: CrashingService, seed: number): Promise<number> {
  try {
    const stop = new AbortController()
    const clients = keys.map(
      (key, at) =>
        new HistoryClient({
          urls: service.urls,
          key,
          name: `${at}`,
          draw: seededDraw(seed, 'client', String(at)),
        }),
    )
    const timer = setTimeout(() => stop.abort(), Number(values.seconds) * 1000)
    const crashes = crashUntil(stop.signal, service, seededDraw(seed, 'crashes'))
    await Promise.all(
      clients.map(async (client) => {
        while (!stop.signal.aborted) {
          await client.sendNext()
          if (client.history.at(-1)?.answer === 'unknown') await sleep(retryPauseMs)
        }
      }),
    )
    clearTimeout(timer)
    const counts = await crashes
    const unanswered = await Promise.all(clients.map((client) => client.readAll()))
    const problems = [
      ...service.problems(),
      ...clients.flatMap(({ history }, at) =>
        [...checkHistory(history), ...(unanswered[at] ?? [])].map(
          (problem) => `client ${at}, ${problem}`,
        ),
      ),
    ]
    const operations = clients.flatMap(({ history }) => history)
    const unknown = operations.filter(({ answer }) => answer === 'unknown').length
    console.log(
      `seed ${seed}: ${operations.length} operations, ${unknown} without acknowledgement, ${counts.join(', ')}: ${problems.length} contradictions`,
    )
    for (const problem of problems.slice(0, 10)) console.log(`  ${problem}`)
    return problems.length
  } finally {
    await service.close()
  }
}

async function crashUntil(
  signal: AbortSignal,
  service: CrashingService,
  draw: Draw,
): Promise<readonly string[]> {
  const counts = new Map<string, number>()
  while (!signal.aborted) {
    await sleep(draw() * maxPauseMs, undefined, { signal }).catch(() => {})
    if (signal.aborted) break
    const crash = await service.crash(draw)
    counts.set(crash, (counts.get(crash) ?? 0) + 1)
  }
  return [...counts].map(([crash, count]) => `${count} ${crash}`)
}
