import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { targetFixture } from '../../fixtures/targets.ts'
import { type ReferenceServer, startReferenceServer } from '../../reference-server/index.ts'
import type { ConformanceReport } from '../../reports/model.ts'
import { loadProfile } from './profile/index.ts'
import { rejudge } from './rejudge.ts'
import {
  type CheckOptions,
  check,
  lineOf,
  rowsWith,
  temporaryFolder,
} from './test-support/check.ts'
import type { TestHost } from './test-support/listen.ts'
import { type Asked, roughRoad, type Trouble } from './test-support/rough-road.ts'

/** The reference server behind a proxy that makes trouble: what is said of it, and of what it is no fault. */

const keys = ['sk-first-caller-0123456789', 'sk-second-caller-0123456789']
let server: ReferenceServer
let road: TestHost
let trouble: (asked: Asked) => Trouble | undefined

beforeAll(async () => {
  server = await startReferenceServer({ keys })
  road = await roughRoad(
    () => server.url,
    (asked) => trouble(asked),
  )
})
afterAll(async () => {
  await road.close()
  await server.close()
})
beforeEach(() => {
  trouble = () => undefined
})

function run(options: CheckOptions = {}): Promise<ConformanceReport> {
  const [apiKey, otherKey] = keys
  const profile = loadProfile(
    targetFixture('reference'),
    {},
    { baseUrl: road.url, apiKey, otherKey, limits: { settleMs: 300 } },
  )
  return check(profile, { jobs: 8, ...options })
}

const red = (report: ConformanceReport) => rowsWith(report, 'fail', 'warn').map(lineOf)
const isGeneration = ({ path }: Asked) => path === '/api/v3/message/generate'
const isCompletion = ({ path }: Asked) => path === '/api/openai/chat/completions'

/** One trouble after the other, for every so many requests. */
function every(count: number, kinds: readonly Trouble[]) {
  let asked = 0
  return () => {
    asked += 1
    return asked % count === 0 ? kinds[(asked / count) % kinds.length] : undefined
  }
}

describe('now and then', () => {
  test.each<[string, readonly Trouble[]]>([
    [
      'a gateway answers in place of the server',
      [
        { kind: 'status', status: 502 },
        { kind: 'status', status: 504, asks: true },
      ],
    ],
    ['a connection is dropped', [{ kind: 'drop' }, { kind: 'drop', asks: true }]],
  ])(
    '%s: nothing is accused, and it is said once',
    async (_, kinds) => {
      trouble = every(23, kinds)
      const outDir = temporaryFolder()
      const report = await run({ outDir })
      expect(red(report)).toEqual([])
      expect(report.faults).toEqual([])
      expect(report.outcome).not.toBe('violated')
      const { traffic } = report
      expect(traffic?.retries).toBeGreaterThan(5)
      const { statuses = {}, unanswered = 0 } = traffic ?? {}
      expect((statuses['502'] ?? 0) + (statuses['504'] ?? 0) + unanswered).toBeGreaterThan(20)
      // Most requests can be sent again, so that little is left open.
      expect(rowsWith(report, 'pass').length).toBeGreaterThan(150)
      const again = await rejudge({ dir: outDir, outDir: temporaryFolder() })
      expect(again.requirements.map(lineOf)).toEqual(report.requirements.map(lineOf))
      expect(again.traffic).toEqual(traffic)
    },
    60_000,
  )
})

test('a gateway that never reaches the service leaves its rows open, and accuses nobody', async () => {
  trouble = (asked) =>
    isGeneration(asked) || isCompletion(asked) ? { kind: 'status', status: 502 } : undefined
  const report = await run()
  expect(red(report)).toEqual([])
  expect(report.outcome).toBe('incomplete')
  const message = (id: string) => report.requirements.find((row) => row.id === id)?.message
  expect(message('OAI-CHAT-01')).toMatchInlineSnapshot(
    `"POST /api/openai/chat/completions was answered 502, a gateway's error, and so was its repeat"`,
  )
  expect(message('VER-02')).toMatchInlineSnapshot(
    `"POST /api/v3/message/generate was answered 502, a gateway's error, and so was its repeat"`,
  )
}, 60_000)
