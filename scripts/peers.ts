/**
 * Compares our load engine with other load generators, against a paced server in Go, whose own timestamps are the
 * truth. Programs that are not on PATH are left out with a message; without Go there is nothing to compare with.
 *
 *   npm run peers -- [--experiments latency,freeze,limit,faults] [--rate 60] [--seconds 6] [--tokens 40] [--runs 3]
 *                    [--only vegeta,oha] [--keep DIR]
 *
 * - latency: errors of the reported latencies; medians of `--runs` in rotating order
 * - freeze: the same if the server writes nothing for 3 s
 * - limit: the highest rate at which the p99 of the first token is within 5 ms
 * - faults: the broken streams that each program notices
 *
 * The server has the first CPU and the generator the last one if taskset is installed.
 */
import { spawnSync } from 'node:child_process'
import { availableParallelism, cpus, loadavg } from 'node:os'
import { lowerMedianOf } from '../contract/averages.ts'
import { messageOf } from '../contract/text.ts'
import { columns } from '../reports/text/format.ts'
import { optionsOf, scriptFolder } from './options.ts'
import { gapError, type Load, latencyError, measure, type Run } from './peers/measure.ts'
import { failuresIn, peers as known, type Peer } from './peers/peer.ts'
import { buildServer, type PacedServer, pace } from './peers/server.ts'

const values = optionsOf(import.meta, {
  ...{ experiments: 'latency', rate: 60, seconds: 6, tokens: 40, runs: 3, only: '', keep: '' },
})

const root = scriptFolder('peers', values.keep)
const { rate, seconds, tokens } = values
const load: Load = { root, rate, seconds, tokens }
const freezeMs = 3000
const withinMs = 5
const [lowestRate, highestRate] = [50, 3200]

type Experiment = (server: PacedServer, peers: readonly Peer[]) => Promise<void>
const experiments: Readonly<Record<string, Experiment>> = {
  latency: (server, peers) => compare(server, peers, load),
  freeze: (server, peers) => {
    const from = seconds * 300
    return compare(server, peers, { ...load, freeze: [from, from + freezeMs] })
  },
  limit: findLimits,
  faults: countNoticed,
}

/** Errors in milliseconds, p50 and p99. */
const errors: Readonly<Record<string, (run: Run) => readonly number[] | null>> = {
  'first token': (run) => latencyError(run, 'ttft', 'request'),
  'with connecting': (run) => latencyError(run, 'ttft', 'connection'),
  'from schedule': (run) => latencyError(run, 'ttft', 'schedule'),
  'between tokens': gapError,
  'whole response': (run) => latencyError(run, 'e2e', 'request'),
  'e2e from schedule': (run) => latencyError(run, 'e2e', 'schedule'),
}

const facts: Readonly<Record<string, (run: Run) => readonly number[]>> = {
  lateness: ({ truth }) => truth.lateness,
  requests: ({ truth }) => [truth.requests],
  rate: ({ truth }) => [truth.rate],
  'CPU ms a stream-second': ({ cpuMs }) => [cpuMs],
  MB: ({ mb }) => [mb],
}

await main()

async function main(): Promise<void> {
  const server = buildServer(root)
  if (server === null) return console.log('SKIPPED, go is not on PATH: the paced server needs it')
  const only = values.only.split(',').filter(Boolean)
  const peers = known.filter(
    (peer) => (only.length === 0 || only.includes(peer.name)) && isPresent(peer),
  )
  const [machine, bounds] = [cpus()[0]?.model, (ms: readonly number[]) => ms.join(' to ')]
  console.log(
    `\nNode ${process.version}; ${availableParallelism()} CPUs, ${machine}; first token after ${bounds(pace.ttft)} ms, gaps of ${bounds(pace.gap)} ms, ${tokens} tokens an answer`,
  )
  for (const name of values.experiments.split(',')) {
    const experiment = experiments[name]
    if (experiment === undefined) throw new Error(`--experiments ${name} is unknown`)
    await experiment(server, peers)
  }
}

function isPresent({ name, program, version, note }: Peer): boolean {
  const { error, stdout } = spawnSync(program, version, { encoding: 'utf8' })
  console.log(
    error === undefined
      ? `${name}: ${stdout.trim().split('\n')[0]}; ${note}`
      : `${name}: left out, ${program} is not on PATH`,
  )
  return error === undefined
}

async function compare(server: PacedServer, peers: readonly Peer[], of: Load): Promise<void> {
  const results = new Map<Peer, (Run | string)[]>(peers.map((peer) => [peer, []]))
  for (let run = 0; run < values.runs; run += 1) {
    const at = run % peers.length
    for (const peer of [...peers.slice(at), ...peers.slice(0, at)]) {
      results.get(peer)?.push(await measure(server, peer, of).catch(shortMessage))
    }
  }
  const rows = [...results].map(([{ name }, found]) => {
    const runs = found.filter((each) => typeof each !== 'string')
    if (runs.length === 0) return [name, String(found[0])]
    return [
      ...[name, ...Object.values(errors).map((error) => medians(runs.map(error), '+'))],
      ...Object.values(facts).map((fact) => medians(runs.map(fact))),
    ]
  })
  const frozen = of.freeze === undefined ? '' : `, the server frozen for ${freezeMs / 1000} s`
  console.log(
    `\n${rate} requests per second for ${seconds} s${frozen}, medians of ${values.runs} runs; errors in ms against the server's timestamps, p50 / p99; load of the machine ${(loadavg()[0] ?? 0).toFixed(1)}\n`,
  )
  console.log(columns([['', ...Object.keys(errors), ...Object.keys(facts)], ...rows]).join('\n'))
}

function medians(runs: readonly (readonly number[] | null)[], plus = ''): string {
  const found = runs.filter((each) => each !== null)
  const cells = found[0]?.map((_, at) => {
    const median = lowerMedianOf(found.map((each) => each[at] ?? Number.NaN)) ?? Number.NaN
    return Number.isNaN(median) ? '–' : `${median > 0 ? plus : ''}${median.toFixed(1)}`
  })
  return cells?.join(' / ') ?? '–'
}

async function findLimits(server: PacedServer, peers: readonly Peer[]): Promise<void> {
  const rows: string[][] = []
  for (const peer of peers.filter(({ ttft }) => ttft !== undefined)) {
    const { within, beyond } = await limitOf(server, peer)
    rows.push([peer.name, ...cellsOf(within), ...cellsOf(beyond)])
  }
  const head = ['', 'highest rate', 'events/s', 'error', 'first rate beyond', 'events/s', 'error']
  console.log(
    `\nHighest rate at which the p99 of the first token is within ${withinMs} ms of the server's\n`,
  )
  console.log(columns([head, ...rows]).join('\n'))
}

type Tried = Awaited<ReturnType<typeof tryRate>>

function cellsOf(tried: Tried | null): string[] {
  if (tried === null) return ['–', '–', '–']
  return [String(tried.rate), tried.eventsPerSecond.toFixed(0), tried.error]
}

/** Doubles the rate until the error is too large, then tries the rate between the two. */
async function limitOf(server: PacedServer, peer: Peer) {
  let within: Tried | null = null
  let beyond: Tried | null = null
  for (let next = lowestRate; next <= highestRate; ) {
    const tried: Tried = await tryRate(server, peer, next)
    if (tried.isWithin) within = tried
    else beyond = tried
    if (within === null || (beyond !== null && beyond.rate / within.rate < 1.5)) break
    next = Math.round(within.rate * (beyond === null ? 2 : Math.SQRT2))
  }
  return { within, beyond }
}

/** Error of the p99 of the first token, or the reason why there is none. */
async function tryRate(server: PacedServer, peer: Peer, target: number) {
  // Enough requests for a p99.
  const length = Math.max(3, Math.ceil(330 / target))
  try {
    const run = await measure(server, peer, { ...load, rate: target, seconds: length })
    const error = latencyError(run, 'ttft', 'request')?.[1] ?? Number.NaN
    const isSent = run.truth.rate >= 0.95 * target
    return {
      rate: target,
      isWithin: isSent && Math.abs(error) <= withinMs,
      eventsPerSecond: run.truth.eventsPerSecond,
      error: isSent ? `${error.toFixed(1)} ms` : `sent ${run.truth.rate.toFixed(0)}/s`,
    }
  } catch (error) {
    return { rate: target, isWithin: false, eventsPerSecond: 0, error: shortMessage(error) }
  }
}

async function countNoticed(server: PacedServer, peers: readonly Peer[]): Promise<void> {
  const rows: string[][] = []
  const short = { ...load, rate: 20, seconds: 1, tokens: 20 }
  for (const fault of server.faults) {
    const cells: string[] = []
    for (const peer of peers) {
      const run = measure(server, peer, { ...short, fault })
      cells.push(await run.then(({ report }) => String(failuresIn(peer, report)), shortMessage))
    }
    rows.push([fault, ...cells])
  }
  console.log(`\nFailed requests that each program reports, of ${short.rate * short.seconds}\n`)
  console.log(columns([['', ...peers.map(({ name }) => name)], ...rows]).join('\n'))
}

function shortMessage(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 'no report'
  return messageOf(error).replaceAll(/\s+/g, ' ').slice(0, 60)
}
