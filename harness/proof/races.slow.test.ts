import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Exchange, header } from '../../contract/index.ts'
import type { ConformanceReport } from '../../contract/report/conformance.ts'
import { type ReferenceServer, startReferenceServer } from '../../reference-server/index.ts'
import type { TargetProfile } from '../conformance/profile/index.ts'
import { rejudge } from '../conformance/recording/rejudge.ts'
import {
  check,
  exchangesIn,
  lineOf,
  referenceProfile,
  sharedEngine,
  temporaryFolder,
} from '../conformance/test-support/check.ts'
import { keys, patchNamed } from './test-support/reference.ts'
import { type ReceivedRequest, roughRoad } from './test-support/rough-road.ts'

/** Concurrent requests with one Idempotency-Key: overlap, forms and limits. */

const pace = { ttftMs: 60, gapMs: 1, jitter: 0 }
let healthy: ReferenceServer
let losing: ReferenceServer

beforeAll(async () => {
  healthy = await startReferenceServer({ keys, pace })
  losing = await startReferenceServer({
    keys,
    pace,
    patch: patchNamed('v3-idempotency-loses-races'),
  })
})
afterAll(() => Promise.all([healthy.close(), losing.close()]))

const patient = { timeout: 300_000 }

describe('a proxy that changes the key of a concurrent repeat is violated', () => {
  test.each([
    ['of a stream', (body: Body) => body['stream'] === true],
    ['of an array input', (body: Body) => Array.isArray(body['input'])],
    ['with parent_id', (body: Body) => typeof body['parent_id'] === 'string'],
    ['of a JSON body', (body: Body) => body['stream'] === false],
  ] as const)('%s', patient, async (_, applies) => {
    const running = new Set<unknown>()
    const keyIn = (headers: ReceivedRequest['headers']) => headers['idempotency-key']
    const front = await roughRoad(
      () => healthy.url,
      ({ headers, body }) => {
        const key = keyIn(headers)
        if (key === undefined || !applies(JSON.parse(body))) return undefined
        if (running.has(key)) return { kind: 'key', key: `${key} again` }
        running.add(key)
        return undefined
      },
      (headers) => running.delete(keyIn(headers)),
    )
    try {
      const report = await check(profileOf(front.url), { only: ['V3-IDEM-05'] })
      expect(verdicts(report)).toEqual({ 'V3-IDEM-05': 'fail' })
    } finally {
      await front.close()
    }
  })
})

describe('under a rate limit', () => {
  const only = ['V3-IDEM-04', 'V3-IDEM-05']

  test(
    'passes require overlapping requests, and a healthy server violates nothing',
    patient,
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.record({
            rate: fc.constantFrom(undefined, 4, 11, 40),
            jobs: fc.constantFrom(1, 3, 16),
            isHealthy: fc.boolean(),
          }),
          async ({ rate, jobs, isHealthy }) => {
            const outDir = temporaryFolder()
            const profile = profileOf((isHealthy ? healthy : losing).url, rate)
            const report = await check(profile, { only, jobs, outDir })
            const { 'V3-IDEM-05': race } = verdicts(report)
            expect(race).toBe(isHealthy ? 'pass' : 'fail')
            if (race === 'pass') expect(overlaps(outDir)).toBeGreaterThanOrEqual(4)
          },
        ),
        {
          numRuns: 4,
          examples: [
            [{ rate: 11, jobs: 1, isHealthy: false }],
            [{ rate: 4, jobs: 3, isHealthy: true }],
          ],
        },
      )
    },
  )

  test(
    'that prevents a race, the verdict names the limit, also in a rejudge',
    patient,
    async () => {
      const dir = temporaryFolder()
      const report = await check(profileOf(losing.url, 1.9), { only: ['V3-IDEM-05'], outDir: dir })
      const [race] = report.requirements
      expect(race && lineOf(race)).toMatch(
        /^V3-IDEM-05 inconclusive: the requests did not overlap in one race .*; in the last one, the last request was sent \d+ ms after the first response began: limits.requestsPerSecond: 1.9 does not allow 2 requests at once$/,
      )
      const again = await rejudge({ dir, outDir: temporaryFolder(), engine: sharedEngine })
      expect(again.requirements.map(lineOf)).toEqual(report.requirements.map(lineOf))
    },
  )

  test('a run with a lost race has the same verdicts in a rejudge', patient, async () => {
    const dir = temporaryFolder()
    const report = await check(profileOf(losing.url), { only, outDir: dir })
    const again = await rejudge({ dir, outDir: temporaryFolder(), engine: sharedEngine })
    expect(again.requirements.map(lineOf)).toEqual(report.requirements.map(lineOf))
    expect(verdicts(again)['V3-IDEM-05']).toBe('fail')
  })
})

type Body = Readonly<Record<string, unknown>>

function profileOf(baseUrl: string, requestsPerSecond?: number): TargetProfile {
  const profile = referenceProfile(baseUrl, keys)
  return requestsPerSecond === undefined
    ? profile
    : { ...profile, limits: { ...profile.limits, requestsPerSecond } }
}

function verdicts({ requirements }: ConformanceReport) {
  return Object.fromEntries(requirements.map(({ id, verdict }) => [id, verdict]))
}

/** Keys under which two requests were sent before the first response began, by the clock of the run. */
function overlaps(outDir: string): number {
  const groups = Map.groupBy(exchangesIn(outDir), ({ request }) =>
    header(request.headers, 'idempotency-key'),
  )
  groups.delete(undefined)
  return [...groups.values()].filter(isOverlapping).length
}

function isOverlapping([one, other]: readonly Exchange[]): boolean {
  if (one?.sent === undefined || other?.sent === undefined) return false
  const beganAt = ({ sent, response }: Exchange) =>
    (sent?.clockMs ?? 0) + (response?.headersAtMs ?? 0) - (sent?.atMs ?? 0)
  const lastSent = Math.max(one.sent.clockMs, other.sent.clockMs)
  return lastSent <= Math.min(beganAt(one), beganAt(other))
}
