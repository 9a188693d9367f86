/** Capacity and plan against the real queue of the llama.cpp server: four slots on 40 % of one CPU. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { medianOf } from '../../contract/averages.ts'
import { messageOf } from '../../contract/text.ts'
import { crossingOf, type DosePoint } from '../../harness/capacity/logistic.ts'
import { independentShare } from '../../harness/capacity/probe.ts'
import { shareInterval } from '../../harness/load/statistics/shares.ts'
import { requestLine } from '../../reports/load/model/requests.ts'
import { comparePlan, reportOf, rounded, search, type Trial } from '../capacity/plan-trial.ts'
import { isInstalled } from '../foreign/programs.ts'
import { type ForeignServer, startServer } from './servers.ts'

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
  /** Number of runs at fixed rates, and the length of each, such as `60s`. */
  readonly runs: number
  readonly length: string
}

const cpuGroups = '/sys/fs/cgroup/cpu'
const limitMs = 500
const allowed = 0.1
const slo = `ttft.p90 < ${limitMs}ms`
/** Rates of the runs lie within this distance of the capacity, on a logarithmic scale. */
const spread = 0.2
const mix = `name: queue
transactions:
  - kind: openai-stream
    prompt: { uniform: { min: 10, max: 60 } }
    answer: { uniform: { min: 2, max: 12 } }
`

/** Prints what was found. @returns true if the intervals hold the truth, and the plan holds */
export async function testQueue(server: ForeignServer, options: QueueOptions): Promise<boolean> {
  const { root, key, searches, budget } = options
  const folder = join(root, 'queue')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'mix.yaml')
  writeFileSync(file, mix)
  const common = ['--mix', file, '--prefix', 'openai=/v1', '--workers', '1']
  const trial: Trial = { folder, key, slo, common }
  const limits = { min: 2, max: 200, probe: '8s', budget }
  // Later child processes inherit it.
  spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', '1', `${process.pid}`])
  const cgroups = [0, 1].map((at) => limitedGroup(`chatgen-queue-${at}`))
  const replicas: Awaited<ReturnType<typeof startServer>>[] = []
  try {
    for (const group of cgroups) {
      const command = ['taskset', '-c', '0', ...group.command, ...server.command]
      replicas.push(await startServer({ ...server, command }, { root, key }))
    }
    const urls = replicas.map((replica) => replica?.url ?? '')
    const [one = ''] = urls
    const found: (Awaited<ReturnType<typeof search>> & { readonly name: string })[] = []
    for (let at = 0; at < searches; at += 1) {
      const seeded = { ...trial, common: [...common, '--seed', `queue-${at}`] }
      const result = await search(seeded, `search-${at}`, one, limits).catch(messageOf)
      if (typeof result === 'string') {
        console.log(`search ${at}: ${result}`)
        continue
      }
      console.log(
        `search ${at}: ${result.rate.toFixed(2)} [${rounded(result.interval)}] req/s within ${slo}, ${result.minutes.toFixed(1)} min`,
      )
      found.push({ ...result, name: `search-${at}` })
    }
    const [first] = found
    if (first === undefined) return false
    const center = medianOf(found.map(({ rate }) => rate)) ?? first.rate
    const truth = await fixedRates(trial, one, center, options)
    const held = found.filter(({ interval: [low, high] }) => low <= truth && truth <= high).length
    const widths = found.map(({ rate, interval: [low, high] }) => (high - low) / rate)
    console.log(
      `${held} of ${searches} intervals hold ${truth.toFixed(2)}, median width ${percent(medianOf(widths) ?? 0)}`,
    )
    let holds = held >= 0.9 * searches
    for (const balance of ['least-connections', 'round-robin'] as const) {
      const isHeld = await comparePlan({
        ...{ ...trial, from: first.name, base: first.rate, replicas: urls, balance },
        ...{ shares: [0.6, 0.9], length: options.length, limits },
        tolerance: { latency: 0.15, rate: 0.1 },
      })
      holds &&= isHeld
    }
    return holds
  } finally {
    for (const replica of replicas) await replica?.stop()
    for (const { remove } of cgroups) remove()
  }
}

/** Share of requests over the limit at fixed rates, and the rate at which it equals the allowed one. */
async function fixedRates(
  trial: Trial,
  url: string,
  center: number,
  { runs, length }: QueueOptions,
): Promise<number> {
  const points: DosePoint[] = []
  for (let run = 0; run < runs; run += 1) {
    const place = runs === 1 ? 0 : (2 * run) / (runs - 1) - 1
    const rate = Number((center * Math.exp(place * spread)).toFixed(2))
    const plain = ['--rate', `${rate}`, '--duration', length, '--seed', `fixed-${run}`]
    await reportOf(trial, 'fixed', ['load', url, ...trial.common, ...plain])
    const lines = readFileSync(join(trial.folder, 'fixed/requests.ndjson'), 'utf8')
    const series = lines
      .split('\n')
      .filter(Boolean)
      .map((line) => requestLine.parse(JSON.parse(line)))
      .toSorted((a, b) => a.planned - b.planned)
      .map(({ planned, firstText }) => Number(firstText === null || firstText - planned >= limitMs))
    const over = series.reduce((sum, each) => sum + each, 0)
    const independent = independentShare(series)
    const [count, effective] = [series.length * independent, over * independent]
    points.push({ rate, count, over: effective })
    const { low, high } = shareInterval(Math.round(count), Math.min(effective, Math.round(count)))
    console.log(
      `${rate.toFixed(2).padStart(6)} req/s: ${percent(over / series.length)} [${percent(low)}, ${percent(high)}] of ${series.length} requests over ${limitMs} ms`,
    )
  }
  const crossing = crossingOf(points, allowed)
  if (crossing === null) throw new Error('the share over the limit does not rise with the rate')
  const rates = points.map(({ rate }) => rate)
  const isWithin = Math.min(...rates) <= crossing.rate && crossing.rate <= Math.max(...rates)
  const found = `true capacity ${crossing.rate.toFixed(2)} [${rounded(crossing.interval ?? [])}] req/s`
  console.log(isWithin ? found : `${found}, beyond the rates that were sent`)
  return crossing.rate
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

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
