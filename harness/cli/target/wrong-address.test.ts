import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type ReferenceServer, startReferenceServer } from '../../../reference-server/index.ts'
import { headLine } from '../../conformance/cleanup/journal.ts'
import { loadProfile } from '../../conformance/profile/index.ts'
import { listen } from '../../conformance/test-support/listen.ts'
import { chatgen, emptyFolder } from '../test-support/chatgen.ts'

/** The real bin at an address where no service is. */

const withKey = { CHATGEN_API_KEY: 'sk-address-4711' }

let reference: ReferenceServer
beforeAll(async () => {
  reference = await startReferenceServer({ keys: [withKey.CHATGEN_API_KEY] })
})
afterAll(() => reference.close())

async function serving(handler: RequestListener): Promise<string> {
  const host = await listen(handler)
  onTestFinished(() => host.close())
  return host.url
}

describe('a base address with /api at its end', () => {
  test.each([
    ['check', []],
    ['load', ['--rate', '1', '--duration', '1s']],
    ['bench', ['--duration', '1s']],
    ['init', []],
  ])(
    'chatgen %s ends with 3, writes nothing, and proposes the right one',
    async (command, args) => {
      const folder = emptyFolder()
      const run = await chatgen([command, `${reference.url}/api`, ...args], withKey, folder)
      expect(run.stderr).toContain(`no surface of the service answers at ${reference.url}/api`)
      expect(run.stderr).toContain(`Did you mean ${reference.url}? GET /api/openai/models: 200`)
      expect(run.stdout).toBe('')
      expect(run.code).toBe(3)
      expect(readdirSync(folder)).not.toContain('target.yaml')
    },
  )

  test('chatgen cleanup ends with 3, and takes no 404 for a chat that is gone', async () => {
    const folder = emptyFolder()
    const head = { tag: 'chatgen-5eed', kit: '0.1.0', baseUrl: reference.url }
    const chat = { event: 'create', kind: 'chat', name: 'Lost1 chatgen-5eed', scenario: 's' }
    const text = `${headLine(head, String)}${JSON.stringify(chat)}\n`
    writeFileSync(join(folder, 'journal.ndjson'), text)
    const args = ['cleanup', 'journal.ndjson', `${reference.url}/api`]
    const { code, stderr } = await chatgen(args, withKey, folder)
    expect(stderr).toContain(`Did you mean ${reference.url}?`)
    expect(code).toBe(3)
    expect(readFileSync(join(folder, 'journal.ndjson'), 'utf8')).toBe(text)
  })
})

describe('chatgen init writes no profile and names no next command for', () => {
  test.each<[string, RequestListener, string]>([
    [
      'a page',
      (_, response) => response.setHeader('content-type', 'text/html').end('<title>Log in</title>'),
      '200 text/html "Log in"',
    ],
    [
      'a redirect',
      (request, response) =>
        response.writeHead(308, { location: `https://chat.example.org${request.url}` }).end(),
      'Did you mean https://chat.example.org?',
    ],
    [
      'a target that answers 429 to everything',
      (_, response) => response.writeHead(429, { 'retry-after': '0' }).end(),
      'it is overloaded, or limits the rate of this key',
    ],
    [
      'a target whose surfaces all fail',
      (_, response) =>
        response.writeHead(500, { 'content-type': 'application/json' }).end('{"error":"down"}'),
      'The server fails on every route',
    ],
  ])('%s', async (_, handler, sentence) => {
    const folder = emptyFolder()
    const { code, stdout, stderr } = await chatgen(
      ['init', await serving(handler)],
      withKey,
      folder,
    )
    expect(stderr).toContain(sentence)
    expect(stdout).toBe('')
    expect(readdirSync(folder)).toEqual([])
    expect(code).toBe(3)
  })
})

test('chatgen init finds a compatible surface that lists no models', async () => {
  const url = await serving((request, response) => {
    const isCompletion = request.url === '/api/openai/chat/completions'
    response.writeHead(isCompletion ? 200 : 404, { 'content-type': 'application/json' })
    const choices = [{ index: 0, message: { role: 'assistant', content: 'Blue.' } }]
    response.end(JSON.stringify(isCompletion ? { object: 'chat.completion', choices } : {}))
  })
  const folder = emptyFolder()
  const { code, stdout } = await chatgen(['init', url], withKey, folder)
  expect(stdout).toContain('surfaces: openai\n')
  expect(code).toBe(0)
  const text = readFileSync(join(folder, 'target.yaml'), 'utf8')
  expect(text).toContain('POST /api/openai/chat/completions: 200')
  expect(loadProfile({ name: 'it', text }, withKey).deterministic).toBe(true)
})

test('chatgen check names the models that are listed where the one of the profile is none', async () => {
  const folder = emptyFolder()
  const profile = `baseUrl: ${reference.url}\nmodels: { main: no-such-model }\n`
  writeFileSync(join(folder, 'target.yaml'), profile)
  const { code, stdout, stderr } = await chatgen(
    ['check', '--target', 'target.yaml'],
    withKey,
    folder,
  )
  expect(stderr).toMatch(
    /^chatgen: models\.main: the target lists .*svc-main-model.*, not no-such-model, and refuses/,
  )
  expect(stdout).toBe('')
  expect(code).toBe(2)
})

test('what stands there is told without what a terminal would obey', async () => {
  const url = await serving((_, response) => {
    response.writeHead(404, { 'content-type': 'text/html', server: 'a\u0085b' })
    response.end('<title>\u001b[31mred\u202e\u0007</title>')
  })
  const { code, stderr } = await chatgen(['check', url], withKey)
  expect(stderr).toContain('\\u001b[31mred')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
  expect(stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
  expect(code).toBe(3)
})
