/**
 * Runs the suites against conforming servers behind a proxy that disturbs some requests.
 *
 *   npm run prove:network -- [options]
 *
 * With losses, a gateway's error or nothing is answered, a connection is dropped or a request delayed; in some of
 * these cases the server has done what it was asked. Odd answers are those that a front gives now and then: a 404
 * or 403 as a page, one 401 or 500, a 408, 421 or 425, a cut. A run is counted as wrong if the suites have an internal
 * error, if a requirement is violated, or if the report does not say what stopped the run; a warning counts only if
 * the server gets none if nothing is disturbed. The schedules are in scripts/network/schedules.ts.
 *
 *   --only TEXT       only targets whose name contains it
 *   --schedule TEXT   only schedules whose name contains it; repeatable
 *   --sample N        so many dialects of the reference server, evenly spread; 12 by default
 *   --seeds N         seeds of each schedule with a share; 2 by default
 *   --share P         share of the requests that are disturbed; by default that of the schedule
 *   --part K/N        every Nth target, from the Kth on, so that N processes share them
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ConformanceReport } from '../contract/report/conformance.ts'
import { TargetUnusableError } from '../harness/conformance/errors.ts'
import { runConformance } from '../harness/conformance/run.ts'
import { inlineEngine } from '../harness/conformance/vitest/engine.ts'
import { dialectAttempt, partOf, plainAttempt, spread } from '../harness/proof/runs/attempts.ts'
import { roughRoad } from '../harness/proof/test-support/rough-road.ts'
import { openSecondServer } from '../harness/proof/test-support/second-server/judged.ts'
import { dialects } from '../reference-server/deviations/index.ts'
import { outcomeText } from '../reports/conformance/summary.ts'
import { type Schedule, schedules, undisturbed } from './network/schedules.ts'
import { none, optionsOf, scriptFolder } from './options.ts'

const values = optionsOf(import.meta, {
  ...{ only: '', schedule: none, sample: 12, seeds: 2, share: '', part: '1/1' },
})

const folder = scriptFolder('network')

await prove()

async function prove(): Promise<void> {
  // vitest forbids process.exit while it runs.
  const exit = process.exit.bind(process)
  const engine = inlineEngine()
  let count = 0
  let wrong = 0
  for (const target of partOf(targets(), values.part)) {
    const usual = await judged(target, { schedule: undisturbed, seed: 'network', share: 0 })
    const warnings = new Set(
      usual.red.map(verdictOf).filter((verdict) => verdict?.endsWith(' warn')),
    )
    for (const run of runs()) {
      const { red, disturbed, summary } = await judged(target, run)
      const problems = red.filter((line) => !warnings.has(verdictOf(line)))
      count += 1
      if (problems.length > 0) wrong += 1
      const line = `${target.name}, ${run.schedule.name} (${run.seed}): ${disturbed} disturbed; ${summary}`
      console.log([`${problems.length > 0 ? '!!' : '  '} ${line}`, ...problems].join('\n     '))
    }
  }
  console.log(`${count} runs, ${wrong} wrong`)
  exit(wrong > 0 || count === 0 ? 1 : 0)

  async function judged(
    { open }: ReturnType<typeof targets>[number],
    { schedule, seed, share }: ScheduledRun,
  ) {
    const target = await open()
    const disturbance = schedule.disturbances(seed, share)
    let disturbed = 0
    const road = await roughRoad(
      () => target.profile.baseUrl,
      (request) => {
        const made = disturbance(request)
        if (made !== undefined) disturbed += 1
        return made
      },
    )
    const outDir = mkdtempSync(join(folder, 'run-'))
    try {
      const { profile } = target
      const limits = { ...profile.limits, timeoutMs: schedule.timeoutMs }
      const report = await runConformance({
        profile: { ...profile, baseUrl: road.url, limits },
        selection: { profile: 'full', only: [], skip: [] },
        outDir,
        seed,
        jobs: 8,
        anyAnswer: true,
        engine,
      })
      const text = outcomeText(report)
      const isSaid = schedule.says?.test(text) ?? true
      return {
        disturbed,
        summary: text,
        red: [...redLines(report), ...(isSaid ? [] : [`the outcome lacks ${schedule.says}`])],
      }
    } catch (error) {
      if (!(error instanceof TargetUnusableError)) throw error
      return { disturbed, summary: `unusable: ${error.message}`, red: [] }
    } finally {
      await road.close()
      await target.close()
      rmSync(outDir, { recursive: true, force: true })
    }
  }
}

function redLines({ requirements, faults }: ConformanceReport): string[] {
  return [
    ...requirements
      .filter(({ verdict }) => /^(fail|warn|error)$/.test(verdict))
      .map(({ id, verdict, message }) => `${id} ${verdict}: ${message}`),
    ...faults.map(({ scenario, message }) => `${scenario}: ${message}`),
  ]
}

interface ScheduledRun {
  readonly schedule: Schedule
  readonly seed: string
  readonly share: number
}

function runs(): readonly ScheduledRun[] {
  const texts = values.schedule.length === 0 ? [''] : values.schedule
  const chosen = schedules.filter(({ name }) => texts.some((text) => name.includes(text)))
  const seeds = Array.from({ length: values.seeds }, (_, at) => `network-${at + 1}`)
  return chosen.flatMap((schedule) =>
    (schedule.share === undefined ? seeds.slice(0, 1) : seeds).map((seed) => ({
      schedule,
      seed,
      share: Number(values.share || schedule.share),
    })),
  )
}

/** Id and verdict of a line: the same requirement may be violated in several ways. */
function verdictOf(line: string): string | undefined {
  return line.split(':')[0]
}

function targets() {
  const all = [
    plainAttempt('full'),
    { name: 'second server', open: openSecondServer },
    ...spread(dialects, values.sample).map((dialect) => dialectAttempt('dialect', dialect)),
  ]
  return all.filter(({ name }) => name.includes(values.only))
}
