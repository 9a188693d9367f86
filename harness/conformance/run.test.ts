import { renameSync, symlinkSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ended } from '../client/test-support/listen-on-loopback.ts'
import { wholeProfile } from '../proof/test-support/second-server/judged.ts'
import { type SecondServer, startSecondServer } from '../proof/test-support/second-server/server.ts'
import { exchangesName, journalName, reportName } from './defaults.ts'
import type { Progress } from './progress.ts'
import { rejudge } from './recording/rejudge.ts'
import {
  type CheckOptions,
  check,
  exchangesIn,
  lineOf,
  requirementsWith,
  sharedEngine,
  temporaryFolder,
} from './test-support/check.ts'

type Run = Awaited<ReturnType<typeof run>>

type Intercept = (request: IncomingMessage, response: ServerResponse) => boolean

async function run(intercepts: Intercept, options: CheckOptions = {}) {
  const server = ended(await startSecondServer({}, intercepts))
  const outDir = temporaryFolder()
  const report = await check(quickProfile(server), { surfaces: 'v3', outDir, ...options })
  return { report, server, outDir }
}

function quickProfile(server: SecondServer) {
  return wholeProfile(server, { limits: { timeoutMs: 15_000, settleMs: 60 } })
}

/** Undecided requirements of a run that found no fault, with the reasons. */
function expectOnlyUndecided({ report }: Run, reason: RegExp): void {
  expect(requirementsWith(report, 'fail', 'error').map(lineOf)).toEqual([])
  expect(report.faults).toEqual([])
  expect(report.outcome).toBe('incomplete')
  expect(requirementsWith(report, 'inconclusive').map(({ message }) => message)).toContainEqual(
    expect.stringMatching(reason),
  )
}

test('a request budget is kept, and unreached requirements are inconclusive', async () => {
  let requests = 0
  const counted = await run(
    () => {
      requests += 1
      return false
    },
    { maxRequests: 60, jobs: 4 },
  )
  expectOnlyUndecided(counted, /the budget of 60 requests \(--max-requests\) is spent/)
  expect(counted.report.stopped).toBe('the budget of 60 requests (--max-requests) is spent')
  // Includes the requests of the preflight and of the audit.
  expect(requests).toBeLessThanOrEqual(60)
  expect(requests).toBeGreaterThan(45)
  expect(counted.report.cost.requests).toBe(requests)
  // The server deletes after its replication delay.
  await expect.poll(() => counted.server.chats('v3')).toBe(0)
})

describe('a busy target', () => {
  test('is retried after Retry-After and gets its normal verdicts', async () => {
    let requestCount = 0
    let waitUntil = 0
    const early: number[] = []
    const { report, outDir } = await run(
      (_, response) => {
        requestCount += 1
        if (performance.now() < waitUntil) early.push(waitUntil - performance.now())
        if (requestCount !== 20 && requestCount !== 50) return false
        waitUntil = performance.now() + 1_000
        return turnAway(response, requestCount === 20 ? 429 : 503, '1')
      },
      { jobs: 1, depth: 'quick', only: ['V3-GEN-01', 'V3-HIST-01', 'V3-CHAT-01'] },
    )
    expect(requirementsWith(report, 'fail', 'error', 'inconclusive').map(lineOf)).toEqual([])
    expect(report.faults).toEqual([])
    // The clocks of the two sides differ by less than this.
    expect(early.filter((ms) => ms > 20)).toEqual([])
    const tries = exchangesIn(outDir).filter(({ labels }) => labels.attempt > 0)
    expect(tries).toHaveLength(2)
  })

  test('is given up after repeated 429, without a violation', async () => {
    const busy = await run(
      ({ method, url }, response) =>
        method === 'POST' && url === '/api/v3/chat' && turnAway(response, 429, '0'),
      { only: ['V3-CHAT-01', 'V3-GEN-01'] },
    )
    expectOnlyUndecided(busy, /the target kept answering 429/)
  })
})

test('a target that dies in mid-run leaves requirements undecided without internal errors', async () => {
  let requestCount = 0
  const dead = await run((request) => {
    requestCount += 1
    if (requestCount < 120) return false
    request.socket.resetAndDestroy()
    return true
  })
  expectOnlyUndecided(dead, /got no whole answer|no more requests were sent/)
  expect(dead.report.stopped).toMatch(/no more requests were sent/)
})

const reset: Intercept = ({ socket }) => {
  socket.resetAndDestroy()
  return true
}
const refuse: Intercept = (_, response) => {
  response.writeHead(401).end()
  return true
}

test.each([
  ['resets every connection', reset, 40],
  ['resets every connection close to the end', reset, 66],
  ['refuses the key', refuse, 40],
])('a target that %s during exploration is undecided, also in a rejudge', async (_, die, at) => {
  let requestCount = 0
  const only = ['V3-CHAT-02', 'V3-FAV-*']
  // With one job, random sequences begin after the scenarios.
  const options = { explore: 20, only, depth: 'quick', seed: 'dies', jobs: 1 } as const
  const dead = await run((request, response) => {
    if (String(request.headers['x-request-id']).includes('/explore/')) requestCount += 1
    return requestCount > at && die(request, response)
  }, options)
  expectOnlyUndecided(dead, /no more (requests were sent|usable answers)/)
  const { stopped, requirements } = dead.report
  expect(requirements.map(({ message }) => message)).toContain(stopped)
  writeFileSync(join(dead.outDir, reportName), JSON.stringify(dead.report))

  const again = await rejudge({
    dir: dead.outDir,
    outDir: temporaryFolder(),
    engine: sharedEngine,
  })
  expect(again.requirements.map(lineOf)).toEqual(requirements.map(lineOf))
  expect(again.stopped).toBe(stopped)
})

// The suites send 4 generations and some 450 requests.
test.each([{ maxGenerations: 6 }, { maxRequests: 500 }])(
  'a budget of %j spent by exploration keeps the verdicts of the suites',
  async (budget) => {
    const only = ['V3-CHAT-02', 'V3-FAV-*']
    const options = { explore: 60, only, depth: 'quick', seed: 'spent', ...budget } as const
    const { report } = await run(() => false, options)
    expect([report.outcome, report.stopped]).toEqual(['conforms', undefined])
    expect(report.cost.requests).toBeGreaterThan(470)
  },
)

test.each([
  [exchangesName, /ENOSPC.*Chats may be left on the target: run chatgen cleanup /],
  [journalName, /^the evidence of the run cannot be written: ENOSPC/],
])('a run that cannot write %s ends and reports possible leftovers', async (name, reason) => {
  const server = await startSecondServer({}, ({ method, url }) => {
    requestCount += 1
    if (requestCount === 100) fillDisk()
    if (requestCount > 100 && method === 'POST' && url === '/api/v3/chat') created += 1
    return false
  })
  onTestFinished(() => server.close())
  const outDir = temporaryFolder()
  let requestCount = 0
  let created = 0
  const fillDisk = () => {
    const file = join(outDir, name)
    // In one step: a thread of the run may append at any time, and would make the file anew.
    symlinkSync('/dev/full', `${file}-full`)
    renameSync(`${file}-full`, file)
  }
  const jobs = 4
  const checked = check(quickProfile(server), { surfaces: 'v3', outDir, depth: 'quick', jobs })
  await expect(checked).rejects.toThrow(reason)
  // Each job may have been about to create a chat.
  expect(created).toBeLessThanOrEqual(jobs)
})

function turnAway(response: ServerResponse, status: number, retryAfter: string): true {
  response.writeHead(status, { 'retry-after': retryAfter }).end()
  return true
}

/** Progress that a run prints agrees with its report. */

test('progress counts requirements and scenarios as the report does', async () => {
  const server = await startSecondServer({
    accepts: (_, [key]) => key,
    // Broken by every response, but counted as one requirement.
    answers: (body) =>
      body['object'] === 'chat.completion'
        ? { ...body, usage: { prompt_tokens: 1, total_tokens: 0 } }
        : body,
  })
  onTestFinished(() => server.close())
  const updates: Progress[] = []
  const report = await check(wholeProfile(server), {
    only: ['OAI-AUTH-*', 'OAI-CHAT-*', 'V3-CHAT-11'],
    depth: 'quick',
    onProgress: (progress) => updates.push(progress),
    explore: 4,
  })
  const last = updates.at(-1)
  const violated = (last?.requirements() ?? []).filter(({ verdict }) => verdict === 'fail')
  expect(violated.map(lineOf)).toEqual(requirementsWith(report, 'fail').map(lineOf))
  expect(violated.length).toBeGreaterThan(1)

  // Scenarios that were not selected do not count.
  const ran = new Set(report.requirements.flatMap(({ scenarios }) => scenarios))
  expect(last).toMatchObject({ done: last?.total, share: 1 })
  expect(last?.total).toBeLessThanOrEqual(ran.size)
  expect(report.exploration).toMatchObject({ operations: 4 })
  const shares = updates.map(({ share }) => share)
  expect(shares).toEqual(shares.toSorted((a, b) => a - b))
})
