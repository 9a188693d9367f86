import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type ReferenceServer, startReferenceServer } from '../../reference-server/index.ts'
import {
  certificateFile,
  type FrontOptions,
  type Handler,
  proxyTo,
  startTlsServer,
} from '../client/test-support/tls-front.ts'
import { planConformance } from '../conformance/plan.ts'
import {
  check,
  exchangesIn,
  lineOf,
  referenceProfile,
  temporaryFolder,
} from '../conformance/test-support/check.ts'
import { addCosts, addExchangeCost, noCost } from '../conformance/usage.ts'

const slug = 'a-target-that-negotiates-http-2-also-answers-over-http-1-1'
const only = ['OAI-STREAM-01', 'V3-SSE-01']

let server: ReferenceServer
let pass: Handler

beforeAll(async () => {
  server = await startReferenceServer({
    keys: ['first-key-of-this-test', 'other-key-of-this-test'],
  })
  pass = proxyTo(server.url)
})

afterAll(() => server.close())

/** A server that passes HTTP/1.1 to another handler. */
function unlike(over1: Handler): Handler {
  return (request, response) => (request.httpVersionMajor === 2 ? pass : over1)(request, response)
}

async function startFront(handle: Handler, options: FrontOptions = {}) {
  const front = await startTlsServer(handle, options)
  onTestFinished(() => front.close())
  return front
}

function profileFor(baseUrl: string, network: object = {}) {
  const limits = { timeoutMs: 60_000, settleMs: 100 }
  const reached = { ca: certificateFile('ca.pem'), ...network }
  return referenceProfile(baseUrl, server.keys, { network: reached, limits })
}

async function run(
  baseUrl: string,
  { surfaces = 'openai' as 'openai' | 'v3' | 'full', network = {} } = {},
) {
  const outDir = temporaryFolder()
  const profile = profileFor(baseUrl, network)
  const report = await check(profile, { surfaces, only, outDir })
  expect(report.faults).toEqual([])
  const requests = exchangesIn(outDir).filter(({ labels }) => labels.scenario === slug)
  const observation = report.observations.find(({ id }) => id === 'OPEN-44')
  return { report, profile, outDir, requests, answer: observation?.answer }
}

describe('a target that chooses HTTP/2', () => {
  test.each([
    ['full', 'alike: GET /models, a streamed completion, GET /models without a key'],
    ['v3', 'alike: a streamed one-shot, GET /chat without a key'],
  ] as const)('and answers alike over HTTP/1.1 is told so (%s)', async (surfaces, alike) => {
    const { report, profile, requests, answer } = await run((await startFront(pass)).url, {
      surfaces,
    })
    expect(answer).toBe(alike)
    expect(report.outcome).toBe('conforms')
    expect(requests.map(({ protocol }) => protocol)).toEqual(
      requests.map((_, at) => (at % 2 === 0 ? 'h2' : 'http/1.1')),
    )
    const planned = await planConformance(profile, { profile: surfaces, only, skip: [] })
    const declared = planned.find((scenario) => scenario.slug === slug)?.cost ?? noCost
    const spent = requests
      .map((exchange) => addExchangeCost(noCost, exchange))
      .reduce(addCosts, noCost)
    expect(spent.requests).toBeLessThanOrEqual(declared.requests)
    expect(spent.generations).toBeLessThanOrEqual(declared.generations)
  })

  test('and has no routes over HTTP/1.1 breaks nothing', async () => {
    const front = await startFront(
      unlike((_, response) => {
        response.writeHead(404, { 'content-type': 'application/json' })
        response.end('{}')
      }),
    )
    const { report, answer, outDir, profile } = await run(front.url)
    expect(report.outcome).toBe('conforms')
    const expected =
      'GET /models without a key: status 401 over HTTP/2, 404 over HTTP/1.1; ' +
      'GET /models: status 200 over HTTP/2, 404 over HTTP/1.1; ' +
      'a streamed completion: status 200 over HTTP/2, 404 over HTTP/1.1'
    expect(answer).toBe(expected)

    const recordingFile = join(outDir, 'exchanges.ndjson')
    const again = await check(profile, {
      surfaces: 'openai',
      only,
      seed: report.seed,
      recordingFile,
    })
    expect(again.observations.find(({ id }) => id === 'OPEN-44')?.answer).toBe(expected)
    expect(again.outcome).toBe('conforms')
  })

  test('and does not speak HTTP/1.1 is told so, and asked no further', async () => {
    const front = await startFront(pass, { alpn: ['h2'] })
    const { answer, requests, report } = await run(front.url)
    expect(answer).toMatch(
      /^GET \/models: status 200 over HTTP\/2, no answer, unreachable \(.+\) over HTTP\/1\.1$/,
    )
    expect(requests.length).toBeLessThanOrEqual(3)
    expect(report.traffic?.unanswered).toBe(0)
    expect(report.outcome).toBe('conforms')
  })
})

test('a target on TLS that chooses HTTP/1.1 is asked once', async () => {
  const { answer, requests } = await run((await startFront(pass, { alpn: ['http/1.1'] })).url)
  expect(answer).toBeUndefined()
  expect(requests).toHaveLength(1)
})

describe('a target that does not choose', () => {
  test.each([
    ['https://chat.test', {}, true],
    ['https://chat.test', { httpVersion: 1 }, false],
    ['https://chat.test', { httpVersion: 2 }, false],
    ['http://chat.test', {}, false],
  ])('costs nothing more: %s %j', async (baseUrl, network, isPlanned) => {
    const selection = { profile: 'openai', only, skip: [] } as const
    const planned = await planConformance(profileFor(baseUrl, network), selection)
    expect(planned.some((scenario) => scenario.slug === slug)).toBe(isPlanned)
  })
})

test('the whole suite says the same over HTTP/1.1 and over HTTP/2', async () => {
  const front = await startFront(pass)
  const rows = async (httpVersion: 1 | 2) => {
    const report = await check(profileFor(front.url, { httpVersion }), { jobs: 8 })
    expect(report.faults).toEqual([])
    expect(report.target.network).toMatchObject({ httpVersion, insecure: false })
    return report.requirements.filter(({ level }) => level === 'required').map(lineOf)
  }
  const over1 = await rows(1)
  const over2 = await rows(2)
  expect(over2).toEqual(over1)
  expect(over2.filter((line) => !/ (pass|not-applicable)$/.test(line))).toEqual([])
  expect(new Set(front.protocols)).toEqual(new Set(['http/1.1', 'h2']))
}, 240_000)
