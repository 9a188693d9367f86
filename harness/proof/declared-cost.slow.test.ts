import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parsePace } from '../../reference-server/index.ts'
import { openStore } from '../../reference-server/store/open-store.ts'
import {
  excessesIn,
  referenceProfile,
  temporaryFolder,
  undecidedIn,
} from '../conformance/test-support/check.ts'
import { addCosts, noCost } from '../conformance/usage.ts'
import { planConformance } from '../conformance/vitest/suites.ts'
import { checkReference } from './test-support/reference.ts'

/**
 * `--dry-run` shows the maximum cost of a run, which no scenario may exceed. Runs with the usual number of
 * scenarios in flight, because a walk through a list includes the chats of all of them; second-server.slow.test.ts does so
 * with the second server.
 */
describe('the declared cost of all scenarios', () => {
  test('is at most 180 generations for profile full', async () => {
    const profile = referenceProfile('http://127.0.0.1:1', ['a-key', 'another-key'])
    const selection = { profile: 'full', only: [], skip: [] } as const
    const planned = await planConformance(profile, selection)
    const { generations } = planned.map(({ cost }) => cost).reduce(addCosts, noCost)
    expect(planned.length).toBeGreaterThan(80)
    expect(generations).toBeLessThanOrEqual(180)
  })

  test('is not exceeded by the reference server with a SQLite store', async () => {
    const store = await openStore(`sqlite:${join(temporaryFolder(), 'store.sqlite')}`)
    onTestFinished(() => store.close())
    const outDir = temporaryFolder()
    const pace = parsePace('ttft=2ms,gap=1ms')
    const report = await checkReference({ pace, store }, { outDir, jobs: 4 })
    expect(undecidedIn(report)).toEqual([])
    expect(await excessesIn(outDir)).toEqual([])
  })
})
