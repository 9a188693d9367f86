/**
 * Explores servers with stateful faults, and legal ones.
 *
 *   npm run explore:truth -- [options]
 *
 * Prints for how many seeds each fault was found, and by how many requests it is shown; ends with 1 if a legal
 * server is accused, or a fault is found for less than 9 of 10 seeds or not shown by 6 requests.
 *
 *   --only GLOB        only faults, dialects and combinations of such a name; may be repeated
 *   --seeds N          sequences of each (10)
 *   --operations N     operations of each (300)
 *   --jobs N           sequences at once (4)
 *   --faults           only faults
 *   --legal            only the plain server, dialects and combinations
 *   --combinations N   combinations of dialects (50)
 *   --verbose          every violation
 *
 *   npm run explore:truth -- --faults --seeds 3
 *   npm run explore:truth -- --legal --seeds 1 --operations 100
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { matchesGlob } from '../contract/glob.ts'
import { targetFixture } from '../fixtures/targets.ts'
import { exploreTarget, type TargetExploration } from '../harness/explore/run.ts'
import { startDeviant } from '../harness/proof/runs/target.ts'
import {
  combineDialects,
  type Dialect,
  dialects,
  statefulFaults,
} from '../reference-server/deviations/index.ts'
import { none, optionsOf } from './options.ts'

const values = optionsOf(import.meta, {
  ...{ only: none, seeds: 10, operations: 300, jobs: 4, combinations: 50 },
  ...{ faults: false, legal: false, verbose: false },
})
const { seeds } = values
/** Minimum share of seeds that find a fault, and maximum requests that show it. */
const minFound = 0.9
const maxRequests = 6

process.exitCode = (await prove()) === 0 ? 0 : 1

async function prove(): Promise<number> {
  let objections = 0
  if (!values.legal) {
    for (const { name, patch, breaks } of statefulFaults.filter(isWanted)) {
      // Changes by such a server are visible at once.
      const profile = { limits: { timeoutMs: 10_000, settleMs: 60 } }
      const results = await exploreSeeds({ name, summary: '', patch, profile })
      objections += tellFault(name, breaks, results)
    }
  }
  if (!values.faults) {
    let operations = 0
    for (const dialect of legalServers().filter(isWanted)) {
      const results = await exploreSeeds(dialect)
      operations += results.reduce((sum, result) => sum + result.operations, 0)
      objections += tellLegal(dialect.name, results)
    }
    console.log(`legal servers: ${operations} operations`)
  }
  console.log(`${objections} objections`)
  return objections
}

function legalServers(): readonly Dialect[] {
  const plain: Dialect = { name: 'plain', summary: 'The plain server.', patch: (parts) => parts }
  const combined = Array.from({ length: values.combinations }, (_, at) => combineDialects(at + 1))
  return [plain, ...dialects, ...combined]
}

/** Several servers at once: exploring waits for most of its time. */
async function exploreSeeds(dialect: Dialect): Promise<readonly TargetExploration[]> {
  const results: TargetExploration[] = []
  let next = 0
  const work = async () => {
    while (next < seeds) {
      next += 1
      const seed = next
      results[seed - 1] = await exploreSeed(dialect, `s${seed}`)
    }
  }
  await Promise.all(Array.from({ length: values.jobs }, work))
  return results
}

async function exploreSeed(dialect: Dialect, seed: string): Promise<TargetExploration> {
  const outDir = mkdtempSync(join(tmpdir(), 'chatgen-explore-'))
  const pace = { ttftMs: 0, gapMs: 0, jitter: 0 }
  const fixture = targetFixture('reference')
  const target = await startDeviant(dialect.patch, fixture, dialect.profile, pace)
  try {
    const { operations } = values
    return await exploreTarget(target.profile, { operations, seed, outDir })
  } finally {
    await target.close()
    rmSync(outDir, { recursive: true, force: true })
  }
}

function tellFault(
  name: string,
  breaks: readonly string[],
  results: readonly TargetExploration[],
): number {
  const found = results.flatMap(({ violations }) => violations.slice(0, 1))
  const isRight = found.filter(({ violation }) => breaks.includes(violation.requirement))
  const requests = found.map(({ exchanges }) => exchanges.length).sort((a, b) => a - b)
  const after = found.map(({ foundAfter }) => foundAfter).sort((a, b) => a - b)
  const rows = [...new Set(found.map(({ violation }) => violation.requirement))].join(' ')
  const unrepeated = results.reduce((sum, result) => sum + result.unrepeated.length, 0)
  const cost = results.map(({ requests, generations }) => `${requests}/${generations}`).join(' ')
  const isGood = isRight.length >= seeds * minFound && (requests.at(-1) ?? 0) <= maxRequests
  console.log(
    [
      `${isGood ? '  ' : '!!'} ${name}: found ${found.length} of ${seeds}`,
      `${isRight.length} as ${breaks.join(' ')}${rows === '' ? '' : ` (${rows})`}`,
      `after ${after.join(' ')} operations`,
      `shown by ${requests.join(' ')} requests`,
      `cost ${cost} requests/generations`,
      ...(unrepeated > 0 ? [`${unrepeated} did not happen again`] : []),
    ].join('; '),
  )
  if (values.verbose) for (const result of results) tellViolations(result)
  return isGood ? 0 : 1
}

function tellLegal(name: string, results: readonly TargetExploration[]): number {
  const accused = results.filter(
    ({ violations, unrepeated, judged }) => violations.length + unrepeated.length + judged.length,
  )
  const requests = results.reduce((sum, result) => sum + result.requests, 0)
  const sent = `${results.reduce((sum, { operations }) => sum + operations, 0)} operations, ${requests} requests`
  console.log(`${accused.length === 0 ? '  ' : '!!'} ${name}: ${sent}`)
  for (const result of accused) tellViolations(result)
  return accused.length
}

function tellViolations({ violations, unrepeated, judged }: TargetExploration): void {
  for (const { violation, exchanges, operations } of violations) {
    console.log(`     ${violation.requirement}: ${violation.message}`)
    for (const { command, chat, turn, variant, limit, label } of operations) {
      console.log(
        `       ${label} ${[command, chat, turn, variant, limit].filter(Boolean).join(', ')}`,
      )
    }
    for (const { id, summary } of exchanges) console.log(`       ${id} ${summary}`)
  }
  for (const { requirement, message } of unrepeated) {
    console.log(`     did not happen again: ${requirement}: ${message}`)
  }
  for (const text of judged) console.log(`     judged: ${text}`)
}

function isWanted({ name }: { readonly name: string }): boolean {
  if (values.only.length === 0) return true
  return values.only.some((glob) => matchesGlob(name, glob))
}
