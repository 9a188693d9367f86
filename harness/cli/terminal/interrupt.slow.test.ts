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
import { bin, endsAtSecondPress, start, wordsOf, workplace } from '../test-support/chatgen.ts'
import { journalOf, startModelsServer, withKey } from '../test-support/servers.ts'
import {
  ctrlC,
  type InTerminal,
  inTerminal,
  printed,
  startInTerminal,
} from '../test-support/terminal.ts'

vi.setConfig({ testTimeout: 120_000 })

/** Requirements that need no profile: a URL is checked without discovery. */
const rows = '--only OAI-CHAT-* --only V3-CHAT-*'
/** Requests that detect the target. */
const surfaces = 3
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** Less than the request timeout of a minute. */
const patienceMs = 20_000

test('a second SIGINT ends a run with a silent target at once', async () => {
  const { promise: waits, resolve } = Promise.withResolvers<void>()
  await using server = await startModelsServer({
    silentAfter: surfaces,
    onRequest: (count) => count > surfaces && resolve(),
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

describe('a signal', () => {
  test.each([
    ['SIGINT', '"create"'],
    ['SIGTERM', '"scenario":"get-chat'],
    ['SIGHUP', '"scenario":"explore"'],
  ] as const)('%s ends a run with 130 and no chats left at %s', async (signal, phase) => {
    const server = ended(await startChatServer())
    const { start, at, report } = workplace(
      { CHATGEN_API_KEY: server.key },
      { 'target.yaml': target },
    )
    const more = '--out results --profile v3 --explore 5000'
    const run = start(`check ${server.url} --target target.yaml ${more}`)
    const files = [journalName, exchangesName].map((name) => at(`results/${name}`))
    const hasBegun = (file: string) =>
      existsSync(file) && readFileSync(file, 'utf8').includes(phase)
    await vi.waitUntil(() => files.some(hasBegun), { timeout: patienceMs })
    run.child.kill(signal)
    expect((await run.ended).code).toBe(130)
    expect(server.chats.size).toBe(0)
    expect(report('results')).toMatchObject({ interrupted: true, faults: [] })
  })

  test('ends a discovery with 130 and no chats left', async () => {
    const server = ended(await startChatServer())
    const run = start(`check ${server.url}`, { CHATGEN_API_KEY: server.key })
    await vi.waitUntil(() => server.requests.includes('POST /api/v3/chat'), { timeout: patienceMs })
    run.child.kill('SIGTERM')
    expect(await run.ended).toMatchObject({ code: 130, signal: null })
    expect(server.chats.size).toBe(0)
  })

  test.runIf(platform() === 'linux')('ends a start with 130', async () => {
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

test('a process ends even if a server keeps its connections open after GOAWAY', {
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

/**
 * Ctrl-C as a keyboard sends it, on a pseudo-terminal with a size, while a spinner turns. The targets
 * answer only the detection, so no command would end by itself within a minute.
 */

const spinner = /[\u2801-\u28ff]/

/** Grace period for a silent target when chats may have been created: `docs/reports.md`. */
const graceMs = 2000
/** Time for a machine that also runs the other tests; no run would end by itself before this. */
const slackMs = 15_000

/** A check without discovery: its requirements need no other fields of the profile. */
const check = 'check --target profile.yaml --only OAI-CHAT-* --only V3-CHAT-*'

/** A command on a terminal, once its target has gone silent after `answered` requests. */
async function silenced(
  line: string,
  answered: number,
  { columns = 80, shows = spinner, begin = startInTerminal } = {},
) {
  const waits = Promise.withResolvers<void>()
  const server = await startModelsServer({
    silentAfter: answered,
    onRequest: (count) => count > answered && waits.resolve(),
  })
  const files = {
    'profile.yaml': `baseUrl: ${server.url}\n`,
    'journal.ndjson': journalOf(server.url),
  }
  const place = workplace({}, files)
  const given = line.replace('URL', server.url)
  const run = begin(given, { env: withKey, cwd: place.folder, columns })
  await Promise.all([waits.promise, run.shows(shows)])
  return { ...place, run, [Symbol.asyncDispose]: server[Symbol.asyncDispose] }
}

describe('Ctrl-C on a terminal', () => {
  test.each([
    { line: `${check} --out results`, answered: surfaces, says: 'partial results' },
    { line: check, answered: 0, says: 'chatgen: interrupted before the first scenario' },
    { line: 'load URL --rate 5', answered: 0, says: 'chatgen: interrupted', shows: /^/ },
    { line: 'load URL --rate 2 --surface openai --out results', answered: 2, says: '' },
    { line: 'init URL', answered: 0, says: 'chatgen: interrupted' },
    { line: 'init URL', answered: surfaces, says: 'chatgen: interrupted' },
    { line: 'cleanup journal.ndjson', answered: 0, says: '', shows: /1 chat to delete/ },
  ])('ends chatgen $line after $answered requests', async ({ line, answered, says, shows }) => {
    await using silent = await silenced(line, answered, shows && { shows })
    const { run, at, report } = silent
    const before = performance.now()
    run.press(ctrlC)
    expect(await run.ended).toEqual({ code: 130, signal: 0 })
    expect(performance.now() - before).toBeLessThan(graceMs + slackMs)
    const screen = await text(run)
    expect(screen).toContain(says)
    expect(screen).not.toMatch(spinner)
    // The cursor is visible.
    const raw = run.raw()
    expect(raw.lastIndexOf('\u001b[?25h')).toBeGreaterThanOrEqual(raw.lastIndexOf('\u001b[?25l'))
    const hasResults = line.endsWith('results')
    expect(existsSync(at('results/report.json'))).toBe(hasResults)
    if (hasResults && line.startsWith('check')) {
      const { requirements, ...found } = report('results')
      expect(found).toMatchObject({ interrupted: true, outcome: 'incomplete', faults: [] })
      const undecided = requirements.filter(({ verdict }) => verdict !== 'pass')
      expect(undecided).not.toEqual([])
      for (const { message } of undecided) expect(message).toContain('interrupted')
    }
    for (const name of ['target.yaml', 'chatgen-results']) expect(existsSync(at(name))).toBe(false)
  })

  test('leaves no spinner frame if the spinner fills the line', async () => {
    // As many columns as the spinner and "starting" need, with the last one left free.
    const narrow = { columns: 11, shows: /[\u2801-\u28ff][^\r\n]*sta/ }
    await using silent = await silenced(check, surfaces, narrow)
    const { run } = silent
    run.press(ctrlC)
    await run.ended
    expect(run.raw()).toContain('^C')
    for (const { text } of await run.screen()) expect(text).not.toMatch(spinner)
  })

  test('stays enabled, as does echo, after the run was killed', async () => {
    const script = `(echo pid=$(exec sh -c 'echo $PPID'); exec "$@"); stty -a`
    // Processes that it leaves keep the terminal open until their request times out.
    await using silent = await silenced(`${check} --timeout 10000`, surfaces, {
      begin: (line, { columns = 80, env = {}, cwd = '' } = {}) => {
        const shell = ['sh', '-c', script, 'sh', process.execPath, bin, ...wordsOf(line)]
        return inTerminal(shell, { columns, env, cwd })
      },
    })
    const { run } = silent
    process.kill(Number(/pid=(\d+)/.exec(run.raw())?.[1]), 'SIGKILL')
    await run.ended
    const settings = (await text(run)).replaceAll('\n', ' ')
    for (const word of ['isig', 'icanon', 'echo']) expect(settings).toMatch(` ${word} `)
  })
})

async function text(run: InTerminal): Promise<string> {
  return printed(await run.screen())
}
