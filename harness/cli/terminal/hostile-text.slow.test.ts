import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type RawServer, startRawServer } from '../../client/test-support/raw-server.ts'
import { chatgen, emptyFolder } from '../test-support/chatgen.ts'
import { escapeWorkflowCommands } from './io.ts'

vi.setConfig({ testTimeout: 120_000 })

/** Status lines, headers and bodies of a hostile target, in what the real command prints. */

const attack = '::error::planted ##[error]planted \u009b31mred \u0085::warning::planted'
const json = JSON.stringify({
  error: { message: `\u001b[2J\r\n${attack}\n::set-output name=a::b\u202e` },
  detail: `::error::planted\n##[error]planted \u001b]0;title\u0007`,
})
const head = (status: string) =>
  `HTTP/1.1 ${status}\r\nretry-after: ${attack}\r\nwww-authenticate: ${attack}\r\nx-a: ${attack}\r\n`
const responses = {
  'a refusal': `${head(`403 ${attack}`)}content-type: application/json; x="${attack}"\r\ncontent-length: ${Buffer.byteLength(json)}\r\n\r\n${json}`,
  'a success with another media type': `${head(`200 ${attack}`)}content-type: ${attack}\r\nlocation: ${attack}\r\ncontent-length: ${Buffer.byteLength(json)}\r\n\r\n${json}`,
  'a broken status line': `HTTP/1.1 ${attack}\r\n\r\n`,
  'a broken head': `HTTP/1.1 200 OK\r\nx: \u001b[31m${attack}\r\n: ${attack}\r\n\r\n`,
}

describe.each(Object.entries(responses))('%s', (_, response) => {
  let server: RawServer
  beforeAll(async () => {
    server = await startRawServer((socket) => {
      const list = JSON.stringify({ object: 'list', data: [{ id: 'svc-main-model' }] })
      // The service must answer somewhere, or nothing is judged.
      const isModels = server.heads.at(-1)?.startsWith('GET /api/openai/models ') === true
      const ok = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${list.length}\r\n\r\n${list}`
      socket.end(Buffer.from(isModels ? ok : response, isModels ? 'utf8' : 'latin1'))
    })
  })
  afterAll(() => server.close())

  test.each([
    ['check', ['--only', 'OAI-CHAT-*', '--only', 'OAI-ERR-*', '--only', 'V3-AUTH-*']],
    ['init', ['--out', '-', '--timeout', '2000']],
    ['load', ['--rate', '5', '--arrival', 'constant', '--duration', '1s', '--surface', 'openai']],
  ])('in the output of %s is neither a control sequence nor a command', async (command, args) => {
    const env = { CHATGEN_API_KEY: 'sk-hostile-text', GITHUB_ACTIONS: 'true' }
    const folder = emptyFolder()
    const { code, stdout, stderr } = await chatgen([command, server.url, ...args], env, folder)
    expect([0, 1, 3, 5, 6]).toContain(code)
    for (const output of [stdout, stderr]) {
      expect(controls(output)).toEqual([])
      expect(commandsIn(output)).toEqual([])
    }
    if (command === 'check' && code !== 3) {
      const evidence = readFileSync(join(folder, 'chatgen-results/exchanges.ndjson'), 'utf8')
      expect(evidence).toContain('POST')
    }
  })
})

/** Control characters other than the line feed. */
function controls(text: string): readonly string[] {
  return text.match(/(?!\n)[\p{Cc}\p{Cf}]/gu) ?? []
}

/** Lines that the runner of GitHub Actions would execute, as its ActionCommand parses them. */
function commandsIn(text: string): readonly string[] {
  let token: string | undefined
  return text.split('\n').filter((line) => {
    const [, stop] = /^\s*::stop-commands::(\S+)$/.exec(line) ?? []
    if (token === undefined && stop !== undefined) {
      token = stop
      return false
    }
    if (token !== undefined) {
      if (line === `::${token}::`) token = undefined
      return false
    }
    return /^\s*::/.test(line) || line.includes('##[')
  })
}

test('the commands that the test looks for are found', () => {
  expect(commandsIn('a\n  ::error::b\nc ##[error]d\ne::f')).toHaveLength(2)
  expect(commandsIn('::stop-commands::t\n::error::b\n::t::')).toEqual([])
  expect(commandsIn('::stop-commands::t\n::t::\n::error::b')).toHaveLength(1)
})

test('workflow commands are escaped on GitHub Actions only', () => {
  const text = 'a\n  ::error::b\nc ##[error]d'
  expect(escapeWorkflowCommands(text, {})).toBe(text)
  const escaped = escapeWorkflowCommands(text, { GITHUB_ACTIONS: 'true' })
  expect(escaped).toBe('a\n  \\x3a:error::b\nc #\\x23[error]d')
  expect(commandsIn(escaped)).toEqual([])
})
