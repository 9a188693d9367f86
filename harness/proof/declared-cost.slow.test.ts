import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parsePace, startReferenceServer } from '../../reference-server/index.ts'
import { openStore } from '../../reference-server/store/open-store.ts'
import {
  check,
  excessesIn,
  referenceProfile,
  temporaryFolder,
  undecidedIn,
} from '../conformance/test-support/check.ts'
import { addCosts, noCost } from '../conformance/usage.ts'
import { planConformance } from '../conformance/vitest/suites.ts'

/**
 * `--dry-run` shows the maximum cost of a run, which no scenario may exceed. Runs with the usual number of
 * scenarios in flight, because a walk through a list includes the chats of all of them; second-server.slow.test.ts does so
 * with the second server.
 */
describe('the declared cost of each scenario is enough', () => {
  test('and profile full has at most 180 generations', async () => {
    const profile = referenceProfile('http://127.0.0.1:1', ['a-key', 'another-key'])
    const selection = { profile: 'full', only: [], skip: [] } as const
    const planned = await planConformance(profile, selection)
    const { generations } = planned.map(({ cost }) => cost).reduce(addCosts, noCost)
    expect(planned.length).toBeGreaterThan(80)
    expect(generations).toBeLessThanOrEqual(180)
  })

  test('for the reference server, which conforms on a SQLite file', async () => {
    const store = await openStore(`sqlite:${join(temporaryFolder(), 'store.sqlite')}`)
    const keys = ['one-throw-away-key', 'another-throw-away-key']
    const server = await startReferenceServer({ pace: parsePace('ttft=2ms,gap=1ms'), keys, store })
    try {
      const outDir = temporaryFolder()
      const report = await check(referenceProfile(server.url, keys), { outDir, jobs: 4 })
      expect(undecidedIn(report)).toEqual([])
      expect(await excessesIn(outDir)).toEqual([])
    } finally {
      await server.close()
      await store.close()
    }
  })
})
