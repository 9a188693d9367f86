import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bodyLength, type Exchange, restoreExchanges } from '../../contract/index.ts'
import { relayTo } from '../client/test-support/listen-on-loopback.ts'
import { startChatServer } from '../conformance/test-support/chat-server.ts'
import { check, profileOf, temporaryFolder } from '../conformance/test-support/check.ts'

const unlimited = { maxRequests: null, runBytes: null, runMs: null, diesAfter: null }
const orNone = (numbers: fc.Arbitrary<number>) => fc.option(numbers, { freq: 2 })

const combinations = fc.record({
  operations: fc.integer({ min: 0, max: 40 }),
  /** Addresses of the one server. */
  endpoints: fc.integer({ min: 1, max: 3 }),
  jobs: fc.integer({ min: 1, max: 8 }),
  maxRequests: orNone(fc.integer({ min: 10, max: 300 })),
  runBytes: orNone(fc.integer({ min: 500, max: 30_000 })),
  runMs: orNone(fc.integer({ min: 100, max: 3_000 })),
  /** Requests after which the server drops every connection. */
  diesAfter: orNone(fc.integer({ min: 20, max: 200 })),
})
type Combination = typeof combinations extends fc.Arbitrary<infer Value> ? Value : never

/** Time in which a send may still follow an answer that has arrived but is not yet recorded, in ms. */
const slackMs = 250

const maxFailures = 8

type Run = Awaited<ReturnType<typeof run>>

async function run(combination: Combination) {
  const { endpoints, operations, jobs, maxRequests, runBytes, runMs, diesAfter } = combination
  const host = await startChatServer({
    answers: (count) => diesAfter === null || count < diesAfter,
  })
  const others = await Promise.all(Array.from({ length: endpoints - 1 }, () => relayTo(host.url)))
  const outDir = temporaryFolder()
  try {
    const limits = {
      settleMs: 0,
      timeoutMs: 5_000,
      ...(runBytes !== null && { runBytes }),
      ...(runMs !== null && { runMs }),
    }
    const baseUrls = [host.url, ...others.map(({ url }) => url)]
    const checking = check(profileOf({ baseUrls, apiKey: host.key, limits }), {
      outDir,
      jobs,
      only: ['V3-CHAT', 'V3-FAV', 'OAI-MODELS'],
      seed: 'one-run',
      explore: operations,
      ...(maxRequests !== null && { maxRequests }),
    })
    const latestEnd = Date.now() + (runMs ?? Number.POSITIVE_INFINITY)
    const report = await checking
    expect(report.faults).toEqual([])
    const text = readFileSync(join(outDir, 'exchanges.ndjson'), 'utf8')
    return {
      exchanges: restoreExchanges(text).exchanges,
      /** Requests that the server received. */
      received: host.requests.length,
      /** Latest end of the time limit of the run, in ms since the epoch. */
      latestEnd,
      runBytes: runBytes ?? Number.POSITIVE_INFINITY,
      maxRequests: maxRequests ?? Number.POSITIVE_INFINITY,
    }
  } finally {
    await Promise.all([...others, host].map(({ close }) => close()))
  }
}

function numberOf({ id }: Exchange): number {
  expect(id).toMatch(/^x\d+$/)
  return Number(id.slice(1))
}

const sentAt = ({ startedAt }: Exchange) => Date.parse(startedAt)

/** Time from which only cleanup may be sent, determined by the recorded exchanges in order. */
function stopOf({ exchanges, runBytes, latestEnd }: Run): number {
  let bytes = 0
  let failures = 0
  let firstLossAt = 0
  for (const exchange of exchanges) {
    bytes += bodyLength(exchange)
    if (exchange.response !== null) failures = 0
    else if (failures === 0 || sentAt(exchange) > firstLossAt) {
      if (failures === 0) firstLossAt = sentAt(exchange) + exchange.ending.atMs
      // A target that refuses connections gets five tries.
      const isRefused = 'code' in exchange.ending && exchange.ending.code === 'ECONNREFUSED'
      failures += Number(!isRefused || exchange.labels.attempt === 4)
    }
    if (bytes <= runBytes && failures < maxFailures) continue
    return Math.min(latestEnd, sentAt(exchange) + exchange.ending.atMs)
  }
  return latestEnd
}

function expectOneRun(run: Run): void {
  const bySending = run.exchanges.toSorted((a, b) => numberOf(a) - numberOf(b))
  // Ids are consecutive, without gaps or duplicates, in the order of sending.
  expect(bySending.map(numberOf)).toEqual(bySending.map((_, at) => at + 1))
  expect(bySending.map(sentAt)).toEqual(bySending.map(sentAt).toSorted((a, b) => a - b))
  const stop = stopOf(run)
  const late = run.exchanges.filter(
    (one) => one.labels.role !== 'cleanup' && sentAt(one) > stop + slackMs,
  )
  expect(late.map(({ id, labels }) => `${id} ${labels.scenario}`)).toEqual([])
  expect(run.received).toBeLessThanOrEqual(run.maxRequests)
}

test('all stages of a run share one sequence of ids and its limits', {
  timeout: 240_000,
}, async () => {
  let stages = new Set<string>()
  await fc.assert(
    fc.asyncProperty(combinations, async (combination) => {
      fc.pre(
        combination.maxRequests === null || combination.maxRequests > 3 * combination.endpoints,
      )
      const found = await run(combination)
      expectOneRun(found)
      stages = new Set([
        ...stages,
        ...found.exchanges.map(({ labels }) => stageOf(labels.scenario)),
      ])
    }),
    {
      numRuns: 8,
      endOnFailure: true,
      examples: [
        [{ ...unlimited, operations: 20, endpoints: 2, jobs: 4 }],
        [{ ...unlimited, operations: 40, endpoints: 1, jobs: 4, runBytes: 6_000 }],
        [{ ...unlimited, operations: 40, endpoints: 2, jobs: 4, diesAfter: 60 }],
      ],
    },
  )
  expect(stages).toEqual(new Set(['suites', 'explore', 'alone', 'residue-audit']))
})

function stageOf(scenario: string): string {
  if (scenario === 'explore' || scenario === 'residue-audit') return scenario
  return scenario.includes('@') ? 'alone' : 'suites'
}
