/**
 * Error and power of `chatgen compare`: runs of the same distribution, and runs of which the second is
 * 10 % slower. Simulated, with requests that depend on each other, and real, against `chatgen serve`.
 *
 *   node scripts/compare-truth.ts [--simulated 400] [--runs 41] [--slow 20] [--seconds 15] [--rate 30]
 *
 * Real runs follow each other: each is compared with the next one, so N runs make N - 1 comparisons.
 * `--runs 0` leaves them out. Pairs with an overloaded generator decide nothing and are listed.
 */
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import type { LoadReport } from '../contract/report/load/report.ts'
import type { ChildServer } from '../harness/load/child-server.ts'
import { compareLoads } from '../harness/load/comparison/compare-loads.ts'
import { defaultLoadOptions } from '../harness/load/options.ts'
import { mixEntry } from '../harness/load/plan/mix.ts'
import { runLoad } from '../harness/load/run.ts'
import { plainTarget } from '../harness/load/target.ts'
import { simulatedRun } from '../harness/load/test-support/simulated-run.ts'
import { serve } from './foreign/programs.ts'
import { table } from './load/text.ts'

const { values } = parseArgs({
  options: {
    simulated: { type: 'string', default: '400' },
    runs: { type: 'string', default: '41' },
    slow: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '15' },
    rate: { type: 'string', default: '30' },
  },
})
const [simulated, runs, slow, seconds, rate] = [
  ...[values.simulated, values.runs, values.slow, values.seconds, values.rate],
].map(Number) as [number, number, number, number, number]

/** Milliseconds: stamps of a busy machine are late by less than one gap between tokens. */
const gap = 60

type Runs = readonly [a: LoadReport, b: LoadReport]

const simulatedPairs = (factor: number) =>
  Array.from(
    { length: simulated },
    (_, pair): Runs => [simulatedRun(2 * pair, 1), simulatedRun(2 * pair + 1, factor)],
  )
const rows = [
  outcomes('simulated, same', simulatedPairs(1)),
  outcomes('simulated, 10 % slower', simulatedPairs(1.1)),
]
if (runs > 1) {
  const servers = await Promise.all([1, 1.1].map(started))
  const [same, slower] = servers as [ChildServer, ChildServer]
  const reports: LoadReport[] = []
  for (let run = 0; run < runs; run++) reports.push(await measured(same.url, run))
  const slowReports: LoadReport[] = []
  for (let run = 0; run < slow; run++) slowReports.push(await measured(slower.url, runs + run))
  await Promise.all(servers.map((server) => server.stop()))
  const pairs = reports.slice(1).map((report, index): Runs => [reports[index] ?? report, report])
  const slowPairs = slowReports.map((report, index): Runs => [reports[index] ?? report, report])
  rows.push(outcomes('real, same', pairs), outcomes('real, 10 % slower', slowPairs))
}
console.log(`load of the machine ${(loadavg()[0] ?? 0).toFixed(2)}\n`)
console.log(table(['', 'pairs', 'regression', 'improvement', 'neither', 'invalid generator'], rows))

function outcomes(name: string, pairs: readonly Runs[]): string[] {
  const found = pairs.map(([a, b]) =>
    compareLoads(
      { name: 'a', report: a },
      { name: 'b', report: b },
      { figures: null, tolerance: 0.05 },
    ),
  )
  const has = (verdict: string) =>
    found.filter(({ figures }) => figures.some((figure) => figure.verdict === verdict)).length
  const invalid = found.filter(({ outcome }) => outcome === 'invalid').length
  const decided = has('regression') + has('improvement')
  const counts = [pairs.length, has('regression'), has('improvement')]
  return [name, ...[...counts, pairs.length - decided - invalid, invalid].map(String)]
}

function started(factor: number): Promise<ChildServer> {
  const pace = `ttft=${10 * gap * factor}ms,gap=${gap * factor}ms,jitter=0.2`
  return serve('--key', 'k', '--pace', pace)
}

function measured(url: string, run: number): Promise<LoadReport> {
  const answer = { kind: 'uniform', min: 15, max: 25 } as const
  return runLoad({
    ...defaultLoadOptions,
    target: plainTarget(url, 'k'),
    spec: {
      seed: `truth-${run}`,
      mix: {
        name: 'truth',
        entries: [mixEntry({ name: 'stream', kind: 'openai-stream', answer })],
      },
      arrival: { kind: 'poisson', perSecond: rate },
      durationNs: seconds * 1e9,
      misbehavior: { slowReader: 0, abort: 0, churn: 0 },
      idempotencyRaces: 0,
    },
    drainMs: 5000,
    maxInFlight: 1000,
    maxTimestampErrorMs: gap,
    suite: { version: '0', interface: '0' },
    signal: new AbortController().signal,
  })
}
