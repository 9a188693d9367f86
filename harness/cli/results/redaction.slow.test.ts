import { afterAll, expect, test } from 'vitest'
import { restoreExchanges } from '../../../contract/index.ts'
import { targetFixture } from '../../../fixtures/files.ts'
import { toCurl } from '../../../reports/text/curl/curl.ts'
import { startReferenceServer } from '../../library/index.ts'
import { checkKind } from '../check/publish.ts'
import { loadKind } from '../load/results.ts'
import { chatgen, type Ended, expectEnd, workplace } from '../test-support/chatgen.ts'
import {
  apiKey,
  echo,
  filesIn,
  gatewayKey,
  leaksIn,
  otherKey,
  password,
} from '../test-support/sentinel.ts'
import { journalOf, type Middleman, startProxy } from '../test-support/servers.ts'

const formats = `--report ${Object.keys(checkKind().formats).join(',')}`

/** Runs commands in a folder, and keeps what they print. */
function runner(more: Readonly<Record<string, string>> = {}) {
  const place = workplace({ CHATGEN_API_KEY: apiKey, ...more })
  const outputs: Ended[] = []
  const run = async (line: string) => {
    const ended = await place.run(line)
    outputs.push(ended)
    return ended
  }
  return { ...place, run, outputs, leaks: () => leaksIn(place.folder, outputs) }
}

test('files and output of a check contain no key, even if the server echoes it', async () => {
  const keys = { CHATGEN_OTHER_KEY: otherKey, GATEWAY_KEY: gatewayKey }
  const { folder, leaks, read, run, write } = runner(keys)
  await using echoing = await startProxy(server.url, echo)
  const { text } = targetFixture()
  const profile = text.replace(/^limits: .*$/m, 'limits: { timeoutMs: 60000, settleMs: 100 }')
  const headers = `headers: { X-Api-Key: "\${GATEWAY_KEY}" }\n`
  write('target.yaml', profile + headers)
  const size = '--depth quick --explore 20 --jobs 16'
  const baseline = '--baseline known.yaml --update-baseline'
  await run(`check ${echoing.url} --target target.yaml ${size} ${formats} ${baseline}`)
  await run(`rejudge chatgen-results ${formats}`)
  await run('compare chatgen-results chatgen-results/rejudged --no-rejudge')
  await run(`report chatgen-results ${formats} --out -`)

  // The echo was recorded; otherwise the checks below prove nothing.
  const recording = read('chatgen-results/exchanges.ndjson')
  expect(recording.match(/\[api key\]/g)?.length).toBeGreaterThan(500)
  expect(filesIn(folder).length).toBeGreaterThan(12)
  expect(leaks()).toEqual([])
}, 300_000)

/** Repeats the key also in texts that a load run quotes: ids, and errors in mid-stream. */
const loud: Middleman = {
  ...echo,
  pieces: (request, answer) => {
    const named = JSON.stringify(apiKey)
    const text = answer.body.toString()
    const body = request.path.endsWith('/completions')
      ? text
          .replaceAll(/"id":"[^"]*"/g, `"id":${named}`)
          .replace('data: [DONE]', `data: {"error":{"message":${named},"code":${named}}}`)
      : text
    return echo.pieces?.(request, { ...answer, body: Buffer.from(body) }) ?? []
  },
}

const server = await startReferenceServer({ keys: [apiKey, otherKey] })
const proxy = await startProxy(server.url, loud)

afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  await server.close()
})

test('files and output of load shards and their merge contain no key', async () => {
  const { leaks, outputs, read, run } = runner()
  const reports = `--report ${Object.keys(loadKind.formats).join(',')}`
  const load = `load ${proxy.url} --rate 20 --duration 2s --seed one --mix openai`
  await Promise.all(
    [0, 1].map((at) => run(`${load} --out shard-${at} --shard ${at}/2 ${reports} --verbose`)),
  )
  await run(`report shard-0 shard-1 ${reports} --out whole`)
  const again = await run(`report shard-0 ${reports} --out -`)
  expect(again.stdout).not.toContain('EDITED')
  await run(`${load} --json`)
  expect(outputs.map(({ stderr }) => stderr).join('')).not.toContain('internal')
  expect(read('whole/report.json')).toContain('[api key]')
  expect(leaks()).toEqual([])
}, 120_000)

test('files and output of init, bench and cleanup contain no key', async () => {
  const { leaks, run, write } = runner()
  const left = { event: 'create', kind: 'chat', name: `chatgen-5eed ${apiKey}`, scenario: 'a' }
  write('journal.ndjson', journalOf(proxy.url, [left]))
  await run(`init ${proxy.url}`)
  await run(`init ${proxy.url} --out -`)
  await run(`bench ${proxy.url} --only compatible* --duration 1s`)
  await run('cleanup journal.ndjson --dry-run')
  await run('cleanup journal.ndjson')
  const written = leaks().filter((leak) => !leak.includes('/journal.ndjson:'))
  expect(written).toEqual([])
}, 120_000)

test('the password of a base URL is neither stored nor sent, with a warning', async () => {
  const { leaks, run } = runner()
  const received: string[] = []
  await using gate = await startProxy(server.url, {
    instead: ({ headers }) => {
      received.push(headers.authorization ?? '')
      return undefined
    },
  })
  const url = gate.url.replace('//', `//bob:${password}@`)
  const closed = `http://bob:${password}@127.0.0.1:9`
  const runs = [
    `check ${url} --only OAI-MODELS-01 --report console,html,junit,markdown`,
    `load ${url} --rate 5 --duration 1s --out load --report console,html`,
    `init ${url}`,
    `bench ${url} --only 'compatible json' --duration 1s`,
    `check ${closed} --out closed-check`,
    `load ${closed} --rate 1 --out closed-load`,
    `init ${closed}`,
    `bench ${closed}`,
    `check bob:${password}@127.0.0.1:9`,
    `check http://bob:${password}@:x`,
  ]
  const outputs = await Promise.all(runs.map(run))
  expect(leaks()).toEqual([])
  for (const { stderr } of outputs.slice(0, 8)) {
    expect(stderr).toContain('user name and password in the base URL are not sent')
  }
  expect(outputs.slice(4).map(({ code }) => code)).toEqual([3, 3, 3, 3, 2, 2])
  expect(new Set(received)).not.toContain(`Basic ${btoa(`bob:${password}`)}`)
}, 120_000)

/** Keys that are too short to be found in text, or that look like it. */

const only = '--only OAI-TEMP-* --only OAI-AUTH-* --explore 0'
const shortServer = await startReferenceServer({
  keys: ['k1', 'test-key-message-response', 'test-key-assistant-content'],
  faults: ['openai.chat: temperature is read as at least 0'],
})
afterAll(() => shortServer.close())

test('--allow-short-key shows requests with their original credentials', async () => {
  const { ends, read } = workplace({ CHATGEN_API_KEY: 'k1', CHATGEN_ALLOW_SHORT_KEY: 'true' })
  const out = 'Authorization: Bearer $CHATGEN_API_KEY'
  await ends(`check ${shortServer.url} ${only}`, 1, { out })
  const { exchanges } = restoreExchanges(read('chatgen-results/exchanges.ndjson'))
  const credentials = exchanges.map(({ request, response, ...exchange }) => {
    const [, sent] = request.headers.find(([name]) => name === 'authorization') ?? []
    return { sent, line: toCurl({ ...exchange, request, response }) }
  })
  expect(credentials.length).toBeGreaterThan(20)
  for (const { sent = '', line } of credentials) {
    expect(sent).not.toContain('k1')
    // A wrong key, or a wrong first character of the right one.
    expect(line.includes('Bearer a-"'), sent).toBe(/^Bearer A[q1]$/.test(sent))
  }
}, 60_000)

test('keys that read like ordinary text keep their verdicts in a rejudge', async () => {
  const keys = {
    CHATGEN_API_KEY: 'test-key-message-response',
    CHATGEN_OTHER_KEY: 'test-key-assistant-content',
  }
  const { folder, ends, report } = workplace(keys)
  const target = `${shortServer.url} --target ${targetFixture().file}`
  await ends(`check ${target} --jobs 8 --depth quick --explore 0 --quiet`, 1)
  expectEnd(await chatgen('rejudge chatgen-results --quiet', {}, folder), 1)
  const [before, again] = ['chatgen-results', 'chatgen-results/rejudged'].map((name) =>
    report(name).requirements.map(({ id, verdict, message }) => ({ id, verdict, message })),
  )
  expect(again).toEqual(before)
}, 120_000)
