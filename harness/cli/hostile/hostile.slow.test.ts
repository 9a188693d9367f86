import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { targetFixture } from '../../../fixtures/targets.ts'
import { startReferenceServer } from '../../../reference-server/index.ts'
import { ended } from '../../client/test-support/listen-on-loopback.ts'
import { workplace } from '../test-support/chatgen.ts'
import {
  type Answer,
  body,
  deep,
  drip,
  earlyHints,
  endlessBody,
  endlessEvents,
  endlessHeaders,
  historyPage,
  longAnswers,
  type ReceivedRequest,
  startFront,
  status,
} from './test-support/answers.ts'

/** Broken or hostile targets, with the real CLI: docs/limits.md. Tests of the client and of scenarios cover each limit. */

const key = 'sk-hostile-target-4711'
vi.setConfig({ testTimeout: 180_000 })

const maxMemoryMb = 500
const runMs = 5_000

const service = await startReferenceServer({ keys: [key] })
afterAll(() => service.close())

const streams = ({ method, body }: ReceivedRequest) =>
  method === 'POST' && body.includes('"stream":true')
const reads = ({ method }: ReceivedRequest) => method === 'GET'
const history = ({ method, path }: ReceivedRequest) =>
  method === 'GET' && path.endsWith('/v3/message')

const refusal = (retryAfter: string) =>
  status('429 Too Many Requests', [`retry-after: ${retryAfter}`])

type Limits = Readonly<Record<string, number>>

describe('a whole check of a target that sends', () => {
  const all = () => true
  /** Limits of a target that sends little, for which a run only waits. */
  const brief = { timeoutMs: 1_000, runMs: 3_000 }

  test.each<[string, (request: ReceivedRequest) => boolean, Answer, Limits?]>([
    ['streams without end', streams, endlessEvents],
    ['headers without end', history, endlessHeaders],
    ['bodies without end', reads, endlessBody],
    ['pages of 20,000 rows', history, body(historyPage(20_000))],
    ['a byte now and then', streams, drip(100), { ...brief, timeoutMs: 500 }],
    ['hints and no answer', reads, earlyHints, brief],
    ['nothing', all, () => {}, brief],
    ['a Retry-After that is no time', all, refusal('soon')],
  ])('%s stays within time and memory', async (_, asks, answer, limits = {}) => {
    const url = await startFront(service.url, (request) => (asks(request) ? answer : undefined))
    await wholeCheck(url, limits)
  })

  test('20,000 events in every answer stays within time and memory', async () => {
    const server = ended(await startReferenceServer({ keys: [key], patch: longAnswers(20_000) }))
    await wholeCheck(server.url, {})
  })

  test('more than a run may take ends, and is named', async () => {
    const says = /more than 50000 bytes in this run.*: raise limits\.runBytes/
    await wholeCheck(service.url, { runBytes: 50_000, runMs: 120_000 }, says)
  })

  async function wholeCheck(
    baseUrl: string,
    limits: Limits,
    says = /VIOLATED|INCOMPLETE|answers no request|does not answer/,
  ): Promise<void> {
    const { otherKey: _, ...profile } = parse(targetFixture('reference').text)
    const own = { ...profile, baseUrl, limits: { runMs, ...limits } }
    const files = { 'target.yaml': JSON.stringify(own) }
    const ended = await measured('check --target target.yaml', files)
    expect([1, 3, 5], ended.output).toContain(ended.code)
    expect(ended.output).not.toContain('internal error')
    expect(ended.output.replaceAll(/\s+/g, ' ')).toMatch(says)
    expect(ended.peakMb).toBeLessThan(maxMemoryMb)
    expect(ended.seconds).toBeLessThan(runMs / 1000 + 30)
  }
})

describe('chatgen init of a target that sends', () => {
  test.each([
    ['a Retry-After of years', () => true, refusal('999999999')],
    ['bodies without end', reads, endlessBody],
    ['JSON 100,000 levels deep', reads, body(deep(100_000))],
  ])('%s ends', async (_, asks, answer) => {
    const url = await startFront(service.url, (request) => (asks(request) ? answer : undefined))
    const ended = await measured(`init ${url} --timeout 20000`)
    expect(ended.signal, ended.output).toBeNull()
    expect([0, 3], ended.output).toContain(ended.code)
    expect(ended.peakMb).toBeLessThan(maxMemoryMb)
  })
})

/** Runs the real CLI; returns the peak memory of its process in MB too, as the kernel reports it. */
async function measured(line: string, files = {}) {
  const startedAt = performance.now()
  const { child, ended } = workplace({ CHATGEN_API_KEY: key }, files).start(line)
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
