import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { restoreExchanges } from '../../../contract/index.ts'
import { targetFixture } from '../../../fixtures/targets.ts'
import { toCurl } from '../../../reports/text/curl/curl.ts'
import { type ReferenceServer, startReferenceServer } from '../../library/index.ts'
import { checkKind } from '../check/publish.ts'
import { loadKind } from '../load/measurement-formats.ts'
import { chatgen, type Ended, emptyFolder } from '../test-support/chatgen.ts'
import { journalOf } from '../test-support/journals.ts'
import {
  apiKey,
  echo,
  filesIn,
  gatewayKey,
  leaksIn,
  otherKey,
  password,
} from '../test-support/sentinel.ts'
import { type Middleman, startProxy } from '../test-support/servers.ts'

const formats = ['--report', Object.keys(checkKind().formats).join(',')]

/** Runs commands in a folder, and keeps what they print. */
function runner(more: Readonly<Record<string, string>> = {}) {
  const folder = emptyFolder()
  const outputs: Ended[] = []
  const run = async (...args: readonly string[]) => {
    const ended = await chatgen(args, { CHATGEN_API_KEY: apiKey, ...more }, folder)
    outputs.push(ended)
    return ended
  }
  return { folder, outputs, run }
}

test('no key is in any artefact or output of a run against a server that repeats it', async () => {
  const keys = { CHATGEN_OTHER_KEY: otherKey, GATEWAY_KEY: gatewayKey }
  const { folder, outputs, run } = runner(keys)
  await using echoing = await startProxy(server.url, echo)
  const profile = targetFixture('reference')
    .text.replace(/^baseUrl: .*$/m, `baseUrl: ${echoing.url}`)
    .replace(/^limits: .*$/m, 'limits: { timeoutMs: 60000, settleMs: 100 }')
  const headers = `headers: { X-Api-Key: "\${GATEWAY_KEY}" }\n`
  writeFileSync(join(folder, 'target.yaml'), profile + headers)
  const size = ['--depth', 'quick', '--explore', '20', '--jobs', '16']
  const target = ['--target', 'target.yaml', ...size, ...formats]
  await run('check', ...target, '--baseline', 'known.yaml', '--update-baseline')
  await run('rejudge', 'chatgen-results', ...formats)
  await run('compare', 'chatgen-results', 'chatgen-results/rejudged')
  await run('report', 'chatgen-results', ...formats, '--out', '-')

  // The echo was recorded; otherwise the checks below prove nothing.
  const recording = readFileSync(join(folder, 'chatgen-results/exchanges.ndjson'), 'utf8')
  expect(recording.match(/\[api key\]/g)?.length).toBeGreaterThan(500)
  expect(filesIn(folder).length).toBeGreaterThan(12)
  expect(leaksIn(folder, outputs)).toEqual([])
}, 300_000)

/** Repeats the key also in what a load run quotes: ids, and errors in mid-stream. */
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

let server: ReferenceServer
let proxy: Awaited<ReturnType<typeof startProxy>>

beforeAll(async () => {
  server = await startReferenceServer({ keys: [apiKey, otherKey] })
  proxy = await startProxy(server.url, loud)
})

afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  await server.close()
})

test('no key is in any artefact or output of a load run, of its shards and of what they merge to', async () => {
  const { folder, outputs, run } = runner()
  const reports = ['--report', Object.keys(loadKind.formats).join(',')]
  const plan = ['--rate', '20', '--duration', '2s', '--seed', 'one', '--mix', 'openai']
  await Promise.all(
    [0, 1].map((index) => {
      const out = ['--out', `shard-${index}`, '--shard', `${index}/2`]
      return run('load', proxy.url, ...plan, ...out, ...reports, '--verbose')
    }),
  )
  await run('report', 'shard-0', 'shard-1', ...reports, '--out', 'whole')
  const again = await run('report', 'shard-0', ...reports, '--out', '-')
  expect(again.stdout).not.toContain('EDITED')
  await run('load', proxy.url, ...plan, '--json')
  expect(outputs.map(({ stderr }) => stderr).join('')).not.toContain('internal')
  expect(readFileSync(join(folder, 'whole/report.json'), 'utf8')).toContain('[api key]')
  expect(leaksIn(folder, outputs)).toEqual([])
}, 120_000)

test('nor of init, bench and cleanup', async () => {
  const { folder, outputs, run } = runner()
  const left = { event: 'create', kind: 'chat', name: `chatgen-5eed ${apiKey}`, scenario: 'a' }
  writeFileSync(join(folder, 'journal.ndjson'), journalOf(proxy.url, [left]))
  await run('init', proxy.url)
  await run('init', proxy.url, '--out', '-')
  await run('bench', proxy.url, '--only', 'compatible*', '--duration', '1s')
  await run('cleanup', 'journal.ndjson', '--dry-run')
  await run('cleanup', 'journal.ndjson')
  const written = leaksIn(folder, outputs).filter((leak) => !leak.includes('/journal.ndjson:'))
  expect(written).toEqual([])
}, 120_000)

test('the password of a base URL stands nowhere, is not sent, and that is said', async () => {
  const { folder, run } = runner()
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
    ['check', url, '--only', 'OAI-MODELS-01', '--report', 'console,html,junit,markdown'],
    ['load', url, '--rate', '5', '--duration', '1s', '--out', 'load', '--report', 'console,html'],
    ['init', url],
    ['bench', url, '--only', 'compatible json', '--duration', '1s'],
    ['check', closed, '--out', 'closed-check'],
    ['load', closed, '--rate', '1', '--out', 'closed-load'],
    ['init', closed],
    ['bench', closed],
    ['check', `bob:${password}@127.0.0.1:9`],
    ['check', `http://bob:${password}@:x`],
  ]
  const outputs = await Promise.all(runs.map((args) => run(...args)))
  expect(leaksIn(folder, outputs)).toEqual([])
  for (const { stderr } of outputs.slice(0, 8)) {
    expect(stderr).toContain('user name and password in the base URL are not sent')
  }
  expect(outputs.slice(4).map(({ code }) => code)).toEqual([3, 3, 3, 3, 2, 2])
  expect(new Set(received)).not.toContain(`Basic ${btoa(`bob:${password}`)}`)
}, 120_000)

/** Keys that are too short to be found in text, or that look like it. */

const only = ['--only', 'OAI-TEMP-*', '--only', 'OAI-AUTH-*', '--explore', '0']
let shortServer: ReferenceServer
beforeAll(async () => {
  const faults = ['openai-temperature-below-0-accepted']
  const keys = ['k1', 'test-key-message-response', 'test-key-assistant-content']
  shortServer = await startReferenceServer({ keys, faults })
})
afterAll(() => shortServer.close())

test('with --allow-short-key, every request is shown with the credential that it had', async () => {
  const folder = emptyFolder()
  const env = { CHATGEN_API_KEY: 'k1', CHATGEN_ALLOW_SHORT_KEY: 'true' }
  const { code, stdout } = await chatgen(['check', shortServer.url, ...only], env, folder)
  expect(code).toBe(1)
  expect(stdout).toContain('Authorization: Bearer $CHATGEN_API_KEY')
  const file = join(folder, 'chatgen-results/exchanges.ndjson')
  const { exchanges } = restoreExchanges(readFileSync(file, 'utf8'))
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

test('keys that read like ordinary text change no verdict when the run is judged again', async () => {
  const folder = emptyFolder()
  const { text } = targetFixture('reference')
  const profile = text.replace(/^baseUrl: .*$/m, `baseUrl: ${shortServer.url}`)
  writeFileSync(join(folder, 'target.yaml'), profile)
  const env = {
    CHATGEN_API_KEY: 'test-key-message-response',
    CHATGEN_OTHER_KEY: 'test-key-assistant-content',
  }
  const quick = ['--depth', 'quick', '--explore', '0']
  const args = ['check', '--target', 'target.yaml', '--jobs', '8', ...quick, '--quiet']
  const run = await chatgen(args, env, folder)
  const again = await chatgen(['rejudge', 'chatgen-results', '--quiet'], {}, folder)
  expect([run.code, again.code]).toEqual([1, 1])
  const verdicts = (file: string) =>
    JSON.parse(readFileSync(join(folder, 'chatgen-results', file), 'utf8')).requirements.map(
      ({ id, verdict, message }: Record<string, unknown>) => ({ id, verdict, message }),
    )
  expect(verdicts('rejudged/report.json')).toEqual(verdicts('report.json'))
}, 120_000)
