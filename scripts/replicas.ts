/**
 * Three replicas of the reference server on PostgreSQL behind nginx: `check` through nginx and over the
 * three endpoints, then `load` with races while a replica is killed and started again at intervals.
 *
 *   npm run replicas [-- --rate 100 --seconds 60 --every 10]
 *   npm run replicas -- --load-only --fault load-one-stream-in-a-thousand-cut
 *
 * The second command gives the first replica a fault, and must fail: streams are cut without a kill.
 * Ends with 1 if a check does not conform, a step is lost or stored twice, a stream is cut that did
 * not come from the replica that was killed at that moment, or a cut stream is not reported. Skips with
 * a message if PostgreSQL or nginx is not installed.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { targetFixture } from '../fixtures/files.ts'
import { defaultLoadOptions } from '../harness/load/options.ts'
import { builtInMixes } from '../harness/load/plan/mix.ts'
import type { RequestRecord } from '../harness/load/record.ts'
import { runLoad } from '../harness/load/run.ts'
import { plainTarget } from '../harness/load/target.ts'
import { postgresPrograms } from '../reference-server/test-support/postgres.ts'
import { chatgen, isInstalled } from './foreign/programs.ts'
import { optionsOf, scriptFolder } from './options.ts'
import { differences, emptyLedger, writeUntil } from './store/acknowledged.ts'
import {
  type BalancedService,
  cutStreams,
  type Kill,
  startBalancedService,
  streamEnd,
  unexplainedCuts,
} from './store/balanced-service.ts'

const values = optionsOf(import.meta, {
  ...{ rate: 100, seconds: 60, every: 10, fault: '', 'load-only': false },
})
const keys = ['sk-replicas-one-4711', 'sk-replicas-other-4711'] as const
const environment = { CHATGEN_API_KEY: keys[0], CHATGEN_OTHER_KEY: keys[1] }
// Over several endpoints, a read waits for `settleMs` after each change; the database shows it at once.
const profile = targetFixture().text.replace('settleMs: 1000', 'settleMs: 50')
const maxCheckMs = 600_000

const missing = [
  ...(postgresPrograms() === undefined ? ['PostgreSQL'] : []),
  ...(isInstalled('nginx') ? [] : ['nginx']),
]
if (missing.length > 0) console.log(`skipped: ${missing.join(' and ')} not installed`)
else await run()

async function run(): Promise<void> {
  const folder = scriptFolder('replicas-out')
  const firstReplica = values.fault === '' ? [] : ['--fault', values.fault]
  const service = await startBalancedService(3, keys, 'ttft=50ms,gap=5ms', firstReplica)
  const problems: string[] = []
  try {
    if (!values['load-only']) {
      problems.push(...(await checked('through nginx', [service.url], folder)))
      problems.push(...(await checked('over three endpoints', service.urls, folder)))
    }
    problems.push(...(await loaded(service)))
  } finally {
    await service.close()
  }
  for (const problem of problems) console.log(`FAILED: ${problem}`)
  process.exitCode = problems.length > 0 ? 1 : 0
}

async function checked(
  name: string,
  urls: readonly string[],
  folder: string,
): Promise<readonly string[]> {
  const endpoints = urls.flatMap((url) => ['--url', url])
  const target = join(folder, 'target.yaml')
  writeFileSync(target, profile)
  const out = ['--out', join(folder, 'results')]
  const { code, stdout } = await chatgen(
    ['check', ...endpoints, '--target', target, ...out, '--jobs', '16', '--quiet'],
    environment,
    maxCheckMs,
  )
  console.log(`check ${name}: ${stdout.trim()}`)
  return code === 0 ? [] : [`check ${name} ends with ${code}`]
}

/** Load, and clients that remember what was acknowledged, while replicas are killed in turn. */
async function loaded(service: BalancedService): Promise<readonly string[]> {
  const ledger = emptyLedger()
  const stop = new AbortController()
  const target = { url: () => service.url, key: keys[1] }
  const clients = Array.from({ length: 4 }, () => writeUntil(stop.signal, target, ledger))
  const killing = killInTurn(service, stop.signal)
  const { report, ends } = await load(service.url)
  stop.abort()
  await Promise.all(clients)
  const kills = await killing
  const { findings, idempotencyRaces, crossTalk, duplicateIds, streams } = report.integrity
  const count = (kind: string) =>
    report.errors.filter((row) => row.kind === kind).reduce((sum, row) => sum + row.count, 0)
  console.log(`${kills.length} replicas killed and started again
load ${report.outcome}: ${streams} streams judged, ${ends.cut.length} cut, ${count('shed')} refused, ${count('status')} with another status, ${count('connect')} not connected
races ${idempotencyRaces.races}, with two steps ${idempotencyRaces.doubled}, not readable ${idempotencyRaces.unreadable}
foreign texts ${crossTalk.leaks}, ids given twice ${duplicateIds.duplicates}, requirements violated ${findings.length}`)
  const answered = ledger.turns.filter(({ answer }) => answer !== undefined).length
  const lost = await differences(target, ledger)
  console.log(
    `beside it ${ledger.turns.length} turns, ${answered} acknowledged: ${lost.length} lost or stored twice`,
  )
  const violations = findings.find(({ id }) => id === streamEnd)?.broken ?? 0
  return [
    ...report.faults.map((fault) => `internal error: ${fault}`),
    ...(streams === 0 ? ['no stream was judged'] : []),
    ...(idempotencyRaces.doubled > 0 ? ['a race has two steps'] : []),
    ...(crossTalk.leaks > 0 ? ['an answer has the text of another'] : []),
    ...(duplicateIds.duplicates > 0 ? ['an id was given twice'] : []),
    ...findings
      .filter(({ id }) => id !== streamEnd)
      .map(({ id, title, broken, first }) => `${id} ${title} (${broken} times): ${first.why}`),
    ...unexplainedCuts({ ...ends, violations, log: service.requests(), kills }),
    ...lost,
  ]
}

async function load(url: string) {
  const tag = 'replicas'
  const records: RequestRecord[] = []
  const report = await runLoad({
    ...defaultLoadOptions,
    target: { ...plainTarget(url, keys[0]), tag },
    spec: {
      seed: tag,
      mix: builtInMixes.get('v3') ?? { name: 'v3', entries: [] },
      arrival: { kind: 'poisson', perSecond: values.rate },
      durationNs: values.seconds * 1e9,
      misbehavior: { slowReader: 0, abort: 0, churn: 0 },
      idempotencyRaces: 0.2,
    },
    drainMs: 20_000,
    suite: { version: '', interface: '' },
    signal: new AbortController().signal,
    onRecord: (record) => records.push(record),
  })
  return { report, ends: cutStreams(records, tag) }
}

async function killInTurn(service: BalancedService, signal: AbortSignal): Promise<readonly Kill[]> {
  const kills: Kill[] = []
  while (!signal.aborted) {
    await sleep(values.every * 1_000, undefined, { signal }).catch(() => {})
    if (signal.aborted) break
    kills.push(await service.restart(kills.length % service.urls.length))
  }
  return kills
}
