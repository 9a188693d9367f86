import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { parse } from 'yaml'
import { targetFixture } from '../../../fixtures/targets.ts'
import { type ReferenceServer, startReferenceServer } from '../../../reference-server/index.ts'
import { emptyFolder, start } from '../test-support/chatgen.ts'
import {
  type Answer,
  body,
  bomb,
  deep,
  drip,
  earlyHints,
  echoes,
  endlessBody,
  endlessHeaders,
  events,
  historyPage,
  longAnswers,
  type ReceivedRequest,
  silence,
  startFront,
  status,
} from './test-support/answers.ts'

/** Broken or hostile targets, with the real CLI: docs/limits.md. Tests of the client and of scenarios cover each limit. */

const key = 'sk-hostile-target-4711'
vi.setConfig({ testTimeout: 180_000 })

const maxMemoryMb = 500
const runMs = 8_000

let service: ReferenceServer
beforeAll(async () => {
  service = await startReferenceServer({ keys: [key] })
})
afterAll(() => service.close())

const streams = ({ method, body }: ReceivedRequest) =>
  method === 'POST' && body.includes('"stream":true')
const models = ({ path }: ReceivedRequest) => path.endsWith('/openai/models')
const history = ({ method, path }: ReceivedRequest) =>
  method === 'GET' && path.endsWith('/v3/message')
const completions = ({ path }: ReceivedRequest) => path.endsWith('/completions')

const refusal = (retryAfter: string) =>
  status('429 Too Many Requests', [`retry-after: ${retryAfter}`])

type Limits = Readonly<Record<string, number>>

interface Case {
  readonly asks: (request: ReceivedRequest) => boolean
  readonly answer: Answer
  readonly limits?: Limits
  readonly only: string
  readonly says: string
}

const cases: Readonly<Record<string, Case>> = {
  'a stream without end': {
    asks: streams,
    answer: events(),
    limits: { streamBytes: 300_000 },
    only: 'OAI-STREAM-12',
    says: 'POST /api/openai/chat/completions sent a stream of more than 300000 bytes (limits.streamBytes)',
  },
  'a gigabyte of zeros in a megabyte of gzip': {
    asks: models,
    answer: bomb,
    only: 'OAI-MODELS-01',
    says: 'bytes of gzip that decode to more than 8388608 bytes (limits.bodyBytes)',
  },
  'headers without end': {
    asks: models,
    answer: endlessHeaders,
    only: 'OAI-MODELS-01',
    says: 'Header overflow',
  },
  'the key 100,000 times': {
    asks: models,
    answer: echoes(100_000),
    only: 'OAI-MODELS-03',
    says: 'INCOMPLETE',
  },
  'a byte now and then': {
    asks: completions,
    answer: drip(50),
    limits: { runMs: 4_000 },
    only: 'OAI-STREAM-12',
    says: 'the run took longer than 4000 ms (limits.runMs) and sends no more requests',
  },
  'more than a run may take': {
    asks: () => false,
    answer: () => {},
    limits: { runBytes: 3_000 },
    only: 'OAI-*',
    says: 'the target sent more than 3000 bytes in this run (limits.runBytes)',
  },
}

describe('chatgen check of a target that sends', () => {
  test.each(Object.entries(cases))('%s ends, and names it', async (_, hostile) => {
    const { asks, answer, limits = {}, only, says } = hostile
    // Detection uses the same routes; its first answers are legal.
    let requestCount = 0
    const url = await startFront(service.url, (request) => {
      if (!asks(request)) return undefined
      requestCount += 1
      return requestCount > Number(asks === models) ? answer : undefined
    })
    const cwd = emptyFolder()
    const profile = { baseUrl: url, limits: { settleMs: 0, timeoutMs: 20_000, ...limits } }
    writeFileSync(join(cwd, 'target.yaml'), JSON.stringify(profile))
    const args = ['check', '--target', 'target.yaml', '--only', only]
    const ended = await measured(args, cwd)
    const output = ended.output.replaceAll(/\s+/g, ' ')
    expect(output).toContain(says)
    expect(output).not.toContain('internal error')
    expect({ code: ended.code, signal: ended.signal }).toEqual({ code: 5, signal: null })
    expect(ended.peakMb).toBeLessThan(maxMemoryMb)
  })
})

describe('a whole check of a target that sends', () => {
  const reads = ({ method }: ReceivedRequest) => method === 'GET'
  const all = () => true

  test.each<[string, (request: ReceivedRequest) => boolean, Answer, Limits?]>([
    ['streams without end', streams, events()],
    ['bodies without end', reads, endlessBody],
    ['pages of 20,000 rows', history, body(historyPage(20_000))],
    ['a byte now and then', streams, drip(100), { timeoutMs: 500 }],
    ['hints and no answer', reads, earlyHints, { timeoutMs: 1_000 }],
    ['nothing', all, silence, { timeoutMs: 1_000 }],
    ['a Retry-After that is no time', all, refusal('soon')],
  ])('%s stays within time and memory', async (_, asks, answer, limits = {}) => {
    const url = await startFront(service.url, (request) => (asks(request) ? answer : undefined))
    await wholeCheck(url, limits)
  })

  test('20,000 events in every answer stays within time and memory', async () => {
    const server = await startReferenceServer({ keys: [key], patch: longAnswers(20_000) })
    onTestFinished(() => server.close())
    await wholeCheck(server.url, {})
  })

  async function wholeCheck(baseUrl: string, limits: Limits): Promise<void> {
    const cwd = emptyFolder()
    const { otherKey: _, ...profile } = parse(targetFixture('reference').text)
    const own = { ...profile, baseUrl, limits: { runMs, ...limits } }
    writeFileSync(join(cwd, 'target.yaml'), JSON.stringify(own))
    const ended = await measured(['check', '--target', 'target.yaml'], cwd)
    expect([1, 3, 5], ended.output).toContain(ended.code)
    expect(ended.output).not.toContain('internal error')
    expect(ended.output).toMatch(/VIOLATED|INCOMPLETE|answers no request|does not answer/)
    expect(ended.peakMb).toBeLessThan(maxMemoryMb)
    expect(ended.seconds).toBeLessThan(runMs / 1000 + 30)
  }
})

describe('chatgen init of a target that sends', () => {
  test.each([
    ['a Retry-After of years', () => true, refusal('999999999')],
    ['bodies without end', ({ method }: ReceivedRequest) => method === 'GET', endlessBody],
    [
      'JSON 100,000 levels deep',
      ({ method }: ReceivedRequest) => method === 'GET',
      body(deep(100_000)),
    ],
  ])('%s ends', async (_, asks, answer) => {
    const url = await startFront(service.url, (request) => (asks(request) ? answer : undefined))
    const args = ['init', url, '--timeout', '20000']
    const ended = await measured(args, emptyFolder())
    expect(ended.signal, ended.output).toBeNull()
    expect([0, 3], ended.output).toContain(ended.code)
    expect(ended.peakMb).toBeLessThan(maxMemoryMb)
  })
})

/** Runs the real CLI; returns the peak memory of its process in MB too, as the kernel reports it. */
async function measured(args: readonly string[], cwd: string) {
  const startedAt = performance.now()
  const { child, ended } = start(args, { CHATGEN_API_KEY: key }, cwd)
  let peakMb = 0
  const look = setInterval(() => {
    peakMb = Math.max(peakMb, peakOf(child.pid ?? 0))
  }, 20)
  const timer = setTimeout(() => child.kill('SIGKILL'), 150_000)
  const { code, signal, stdout, stderr } = await ended
  clearInterval(look)
  clearTimeout(timer)
  const seconds = (performance.now() - startedAt) / 1000
  return { code, signal, seconds, peakMb, output: stdout + stderr }
}

/** `VmHWM` of Linux; 0 once the process is gone. */
function peakOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Math.round(Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024)
  } catch {
    return 0
  }
}
