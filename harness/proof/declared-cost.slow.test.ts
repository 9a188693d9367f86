import { beforeAll, describe, expect, test } from 'vitest'
import { parsePace, startReferenceServer } from '../../reference-server/index.ts'
import {
  check,
  exchangesIn,
  referenceProfile,
  temporaryFolder,
} from '../conformance/test-support/check.ts'
import { addCosts, addExchangeCost, type Cost, noCost } from '../conformance/usage.ts'
import type { Scenario } from '../conformance/vitest/collector.ts'
import { listScenarios, planConformance } from '../conformance/vitest/suites.ts'
import { wholeProfile } from './test-support/second-server/judged.ts'
import { startSecondServer } from './test-support/second-server/server.ts'

/**
 * `--dry-run` shows the maximum cost of a run, which no scenario may exceed. Runs with the usual number of
 * scenarios in flight, because a walk through a list includes the chats of all of them.
 */
describe('the declared cost of each scenario is enough', () => {
  let scenarios: readonly Scenario[]
  beforeAll(async () => {
    scenarios = await listScenarios()
  })

  test('and profile full has at most 180 generations', async () => {
    const profile = referenceProfile('http://127.0.0.1:1', ['a-key', 'another-key'])
    const selection = { profile: 'full', only: [], skip: [] } as const
    const planned = await planConformance(profile, selection)
    const { generations } = planned.map(({ cost }) => cost).reduce(addCosts, noCost)
    expect(planned.length).toBeGreaterThan(80)
    expect(generations).toBeLessThanOrEqual(180)
  })

  test('for the second server', async () => {
    const server = await startSecondServer()
    try {
      const outDir = temporaryFolder()
      await check(wholeProfile(server), { outDir, jobs: 4 })
      expect(excesses(scenarios, outDir)).toEqual([])
    } finally {
      await server.close()
    }
  })

  test('for the reference server', async () => {
    const server = await startReferenceServer({
      pace: parsePace('ttft=2ms,gap=1ms'),
      keys: ['one-throw-away-key', 'another-throw-away-key'],
    })
    try {
      const outDir = temporaryFolder()
      await check(referenceProfile(server.url, server.keys), { outDir, jobs: 4 })
      expect(excesses(scenarios, outDir)).toEqual([])
    } finally {
      await server.close()
    }
  })
})

/** Requests of scenarios beyond their declared cost and beyond the attempts that they declare. */
function excesses(scenarios: readonly Scenario[], outDir: string): string[] {
  const byScenario = Map.groupBy(exchangesIn(outDir), ({ labels }) => labels.scenario)
  return scenarios.flatMap(({ slug, cost, again }) => {
    const real = (byScenario.get(slug) ?? [])
      .map((exchange) => addExchangeCost(noCost, exchange))
      .reduce(addCosts, noCost)
    return (Object.keys(real) as (keyof Cost)[]).flatMap((what) =>
      real[what] > cost[what] + (what === 'chats' ? 0 : again)
        ? [`${slug}: ${real[what]} ${what}, declared ${cost[what]}`]
        : [],
    )
  })
}
