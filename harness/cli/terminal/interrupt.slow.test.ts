import { existsSync, readFileSync } from 'node:fs'
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import { platform } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { ended, portOf } from '../../client/test-support/listen-on-loopback.ts'
import { certificate, certificateFile, proxyTo } from '../../client/test-support/tls-front.ts'
import { readJournal } from '../../conformance/cleanup/journal.ts'
import { exchangesName, journalName } from '../../conformance/defaults.ts'
import { startChatServer } from '../../conformance/test-support/chat-server.ts'
import { endsAtSecondPress, start, workplace } from '../test-support/chatgen.ts'
import { startModelsServer, withKey } from '../test-support/servers.ts'

vi.setConfig({ testTimeout: 120_000 })

/** Requirements that need no profile: a URL is checked without discovery. */
const rows = '--only OAI-CHAT-* --only V3-CHAT-*'
/** Requests that detect the target. */
const requestCount = 3
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** Less than the request timeout of a minute. */
const patienceMs = 20_000

test('a run whose target is silent is ended at once by a second SIGINT, and can still be tidied up after', async () => {
  const { promise: waits, resolve } = Promise.withResolvers<void>()
  await using server = await startModelsServer({
    silentAfter: requestCount,
    onRequest: (count) => count > requestCount && resolve(),
  })
  // With a profile there is no discovery before the scenarios.
  const { start, ends, at, report } = workplace(withKey, {
    'target.yaml': `baseUrl: ${server.url}\n`,
  })
  const run = start(`check --target target.yaml ${rows} --out results`)
  await waits
  await endsAtSecondPress(run)
  expect(readJournal(at('results/journal.ndjson')).head.tag).toMatch(/^chatgen-/)
  await ends('rejudge results --quiet', 5, { out: /^INCOMPLETE/ })
  // vitest, which is being loaded by then, would end the process without a report.
  const again = start('rejudge results --out again')
  const begun = () => existsSync(at('again/run.json'))
  await vi.waitUntil(begun, { interval: 1, timeout: patienceMs })
  again.child.kill('SIGINT')
  expect(await again.ended).toMatchObject({ code: 130, signal: null })
  expect(report('again').interrupted).toBe(true)
})

/** A profile that leaves nothing to discover. */
const target = `apiKey: \${CHATGEN_API_KEY}\nmodels: { main: m }\nlimits: { settleMs: 0 }\n`

describe('whatever the run is doing', () => {
  test.each([
    ['SIGINT', '"create"'],
    ['SIGTERM', '"scenario":"get-chat'],
    ['SIGHUP', '"scenario":"explore"'],
  ] as const)('%s ends it with 130, without a chat left, at %s', async (signal, phase) => {
    const server = ended(await startChatServer())
    const { start, at, report } = workplace(
      { CHATGEN_API_KEY: server.key },
      { 'target.yaml': target },
    )
    const more = '--out results --profile v3 --explore 5000'
    const run = start(`check ${server.url} --target target.yaml ${more}`)
    const files = [journalName, exchangesName].map((name) => at(`results/${name}`))
    await vi.waitUntil(() => files.some((file) => contains(file, phase)), { timeout: patienceMs })
    run.child.kill(signal)
    expect((await run.ended).code).toBe(130)
    expect(server.chats.size).toBe(0)
    expect(report('results')).toMatchObject({ interrupted: true, faults: [] })
  })

  test('SIGTERM ends a discovery with 130, without a chat left', async () => {
    const server = ended(await startChatServer())
    const run = start(`check ${server.url}`, { CHATGEN_API_KEY: server.key })
    await vi.waitUntil(() => server.requests.includes('POST /api/v3/chat'), { timeout: patienceMs })
    run.child.kill('SIGTERM')
    expect(await run.ended).toMatchObject({ code: 130, signal: null })
    expect(server.chats.size).toBe(0)
  })

  test.runIf(platform() === 'linux')('a signal ends its start with 130', async () => {
    for (const [at, delayMs] of [0, 40, 80, 120, 160, 240, 320].entries()) {
      const signal = signals[at % signals.length]
      const run = start('check http://127.0.0.1:9')
      // Before its first line runs, Node itself handles signals.
      await vi.waitUntil(() => catchesHangups(run.child.pid ?? 0), { interval: 1 })
      await sleep(delayMs)
      run.child.kill(signal)
      const { code, signal: killedBy } = await run.ended
      // It may already have found that nothing listens.
      expect([130, 3], `${delayMs} ms, ${killedBy}`).toContain(code)
    }
  })
})

function contains(file: string, text: string): boolean {
  return existsSync(file) && readFileSync(file, 'utf8').includes(text)
}

/** SIGHUP is the last signal that bin/chatgen.cjs handles (proc(5): SigCgt). */
function catchesHangups(pid: number): boolean {
  const [, mask = '0'] =
    /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return (BigInt(`0x${mask}`) & 1n) === 1n
}

/** Sends GOAWAY after `maxStreams` streams of a connection, and leaves it open. */
async function startFront(target: string, maxStreams: number) {
  const handle = proxyTo(target)
  const streams = new Map<object, number>()
  const server = createSecureServer(
    { ...certificate('server') },
    (request: Http2ServerRequest, response: Http2ServerResponse) => {
      const { session } = request.stream
      const count = (streams.get(session ?? {}) ?? 0) + 1
      if (session) streams.set(session, count)
      response.on('finish', () => {
        if (count >= maxStreams && !session?.destroyed) session?.goaway()
      })
      handle(request, response)
    },
  )
  server.on('sessionError', () => {})
  return { url: `https://localhost:${await portOf(server)}`, connections: () => streams.size }
}

test('a process ends with its verdict though a server leaves its connections open after GOAWAY', {
  timeout: 120_000,
}, async () => {
  await using models = await startModelsServer()
  const front = await startFront(models.url, 2)
  const args = `--ca ${certificateFile('ca.pem')} --only OAI-MODELS-01 --only OAI-AUTH-*`
  const { child, ended, shows } = start(`check ${front.url} ${args}`, withKey)
  onTestFinished(() => void child.kill('SIGKILL'))
  await shows('Results: ')
  const before = performance.now()
  const { code, signal } = await ended
  expect(front.connections()).toBeGreaterThan(1)
  expect([code, signal]).not.toContain('SIGKILL')
  expect(code).not.toBeNull()
  // Node itself would wait for minutes.
  expect(performance.now() - before).toBeLessThan(20_000)
})
