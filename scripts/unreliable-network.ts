/** `npm run prove:network`: conforming servers behind a proxy that loses, refuses and delays requests. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { TargetUnusableError } from '../harness/conformance/errors.ts'
import { runConformance } from '../harness/conformance/run.ts'
import { createRandomPicker } from '../harness/conformance/session/identities.ts'
import { type Disturbance, roughRoad } from '../harness/conformance/test-support/rough-road.ts'
import { inlineEngine } from '../harness/conformance/vitest/engine.ts'
import { dialectAttempt, partOf, plainAttempt, spread } from '../harness/proof/runs/attempts.ts'
import type { ProofTarget } from '../harness/proof/runs/target.ts'
import { wholeProfile } from '../harness/proof/test-support/independent-server/profile.ts'
import { startHandMadeServer } from '../harness/proof/test-support/independent-server/server.ts'
import { openSecondServer } from '../harness/proof/test-support/second-server/judged.ts'
import { dialects } from '../reference-server/deviations/index.ts'

const help = `npm run prove:network -- [options]

Runs the suites against conforming servers behind a proxy that now and then answers with a gateway's error,
drops a connection, answers nothing, or delays a request; in some of these cases the server has done what it
was asked. A run is counted as wrong if the suites have an internal error, or if a requirement is violated; a
warning counts only if the server gets none where nothing is disturbed.

  --only TEXT   only targets whose name contains it
  --sample N    so many dialects of the reference server, evenly spread; 12 by default
  --seeds N     schedules of disturbances for each target; 2 by default
  --share P     share of the requests that are disturbed; 0.06 by default
  --part K/N    every Nth target, from the Kth on, so that N processes share them`

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    sample: { type: 'string', default: '12' },
    seeds: { type: 'string', default: '2' },
    share: { type: 'string', default: '0.06' },
    part: { type: 'string', default: '1/1' },
    help: { type: 'boolean', default: false },
  },
})

const timeoutMs = 1_500
const disturbances: readonly Disturbance[] = [
  { kind: 'status', status: 502 },
  { kind: 'status', status: 504, asks: true },
  { kind: 'status', status: 503 },
  { kind: 'drop' },
  { kind: 'drop', asks: true },
  { kind: 'silence' },
  { kind: 'silence', asks: true },
  { kind: 'delay', ms: timeoutMs / 2 },
]

interface Target {
  readonly name: string
  readonly open: () => Promise<ProofTarget>
}

if (values.help) console.log(help)
else await prove()

async function prove(): Promise<void> {
  // vitest forbids it to what runs beside its tests.
  const exit = process.exit.bind(process)
  const engine = inlineEngine()
  const seeds = Array.from({ length: Number(values.seeds) }, (_, at) => `network-${at + 1}`)
  let count = 0
  let wrong = 0
  for (const target of partOf(targets(), values.part)) {
    const usual = await judged(target, { seed: 'network', share: 0 })
    for (const seed of seeds) {
      const { red, disturbed, summary } = await judged(target, {
        seed,
        share: Number(values.share),
      })
      const warnings = new Set(
        usual.red.map(verdictOf).filter((verdict) => verdict?.endsWith(' warn')),
      )
      const problems = red.filter((line) => !warnings.has(verdictOf(line)))
      count += 1
      if (problems.length > 0) wrong += 1
      const line = `${target.name} (${seed}): ${disturbed} disturbed; ${summary}`
      console.log([`${problems.length > 0 ? '!!' : '  '} ${line}`, ...problems].join('\n     '))
    }
  }
  console.log(`${count} runs, ${wrong} wrong`)
  exit(wrong > 0 ? 1 : 0)

  async function judged(
    { open }: Target,
    { seed, share }: { readonly seed: string; readonly share: number },
  ) {
    const target = await open()
    const pick = createRandomPicker(seed)
    let disturbed = 0
    const road = await roughRoad(
      () => target.profile.baseUrl,
      () => {
        if (pick(10_000) >= 10_000 * share) return undefined
        disturbed += 1
        return disturbances[pick(disturbances.length)]
      },
    )
    const outDir = mkdtempSync(join(tmpdir(), 'chatgen-network-'))
    try {
      const { profile } = target
      const limits = { ...profile.limits, timeoutMs }
      const report = await runConformance({
        profile: { ...profile, baseUrl: road.url, limits },
        selection: { profile: 'full', only: [], skip: [] },
        outDir,
        seed,
        jobs: 8,
        anyAnswer: true,
        engine,
      })
      const rows = report.requirements.filter(({ verdict }) => /^(fail|warn|error)$/.test(verdict))
      const { pass, inconclusive } = report.totals
      return {
        disturbed,
        summary: `${pass} passed, ${inconclusive} undecided`,
        red: [
          ...rows.map(({ id, verdict, message }) => `${id} ${verdict}: ${message}`),
          ...report.faults.map(({ scenario, message }) => `${scenario}: ${message}`),
        ],
      }
    } catch (error) {
      if (share === 0 || !(error instanceof TargetUnusableError)) throw error
      return { disturbed, summary: `unusable: ${error.message}`, red: [] }
    } finally {
      await road.close()
      await target.close()
      rmSync(outDir, { recursive: true, force: true })
    }
  }
}

/** Id and verdict of a line: the same requirement may be violated in several ways. */
function verdictOf(line: string): string | undefined {
  return line.split(':')[0]
}

function targets(): readonly Target[] {
  const all = [
    plainAttempt('full'),
    { name: 'second server', open: openSecondServer },
    { name: 'independent server', open: openIndependentServer },
    ...spread(dialects, Number(values.sample)).map((dialect) => dialectAttempt('dialect', dialect)),
  ]
  return all.filter(({ name }) => name.includes(values.only))
}

async function openIndependentServer(): Promise<ProofTarget> {
  const server = await startHandMadeServer({ wantsMore: true })
  return { profile: wholeProfile(server), close: () => server.close() }
}
