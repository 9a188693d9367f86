/**
 * A load run as a replicated job on a real Docker Swarm: builds the image of this checkout, starts the reference server on this machine, runs four shards against it, and
 * verifies the merged report.
 *
 *   node scripts/swarm.ts [--shards 4] [--rate 20] [--seconds 15] [--keep]
 *
 * Without docker, or without an engine that answers, it says what it skips and exits with 0. An engine that
 * is in no swarm gets one for the time of the test.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { capacityReport } from '../contract/report/capacity/report.ts'
import { type LoadReport, loadReport } from '../contract/report/load/report.ts'
import { childServer } from '../harness/load/child-server.ts'
import { fromHdr } from '../harness/load/metrics/samples/distribution.ts'
import { Histogram } from '../harness/load/metrics/samples/histogram.ts'
import { rankOf } from '../harness/load/statistics/quantile-interval.ts'
import { buildImage } from './image/build.ts'
import { engineProblem, need, root, run } from './image/engine.ts'

const { values } = parseArgs({
  options: {
    shards: { type: 'string', default: '4' },
    rate: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '15' },
    keep: { type: 'boolean', default: false },
  },
})
const bin = join(root, 'bin/chatgen.cjs')
const image = 'chatgen-swarm-test'
const key = 'sk-swarm-0123456789abcdef'

const problem = engineProblem()
if (problem !== null) {
  console.log(`skipped: four shards on a Docker Swarm (${problem})`)
} else {
  const format = '{{.ServerVersion}} {{.Swarm.LocalNodeState}}'
  const [version, state] = need('docker', ['info', '--format', format]).trim().split(' ')
  console.log(`Docker engine ${version}, swarm ${state}`)
  const isOurs = state !== 'active'
  if (isOurs) need('docker', ['swarm', 'init', '--advertise-addr', '127.0.0.1'])
  try {
    buildImage(image)
    await loadOnSwarm()
  } finally {
    if (isOurs) run('docker', ['swarm', 'leave', '--force'])
    if (!values.keep) run('docker', ['image', 'rm', '--force', image])
  }
}

async function loadOnSwarm(): Promise<void> {
  const host = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address
  if (host === undefined) throw new Error('this machine has no address that containers reach')
  const flags = ['--host', '0.0.0.0', '--port', '0', '--key', key]
  const pace = ['--pace', 'ttft=100ms,gap=10ms,jitter=0.2']
  const server = await childServer([bin, 'serve', ...flags, ...pace])
  const out = mkdtempSync(join(tmpdir(), 'chatgen-swarm-'))
  try {
    const url = `http://${host}:${new URL(server.url).port}`
    const load = ['load', url, '--rate', values.rate, '--duration', `${values.seconds}s`]
    const runner = ['--runner', 'swarm', '--shards', values.shards, '--image', image]
    const { code, stdout, stderr } = run(
      process.execPath,
      [bin, ...load, ...runner, '--seed', 'swarm', '--out', out, '--quiet'],
      { env: { CHATGEN_API_KEY: key } },
    )
    console.log(stdout.trim() || stderr)
    verify(out, code)
    probeCapacity(url, join(out, 'capacity'))
  } finally {
    await server.stop()
    if (!values.keep) rmSync(out, { recursive: true, force: true })
  }
}

/** A short search: its probes are jobs of the swarm, and their requests come back to be observed. */
function probeCapacity(url: string, out: string): void {
  const search = ['capacity', url, '--slo', 'ttft.p95 < 2s', '--min', '5', '--max', '6']
  const limits = ['--probe', '8s', '--budget', '60s', '--seed', 'swarm', '--report', 'console']
  const runner = ['--runner', 'swarm', '--shards', '2', '--start-in', '30s', '--image', image]
  const { stdout, stderr } = run(
    process.execPath,
    [bin, ...search, ...limits, ...runner, '--out', out, '--quiet'],
    { env: { CHATGEN_API_KEY: key } },
  )
  console.log(stdout.trim() || stderr)
  const file = readFileSync(join(out, 'report.json'), 'utf8')
  const { probes } = capacityReport.parse(JSON.parse(file))
  const sent = probes.filter(({ purpose }) => purpose !== 'baseline')
  const observed = sent.filter(({ slo }) => slo.some(({ requests }) => (requests ?? 0) > 0))
  console.log(
    `${sent.length} probes of a search ran in the swarm, ${observed.length} with requests`,
  )
  if (sent.length === 0 || observed.length < sent.length) process.exitCode = 1
}

/** Verifies figures that do not depend on the speed of the machine, which may make the run invalid. */
function verify(out: string, code: number | null): void {
  const merged = readReport(out)
  const shards = Array.from({ length: Number(values.shards) }, (_, index) =>
    readReport(join(out, `shard-${index}`)),
  )
  const problems = [
    ...(merged.partial === undefined ? [] : ['shards are missing']),
    ...(merged.plan.ownTransactions === merged.plan.transactions ? [] : ['the plan is not whole']),
    ...merged.audits
      .filter(({ name, verdict }) => name.startsWith('conservation') && verdict === 'fail')
      .map(({ message }) => message),
    ...(new Set(shards.map(({ plan }) => plan.hash)).size === 1 ? [] : ['the plans differ']),
    ...(merged.integrity.streams === sum(shards, ({ integrity }) => integrity.streams)
      ? []
      : ['streams of the shards do not add up']),
    ...quantileProblems(merged),
    ...(code === 0 || code === 6 ? [] : [`exit code ${code}`]),
  ]
  for (const note of merged.notes) console.log(`note: ${note}`)
  const starts = merged.shards?.boundMs?.toFixed(1) ?? 'unknown'
  console.log(
    `${merged.plan.transactions} transactions in ${shards.length} shards, plan ${merged.plan.hash.slice(0, 12)}, start spread at most ${starts} ms, generator ${merged.generator.verdict}`,
  )
  for (const problem of problems) console.log(`PROBLEM ${problem}`)
  if (problems.length === 0) console.log('the merge holds')
  else process.exitCode = 1
}

/** Quantiles of the merged report against its own histograms. */
function quantileProblems({ metrics }: LoadReport): string[] {
  return metrics.flatMap(({ name, response }) => {
    if (!response?.histogram || response.censored > 0) return []
    const values = new Histogram()
    values.merge(fromHdr(response.histogram.base64))
    return response.quantiles.flatMap(({ q, value }) => {
      if (value === null) return []
      const own = values.highAt(rankOf(q, values.count)) / 1e6
      return Math.abs(own / value - 1) < 0.002 ? [] : [`${name}.p${q * 100}: ${own}, not ${value}`]
    })
  })
}

function readReport(folder: string): LoadReport {
  return loadReport.parse(JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')))
}

function sum(reports: readonly LoadReport[], read: (report: LoadReport) => number): number {
  return reports.reduce((total, report) => total + read(report), 0)
}
