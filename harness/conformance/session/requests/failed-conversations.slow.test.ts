import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ConformanceReport } from '../../../../contract/report/conformance.ts'
import { targetFixture } from '../../../../fixtures/files.ts'
import { type ReferenceServer, startReferenceServer } from '../../../../reference-server/index.ts'
import { outcomeText } from '../../../../reports/conformance/summary.ts'
import { relayTo, type TestHost } from '../../../client/test-support/listen-on-loopback.ts'
import {
  type Disturbance,
  type ReceivedRequest,
  roughRoad,
} from '../../../proof/test-support/rough-road.ts'
import { loadProfile } from '../../profile/index.ts'
import { rejudge } from '../../recording/rejudge.ts'
import {
  type CheckOptions,
  check,
  exchangesIn,
  lineOf,
  requirementsWith,
  sharedEngine,
  temporaryFolder,
} from '../../test-support/check.ts'
import { createRandomPicker } from '../identities.ts'

/** The reference server behind a proxy that disturbs requests: the verdicts report no other violation. */

const keys = ['sk-first-caller-0123456789', 'sk-second-caller-0123456789']
let server: ReferenceServer
let road: TestHost
let disturbance: (request: ReceivedRequest) => Disturbance | undefined

beforeAll(async () => {
  server = await startReferenceServer({ keys })
  road = await roughRoad(
    () => server.url,
    (request) => disturbance(request),
  )
})
afterAll(async () => {
  await road.close()
  await server.close()
})
beforeEach(() => {
  disturbance = () => undefined
})

function run(options: CheckOptions = {}, baseUrl = road.url): Promise<ConformanceReport> {
  const [apiKey, otherKey] = keys
  const profile = loadProfile(
    targetFixture(),
    {},
    { baseUrl, apiKey, otherKey, limits: { settleMs: 300 } },
  )
  return check(profile, { jobs: 8, ...options })
}

const red = (report: ConformanceReport) => requirementsWith(report, 'fail', 'warn').map(lineOf)
const resultOf = ({ requirements }: ConformanceReport, id: string) =>
  requirements.find((requirement) => requirement.id === id)
const isGeneration = ({ path }: ReceivedRequest) => path === '/api/v3/message/generate'
const isCompletion = ({ path }: ReceivedRequest) => path === '/api/openai/chat/completions'

/** Alternates between disturbances, one every few requests. */
function every(count: number, kinds: readonly Disturbance[]) {
  let requestCount = 0
  return () => {
    requestCount += 1
    return requestCount % count === 0 ? kinds[(requestCount / count) % kinds.length] : undefined
  }
}

/** The same for first tries alone: every request comes through in the end. */
function everyFirstTry(count: number, kinds: readonly Disturbance[]) {
  const tried = new Set<string>()
  const disturbed = every(count, kinds)
  return ({ headers }: ReceivedRequest) => {
    const id = String(headers['x-request-id'])
    if (tried.has(id)) return undefined
    tried.add(id)
    return disturbed()
  }
}

test.each<[string, readonly Disturbance[]]>([
  [
    'a gateway answers in place of the server',
    [
      { kind: 'status', status: 502 },
      { kind: 'status', status: 504, asks: true },
    ],
  ],
  ['a connection is dropped', [{ kind: 'drop' }, { kind: 'drop', asks: true }]],
])(
  'if %s now and then, nothing is accused and failures are counted once',
  async (_, kinds) => {
    disturbance = every(23, kinds)
    const outDir = temporaryFolder()
    const report = await run({ outDir })
    expect(red(report)).toEqual([])
    expect(report.faults).toEqual([])
    expect(report.outcome).not.toBe('violated')
    const { traffic } = report
    expect(traffic?.retries).toBeGreaterThan(5)
    const { statuses = {}, unanswered = 0 } = traffic ?? {}
    expect((statuses['502'] ?? 0) + (statuses['504'] ?? 0) + unanswered).toBeGreaterThan(20)
    // Most requests can be sent again, so few requirements remain open.
    expect(requirementsWith(report, 'pass').length).toBeGreaterThan(150)
    const again = await rejudge({ dir: outDir, outDir: temporaryFolder(), engine: sharedEngine })
    expect(again.requirements.map(lineOf)).toEqual(report.requirements.map(lineOf))
    expect(again.traffic).toEqual(traffic)
  },
  180_000,
)

test('a gateway that never reaches the service leaves its requirements undecided', async () => {
  disturbance = (request) =>
    isGeneration(request) || isCompletion(request) ? { kind: 'status', status: 502 } : undefined
  const report = await run()
  expect(red(report)).toEqual([])
  expect(report.outcome).toBe('incomplete')
  expect(resultOf(report, 'OAI-CHAT-01')?.message).toMatchInlineSnapshot(
    `"POST /api/openai/chat/completions was answered 502, a gateway's error, and so was its repeat"`,
  )
  expect(resultOf(report, 'VER-02')?.message).toMatchInlineSnapshot(
    `"POST /api/v3/message/generate was answered 502, a gateway's error, and so was its repeat"`,
  )
})

test('a service that breaks down on a mistake, behind a gateway, is accused', async () => {
  disturbance = ({ body }) =>
    /"temperature":"/.test(body) ? { kind: 'status', status: 502 } : undefined
  expect(failedIds(await run({ only: ['OAI-ERR-*'] }))).toEqual(['OAI-ERR-02'])
})

const only = ['V3-SSE-*', 'V3-THINK-*', 'V3-GEN-*', 'OAI-STREAM-*', 'OAI-STOP-*']
const isStream = ({ body }: ReceivedRequest) => body.includes('"stream":true')
const failedIds = (report: ConformanceReport) =>
  requirementsWith(report, 'fail', 'warn').map(({ id }) => id)

test.each([
  ['before any text', 1],
  ['in mid-text', 3_000],
])(
  'streams that are cut %s break only the requirements of the end',
  async (_, afterBytes) => {
    disturbance = (request) => (isStream(request) ? { kind: 'cut', afterBytes } : undefined)
    const report = await run({ only })
    expect(failedIds(report)).toEqual(['OAI-STREAM-12', 'V3-SSE-08'])
    expect(report.outcome).toBe('violated')
    // The responses that did arrive may hold all the same.
    const undecided = afterBytes > 1 ? /^(pass|inconclusive)$/ : /^inconclusive$/
    expect(resultOf(report, 'OAI-STREAM-04')?.verdict).toMatch(undecided)
    expect(resultOf(report, 'V3-THINK-01')?.verdict).toMatch(undecided)
    expect(report.traffic?.cut).toBeGreaterThan(5)
  },
  180_000,
)

describe('an error 500 of the service', () => {
  const only = ['OAI-CHAT-0*', 'OAI-TEMP-*', 'OAI-MODELS-01', 'V3-GEN-01', 'V3-GEN-05', 'V3-ONE-01']
  const asked500 = { kind: 'status', status: 500 } as const

  test('is retried and counted if it is temporary', async () => {
    disturbance = everyFirstTry(5, [asked500])
    const report = await run({ only, depth: 'quick' })
    const accused = red(report).filter((line) => !line.includes('POST /api/v3/chat'))
    expect(accused).toEqual([])
    expect(report.traffic?.statuses['500']).toBeGreaterThan(2)
  })

  test('breaks the requirement if it persists', async () => {
    disturbance = (request) =>
      isCompletion(request) || isGeneration(request) ? asked500 : undefined
    const report = await run({ only })
    const fails = requirementsWith(report, 'fail').map(({ id }) => id)
    expect(fails).toContain('OAI-CHAT-01')
    expect(fails).toContain('V3-GEN-01')
    expect(fails).not.toContain('OAI-MODELS-01')
    expect(report.traffic?.retries).toBeGreaterThan(2)
  })
})

test('an HTML page in place of a list is named in the violation', async () => {
  disturbance = ({ path }) =>
    path === '/api/openai/models' ? { kind: 'status', status: 200 } : undefined
  const report = await run({ only: ['OAI-MODELS-01'] })
  expect(red(report)).toMatchInlineSnapshot(`
    [
      "OAI-MODELS-01 fail: expected a list with svc-main-model or SVC-Main, received 200 with an HTML page",
    ]
  `)
})

test('a repeated page is retried without a pause', async () => {
  disturbance = (request) => (isCompletion(request) ? { kind: 'status', status: 404 } : undefined)
  const outDir = temporaryFolder()
  await run({ only: ['OAI-CHAT-0*'], depth: 'quick', jobs: 1, outDir })
  const exchanges = exchangesIn(outDir)
  const [first = 0, ...later] = exchanges.flatMap(({ labels, startedAt }) => {
    const before = exchanges.find(
      (one) => one.labels.scenario === labels.scenario && one.labels.ordinal === labels.ordinal,
    )
    if (labels.attempt !== 1 || before === undefined) return []
    return Date.parse(startedAt) - Date.parse(before.startedAt) - before.ending.atMs
  })
  expect(first).toBeGreaterThan(240)
  expect(Math.min(...later)).toBeLessThan(240)
})

describe('an unusual response of a proxy', () => {
  const isUpload = ({ method, path }: ReceivedRequest) =>
    method === 'POST' && path === '/api/v3/attachment'

  test.each<[string, Disturbance]>([
    ['an error in JSON', { kind: 'status', status: 500, form: 'json' }],
    ['a refusal in JSON', { kind: 'status', status: 401, form: 'json' }],
    ['a page', { kind: 'status', status: 404 }],
  ])(
    'once (%s) is not confirmed; each time, it is a violation',
    async (_, odd) => {
      const only = ['V3-ATT-01']
      let uploads = 0
      disturbance = (request) => (isUpload(request) && ++uploads === 1 ? odd : undefined)
      const outDir = temporaryFolder()
      const once = await run({ only, outDir })
      expect(resultOf(once, 'V3-ATT-01')).toMatchObject({
        verdict: 'inconclusive',
        message: expect.stringMatching(/^not confirmed, 1 of 2 runs of the scenario show it: /),
      })
      const again = await rejudge({ dir: outDir, outDir: temporaryFolder(), engine: sharedEngine })
      expect(again.requirements.map(lineOf)).toEqual(once.requirements.map(lineOf))

      disturbance = (request) => (isUpload(request) ? odd : undefined)
      const always = await run({ only })
      expect(resultOf(always, 'V3-ATT-01')?.verdict).toBe('fail')
    },
    180_000,
  )

  test('to a combination of three fields is confirmed with a part of the generations', async () => {
    const refusal = { kind: 'status', status: 400, form: 'json' } as const
    const fields = ['"role":"system"', '"model":"SVC-Vision"', '"stream":true']
    disturbance = ({ path, body }) =>
      path === '/api/openai/chat/completions' && fields.every((field) => body.includes(field))
        ? refusal
        : undefined
    const outDir = temporaryFolder()
    // Two repeats of all rows would need more than 600.
    const only = ['OAI-CHAT-12']
    const report = await run({ only, depth: 'full', maxGenerations: 500, outDir })
    expect(resultOf(report, 'OAI-CHAT-12')?.verdict).toBe('fail')
    const again = await rejudge({ dir: outDir, outDir: temporaryFolder(), engine: sharedEngine })
    expect(again.requirements.map(lineOf)).toEqual(report.requirements.map(lineOf))
  })

  test('every other time never passes', async () => {
    let reads = 0
    disturbance = ({ path }) =>
      path === '/api/openai/models' && ++reads % 2 === 0
        ? { kind: 'status', status: 404, form: 'json' }
        : undefined
    const report = await run({ only: ['OAI-MODELS-*'] })
    expect(resultOf(report, 'OAI-MODELS-01')?.verdict).toMatch(/^(fail|inconclusive)$/)
  })

  test('with 408, 421 or 425 is retried', async () => {
    const unprocessed = [408, 421, 425].map(
      (status) => ({ kind: 'status', status, closes: true }) as const,
    )
    const disturbed = everyFirstTry(3, unprocessed)
    disturbance = (request) =>
      request.path.startsWith('/api/v3/chat') ? disturbed(request) : undefined
    const report = await run({ only: ['V3-CHAT-03', 'V3-CHAT-08'], depth: 'quick' })
    expect(report.outcome).toBe('conforms')
    expect(report.traffic?.retries).toBeGreaterThan(10)
  })
})

/** Answers of fronts that say nothing about the service behind them. */
const oddAnswers: readonly Disturbance[] = [
  { kind: 'status', status: 421 },
  { kind: 'status', status: 421, form: 'json' },
  { kind: 'status', status: 408, closes: true },
  { kind: 'status', status: 425 },
  { kind: 'status', status: 404 },
  { kind: 'status', status: 403 },
  { kind: 'status', status: 401, form: 'json' },
  { kind: 'status', status: 404, form: 'json' },
  { kind: 'status', status: 500, form: 'json' },
  { kind: 'status', status: 500, form: 'json', asks: true },
  { kind: 'status', status: 200 },
  { kind: 'cut', afterBytes: 20 },
  { kind: 'cut', afterBytes: 1_500 },
  { kind: 'drop' },
  { kind: 'drop', asks: true },
]

test.each(['1', '2', '3', '4', '5'])(
  'one unusual response in a hundred causes no violation (seed %s)',
  async (seed) => {
    const times = new Map<string, number>()
    let disturbed = 0
    disturbance = ({ method, path, headers }) => {
      const place = String(headers['x-request-id'] ?? `${method} ${path}`)
      const time = (times.get(place) ?? 0) + 1
      times.set(place, time)
      // The same request of a run is disturbed in the same way at any time.
      const pick = createRandomPicker(`${seed}/${place}/${time}`)
      if (pick(100) > 0) return undefined
      disturbed += 1
      return oddAnswers[pick(oddAnswers.length)]
    }
    const report = await run({ seed })
    expect(red(report)).toEqual([])
    expect(report.faults).toEqual([])
    expect(disturbed).toBeGreaterThan(10)
  },
  180_000,
)

const goneRoutes = /from x\d+ on, routes that existed before are gone/

/** Disturbance of all requests from one on, and what the outcome says. */
test.each<[string, number, Disturbance, RegExp]>([
  [
    'the key expires',
    300,
    { kind: 'status', status: 401, form: 'json' },
    /from x\d+ on, the key that was accepted before is refused/,
  ],
  [
    'maintenance begins',
    200,
    { kind: 'status', status: 200 },
    /from x\d+ on, every answer is an HTML page/,
  ],
  ['the routes disappear', 250, { kind: 'status', status: 404, form: 'json' }, goneRoutes],
  ['the routes disappear early', 190, { kind: 'status', status: 404, form: 'json' }, goneRoutes],
  [
    'the process ends in mid-stream',
    300,
    { kind: 'cut', afterBytes: 600, last: true },
    /ECONNREFUSED/,
  ],
])(
  'if %s, the outcome names it and nothing is accused',
  async (_, first, kind, says) => {
    let received = 0
    const front = await roughRoad(
      () => server.url,
      (request) =>
        ++received >= first && (kind.kind !== 'cut' || isStream(request)) ? kind : undefined,
    )
    const report = await run({}, front.url)
    await front.close()
    expect(red(report)).toEqual([])
    expect(report.faults).toEqual([])
    expect(outcomeText(report)).toMatch(says)
  },
  180_000,
)

test('a restarted service is waited for, and requirements are decided', async () => {
  const relay = await relayTo(road.url)
  let requests = 0
  disturbance = () => {
    if (++requests === 400) void relay.restart(2_000)
    return undefined
  }
  const report = await run({ depth: 'quick' }, relay.url)
  await relay.close()
  expect(red(report)).toEqual([])
  expect(report.faults).toEqual([])
  expect(report.stopped).toBeUndefined()
  expect(requirementsWith(report, 'pass').length).toBeGreaterThan(170)
})

test('a gateway without a backend for a moment leaves no requirement open', async () => {
  let requests = 0
  let until = 0
  disturbance = () => {
    if (++requests === 200) until = Date.now() + 1_400
    return Date.now() < until ? { kind: 'status', status: 502 } : undefined
  }
  const report = await run()
  expect(red(report)).toEqual([])
  // The answers of this server are too short to tell when they were sent.
  const open = requirementsWith(report, 'inconclusive', 'unproven').map(({ id }) => id)
  expect(open).toEqual(['OAI-STREAM-11', 'V3-SSE-30'])
}, 180_000)
