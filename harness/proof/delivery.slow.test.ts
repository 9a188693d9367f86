import { afterAll, beforeAll, expect, test } from 'vitest'
import { targetFixture } from '../../fixtures/targets.ts'
import { type ReferenceServer, startReferenceServer } from '../../reference-server/index.ts'
import { loadProfile } from '../conformance/profile/index.ts'
import { check } from '../conformance/test-support/check.ts'
import type { TestHost } from '../conformance/test-support/listen.ts'
import { type Disturbance, roughRoad } from '../conformance/test-support/rough-road.ts'

/** Streams through a proxy that passes them on at once, in lumps, or whole. */

const keys = ['sk-first-caller-0123456789', 'sk-second-caller-0123456789']
let paced: ReferenceServer
let unpaced: ReferenceServer
let road: TestHost
let target: ReferenceServer
let disturbance: Disturbance | undefined

beforeAll(async () => {
  paced = await startReferenceServer({ keys, pace: { ttftMs: 100, gapMs: 40, jitter: 0 } })
  unpaced = await startReferenceServer({ keys })
  road = await roughRoad(
    () => target.url,
    ({ body }) => (body.includes('"stream":true') ? disturbance : undefined),
  )
})
afterAll(async () => {
  await road.close()
  await Promise.all([paced.close(), unpaced.close()])
})

async function arrival(): Promise<readonly string[]> {
  const [apiKey, otherKey] = keys
  const overrides = { baseUrl: road.url, apiKey, otherKey }
  const profile = loadProfile(targetFixture('reference'), {}, overrides)
  const report = await check(profile, { only: ['V3-SSE-30', 'OAI-STREAM-11'] })
  expect(report.faults).toEqual([])
  return report.requirements.map(({ id, verdict, message }) => `${id} ${verdict} ${message ?? ''}`)
}

// Where this very process is late, it says that it cannot tell.
const patient = { timeout: 60_000, retry: 6 }

test('passed on as it comes, it is spread', patient, async () => {
  target = paced
  disturbance = undefined
  expect(await arrival()).toEqual(['OAI-STREAM-11 pass ', 'V3-SSE-30 pass '])
})

test('lumps are told with their number and their distance', patient, async () => {
  target = paced
  disturbance = { kind: 'lumps', everyMs: 400 }
  const lumps =
    /warn \d+ deltas came in \d reads, mostly \d+ ms apart, and alike in \d of 3 streams$/
  expect(await arrival()).toEqual([expect.stringMatching(lumps), expect.stringMatching(lumps)])
})

test('an answer that is held back whole is told as one read', patient, async () => {
  target = paced
  disturbance = { kind: 'lumps', everyMs: null }
  const whole =
    /warn \d+ deltas came in one read, \d+ ms after the request, and alike in \d of 3 streams$/
  expect(await arrival()).toEqual([expect.stringMatching(whole), expect.stringMatching(whole)])
})

test('a model that is done in a few milliseconds is accused of nothing', patient, async () => {
  target = unpaced
  disturbance = { kind: 'lumps', everyMs: null }
  for (const line of await arrival()) {
    expect(line).toMatch(/inconclusive \d+ deltas came within \d+ ms: too fast to tell$/)
  }
})
