import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { restoreExchanges } from '../../../contract/index.ts'
import { targetFixture } from '../../../fixtures/targets.ts'
import { compose, faults } from '../../../reference-server/deviations/index.ts'
import { type ReferenceServer, startReferenceServer } from '../../../reference-server/index.ts'
import { toCurl } from '../../../reports/text/curl/curl.ts'
import { chatgen, emptyFolder } from '../test-support/chatgen.ts'

/** Keys that are too short to be found in text, or that look like it. */

const broken = faults.filter(({ name }) => name === 'openai-temperature-below-0-accepted')
const only = ['--only', 'OAI-TEMP-*', '--only', 'OAI-AUTH-*', '--explore', '0']
let server: ReferenceServer
beforeAll(async () => {
  const patch = compose(broken.map((fault) => fault.patch))
  const keys = ['k1', 'test-key-message-response', 'test-key-assistant-content']
  server = await startReferenceServer({ keys, patch })
})
afterAll(() => server.close())

test('with --allow-short-key, every request is shown with the credential that it had', async () => {
  const folder = emptyFolder()
  const env = { CHATGEN_API_KEY: 'k1', CHATGEN_ALLOW_SHORT_KEY: 'true' }
  const { code, stdout } = await chatgen(['check', server.url, ...only], env, folder)
  expect(broken).toHaveLength(1)
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
    expect(line.includes('a-wrong-key'), sent).toBe(/^Bearer A[q1]$/.test(sent))
  }
}, 60_000)

test('keys that read like ordinary text change no verdict when the run is judged again', async () => {
  const folder = emptyFolder()
  const { text } = targetFixture('reference')
  const profile = text.replace(/^baseUrl: .*$/m, `baseUrl: ${server.url}`)
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
