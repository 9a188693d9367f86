/** Capacity and plan against the real queue of the llama.cpp server, with four slots. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { medianOf } from '../../contract/averages.ts'
import { messageOf } from '../../contract/text.ts'
import { crossingOf, type DosePoint } from '../../harness/capacity/logistic.ts'
import { independentShare } from '../../harness/capacity/probe.ts'
import { shareInterval } from '../../harness/load/statistics/shares.ts'
import { percent } from '../../reports/text/format.ts'
import { isInstalled, requestsIn } from '../foreign/programs.ts'
import { comparePlan, resultsOf, rounded, search, type Trial } from './plan-trial.ts'
import { type ForeignServer, startServer } from './servers.ts'
import { compareLoads } from './traces.ts'

/** Reason why the queue cannot be tested here; null if there is none. */
export function queueProblem(): string | null {
  if (!existsSync(join(cpuGroups, 'cpu.cfs_quota_us'))) return `no control groups in ${cpuGroups}`
  if (availableParallelism() < 2) return 'the generator needs a CPU of its own'
  const missing = ['nginx', 'taskset'].filter((program) => !isInstalled(program))
  return missing.length === 0 ? null : `not installed: ${missing.join(', ')}`
}

export interface QueueOptions {
  readonly root: string
  readonly key: string
  /** Number of capacity searches, and the time of each, such as `3m`. */
  readonly searches: number
  readonly budget: string
  /** Number of runs at fixed rates before and after each search, and the length of each, such as `20s`. */
  readonly runs: number
  readonly length: string
  /** Leaves out all but one search and loads that differ from it. */
  readonly loads: boolean
}

const cpuGroups = '/sys/fs/cgroup/cpu'
/** Latency limits, ms. One server has the whole of the first CPU; of two, each has 40 % of it. */
const limits = { alone: 40, shared: 100 }
const allowed = 0.1
const sloOf = (limitMs: number) => `ttft.p90 < ${limitMs}ms`
/** Rates of the runs lie within this distance of the capacity, on a logarithmic scale. */
const spread = 0.1
const mixOf = (template?: string) =>
  JSON.stringify({
    name: 'queue',
    transactions: [
      {
        kind: 'openai-stream',
        prompt: { uniform: { min: 5, max: 20 } },
        answer: { uniform: { min: 2, max: 6 } },
        ...(template === undefined ? {} : { template }),
      },
    ],
  })

/** Prints what was found. @returns true if the intervals contain the truth, and the plan holds */
export async function testQueue(server: ForeignServer, options: QueueOptions): Promise<boolean> {
  const { root, key, budget } = options
  const folder = join(root, 'queue')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'mix.yaml')
  writeFileSync(file, mixOf())
  const common = ['--mix', file, '--prefix', 'openai=/v1', '--workers', '1']
  const trial = { folder, key, common, range: { min: 20, max: 400, probe: '8s', budget } }
  // Later child processes inherit it.
  spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', '1', `${process.pid}`])
  // A smaller model than that of the checks serves more requests in the time of a search.
  const small = [
    ...server.command.map((part) => part.replace('random.gguf', 'small.gguf')),
    '64',
    '2',
  ]
  const start = (group: readonly string[] = []) =>
    startServer({ ...server, command: ['taskset', '-c', '0', ...group, ...small] }, { root, key })
  const alone = await start()
  if (alone === null) return false
  const measured = { ...trial, slo: sloOf(limits.alone) }
  let holds = true
  let rate: number
  try {
    const base = await search(measured, 'base', alone.url)
    rate = printSearch('one replica', measured, base).rate
    if (!options.loads) holds = await searchesHold(measured, alone.url, rate, options)
  } finally {
    await alone.stop()
  }
  await compareLoads({ ...measured, from: 'base', base: rate }, start, mixOf)
  if (options.loads) return holds
  const groups = [0, 1].map((at) => limitedGroup(`chatgen-queue-${at}`))
  const replicas: (typeof alone)[] = []
  try {
    for (const { command } of groups) {
      const replica = await start(command)
      if (replica !== null) replicas.push(replica)
    }
    const urls = replicas.map(({ url }) => url)
    const [one = ''] = urls
    const shared = { ...trial, slo: sloOf(limits.shared) }
    const base = await search(shared, 'one', one)
    printSearch('one of two replicas', shared, base)
    for (const balance of ['least-connections', 'round-robin'] as const) {
      const isHeld = await comparePlan({
        ...{ ...shared, from: 'one', base: base.rate, replicas: urls, balance },
        ...{ shares: [0.6, 0.9], length: '60s' },
        tolerance: { latency: 0.15, rate: 0.1 },
      })
      holds &&= isHeld
    }
    return holds
  } finally {
    for (const replica of replicas) await replica.stop()
    for (const { remove } of groups) remove()
  }
}

/**
 * Compares the interval of each search with the capacity by fixed rates right before and after it, as the speed of the
 * machine changes in the time of all.
 * @param center rate around which the fixed rates lie
 * @returns true if nine of ten intervals hold it
 */
async function searchesHold(
  trial: Trial,
  url: string,
  center: number,
  options: QueueOptions,
): Promise<boolean> {
  const widths: number[] = []
  let held = 0
  let before = await fixedRates(trial, url, center, options)
  for (let at = 0; at < options.searches; at += 1) {
    const seeded = { ...trial, common: [...trial.common, '--seed', `queue-${at}`] }
    const found = await search(seeded, `search-${at}`, url).catch(messageOf)
    const after = await fixedRates(trial, url, center, options)
    const truth = crossingOf([...before, ...after], allowed)
    before = after
    console.log(`true capacity ${truth?.rate.toFixed(2)} [${rounded(truth?.interval ?? [])}] req/s`)
    if (typeof found === 'string') {
      console.log(`search ${at}: ${found}`)
      continue
    }
    const { rate, interval } = printSearch(`search ${at}`, seeded, found)
    const [low, high] = interval
    widths.push((high - low) / rate)
    if (truth !== null && low <= truth.rate && truth.rate <= high) held += 1
  }
  console.log(
    `${held} of ${options.searches} intervals hold the true capacity, median width ${percent(medianOf(widths) ?? 0)}`,
  )
  return held >= 0.9 * options.searches
}

function printSearch(name: string, { slo }: Trial, found: Awaited<ReturnType<typeof search>>) {
  const { rate, interval, minutes } = found
  console.log(
    `${name}: ${rate.toFixed(2)} [${rounded(interval)}] req/s within ${slo}, ${minutes.toFixed(1)} min`,
  )
  return found
}

/** Share of requests over the limit at fixed rates. */
async function fixedRates(
  trial: Trial,
  url: string,
  center: number,
  { runs, length }: QueueOptions,
): Promise<readonly DosePoint[]> {
  const points: DosePoint[] = []
  for (let run = 0; run < runs; run += 1) {
    const place = runs === 1 ? 0 : (2 * run) / (runs - 1) - 1
    const rate = Number((center * Math.exp(place * spread)).toFixed(2))
    const plain = ['--rate', `${rate}`, '--duration', length, '--seed', `fixed-${run}`]
    const results = await resultsOf(trial, 'fixed', ['load', url, ...trial.common, ...plain])
    const series = requestsIn(results)
      .toSorted((a, b) => a.planned - b.planned)
      .map(({ planned, firstText }) =>
        Number(firstText === null || firstText - planned >= limits.alone),
      )
    const over = series.reduce((sum, each) => sum + each, 0)
    const independent = independentShare(series)
    const [count, effective] = [series.length * independent, over * independent]
    points.push({ rate, count, over: effective })
    const { low, high } = shareInterval(Math.round(count), Math.min(effective, Math.round(count)))
    console.log(
      `${rate.toFixed(2).padStart(6)} req/s: ${percent(over / series.length)} [${percent(low)}, ${percent(high)}] of ${series.length} requests over ${limits.alone} ms`,
    )
  }
  return points
}

/** A control group with 40 % of a CPU in slices of 4 ms, so that two replicas leave time to the kernel. */
function limitedGroup(name: string) {
  const folder = join(cpuGroups, name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'cpu.cfs_period_us'), '10000')
  writeFileSync(join(folder, 'cpu.cfs_quota_us'), '4000')
  const command = ['sh', '-c', 'echo $$ >"$0"; exec "$@"', join(folder, 'cgroup.procs')]
  return { command, remove: () => rmdirSync(folder) }
}
