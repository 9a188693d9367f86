/** One run of a load generator against the paced server. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, openSync, readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { slugOf } from '../../contract/text.ts'
import { cpuOf, memoryIn } from '../foreign/programs.ts'
import { argumentsOf, numberAt, type Order, type Peer, reportOf } from './peer.ts'
import {
  type Conduct,
  type Origin,
  type PacedServer,
  type Pair,
  pace,
  type Truth,
  truthOf,
  withServer,
} from './server.ts'

export interface Load
  extends Pick<Order, 'rate' | 'seconds' | 'tokens'>,
    Partial<Omit<Conduct, 'tokens'>> {
  /** Folder for the folder of the run. */
  readonly root: string
}

export interface Run {
  readonly peer: Peer
  readonly report: unknown
  readonly truth: Truth
  /** Milliseconds of CPU time for a second of a stream. */
  readonly cpuMs: number
  readonly mb: number
}

const key = 'peers-key'
/** Time beyond the length of the run: Python programs start slowly. */
const patienceMs = 300_000
/** The server has the first CPU for itself, the generator the last. */
const hasTaskset = spawnSync('taskset', ['--version']).status === 0 && availableParallelism() > 1
const pinnedTo = (cpu: number) => (hasTaskset ? ['taskset', '-c', String(cpu)] : [])
let runs = 0

/** @throws Error if the program leaves no report */
export async function measure(server: PacedServer, peer: Peer, load: Load): Promise<Run> {
  const { rate, seconds, tokens, fault = 'none', freeze = [0, 0] } = load
  runs += 1
  const folder = join(load.root, slugOf(`${runs} ${peer.name} ${rate} ${fault}`))
  mkdirSync(folder, { recursive: true })
  const longestMs = pace.ttft[1] + tokens * pace.gap[1] + freeze[1] - freeze[0]
  const order = {
    ...{ key, rate, seconds, tokens, folder },
    connections: Math.ceil(rate * (1 + longestMs / 1000)),
  }
  let usage: Usage | undefined
  let report: unknown
  const conduct = { folder, tokens, fault, freeze, pinned: pinnedTo(0) }
  const log = await withServer(server, conduct, async (url) => {
    usage = await used(peer, { ...order, url })
    report = reportOf(peer, { ...order, url })
  })
  const truth = truthOf(log, rate)
  const cpuSeconds = usage?.cpuSecondsWithin(truth.window) ?? Number.NaN
  return {
    ...{ peer, report, truth },
    cpuMs: (1000 * cpuSeconds) / truth.streamSeconds,
    mb: usage?.peakMb() ?? Number.NaN,
  }
}

async function used(peer: Peer, order: Order): Promise<Usage> {
  const command = [peer.program, ...argumentsOf(peer, order)]
  const [file = '', ...rest] = [...pinnedTo(availableParallelism() - 1), ...command]
  const child = spawn(file, rest, {
    cwd: order.folder,
    env: { ...process.env, CHATGEN_API_KEY: key, ...peer.env },
    stdio: ['ignore', openSync(join(order.folder, 'stdout'), 'w'), 'ignore'],
    detached: true,
  })
  const usage = sampledUsage(child.pid ?? 0)
  const timer = setTimeout(
    () => process.kill(-(child.pid ?? 0), 'SIGKILL'),
    order.seconds * 1000 + patienceMs,
  )
  await once(child, 'exit')
  clearTimeout(timer)
  usage.end()
  return usage
}

/** Error of the reported latency at p50 and p99 against the server's; null if the program reports none. */
export function latencyError(
  { peer, report, truth }: Run,
  metric: 'ttft' | 'e2e',
  origin: Origin,
): Pair | null {
  const source = peer[metric]
  return source === undefined ? null : off(pairAt(report, source), truth.latency(source.of, origin))
}

export function gapError({ peer: { gap }, report, truth }: Run): Pair | null {
  return gap === undefined ? null : off(pairAt(report, gap), truth[gap.of])
}

function pairAt(report: unknown, { at, names: [p50, p99], unit }: Omit<Peer['e2e'], 'of'>): Pair {
  return [unit * numberAt(report, `${at}.${p50}`), unit * numberAt(report, `${at}.${p99}`)]
}

function off(found: Pair, [p50, p99]: Pair): Pair {
  return [found[0] - p50, found[1] - p99]
}

type Usage = ReturnType<typeof sampledUsage>

/** @param session id of the session whose processes count: the pid of a detached child */
function sampledUsage(session: number) {
  const cpu = new Map<number, number>()
  const samples: { readonly atNs: number; readonly cpuSeconds: number }[] = []
  let peak = 0
  const timer = setInterval(() => {
    let bytes = 0
    for (const pid of readdirSync('/proc').map(Number).filter(Number.isInteger)) {
      try {
        const { session: own, seconds } = cpuOf(pid)
        if (own !== session) continue
        cpu.set(pid, seconds)
        bytes += memoryIn(pid, 'Pss')
      } catch {
        // It has ended.
      }
    }
    peak = Math.max(peak, bytes)
    const cpuSeconds = [...cpu.values()].reduce((sum, seconds) => sum + seconds, 0)
    samples.push({ atNs: Number(process.hrtime.bigint()), cpuSeconds })
  }, 500)
  const at = (ns: number) => samples.findLast(({ atNs }) => atNs <= ns)?.cpuSeconds ?? 0
  return {
    end: () => clearInterval(timer),
    /** Seconds of all processes between two moments of the monotonic clock, to the nearest samples. */
    cpuSecondsWithin: ([from, to]: readonly [number, number]) => at(to) - at(from),
    /** Megabytes of all processes at once; shared pages count once (PSS). */
    peakMb: () => peak / 2 ** 20,
  }
}
