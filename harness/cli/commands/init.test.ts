import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type ReferenceServer, startReferenceServer } from '../../../reference-server/index.ts'
import { listen } from '../../client/test-support/listen-on-loopback.ts'
import { headLine } from '../../conformance/cleanup/journal.ts'
import { loadProfile } from '../../conformance/profile/index.ts'
import { chatgen, emptyFolder } from '../test-support/chatgen.ts'
import { inProcess } from '../test-support/in-process.ts'
import { startModelsServer, withKey } from '../test-support/servers.ts'

describe('chatgen init', () => {
  test('writes a profile that chatgen check can use at once', async () => {
    const server = await startReferenceServer()
    const environment = { STAGING_KEY: server.keys[0] ?? '' }
    const folder = emptyFolder()
    const args = ['init', server.url, '--key-env', 'STAGING_KEY', '--out', 'staging.yaml']
    const { code, stdout, stderr } = await chatgen(args, environment, folder)
    expect(stdout).toMatchInlineSnapshot(`
      "Sent 26 requests; surfaces: openai, v2, v3
      Detected: models, deterministic, chatCursor, reasoning, images, attachments, knowledge, v2Chat
      Wrote staging.yaml. Next: chatgen check --target staging.yaml
      "
    `)
    expect(stderr).toContain('Left on the target: 1 attachment')
    expect(code).toBe(0)
    expect(readFileSync(join(folder, 'staging.yaml'), 'utf8')).not.toContain(server.keys[0])

    const only = ['--only', 'OAI-MODELS-*', '--only', 'V3-CHAT-*', '--only', 'V2-MSG-01']
    const check = ['check', '--target', 'staging.yaml', '--depth', 'quick', ...only]
    const checked = await chatgen(check, environment, folder)
    expect(checked.stdout).toMatch(/^CONFORMS/)
    expect(checked.code).toBe(0)
    await server.close()
  })

  test('--out - writes to standard output and says the rest on the other', async () => {
    await using server = await startModelsServer()
    const folder = emptyFolder()
    const args = ['init', server.url, '--out', '-']
    const { code, stdout, stderr } = await inProcess(args, withKey, folder)
    expect(loadProfile({ name: 'it', text: stdout }, withKey).models.main).toBe('svc-main-model')
    expect(stderr).toContain('surfaces: openai')
    expect(readdirSync(folder)).toEqual([])
    expect(code).toBe(0)
  })

  test('overwrites nothing without --force, and asks nothing before', async () => {
    await using server = await startModelsServer()
    const folder = emptyFolder()
    writeFileSync(join(folder, 'target.yaml'), 'mine\n')
    const refused = await inProcess(['init', server.url], withKey, folder)
    expect(refused.stderr).toBe('chatgen: target.yaml exists; pass --force to overwrite it\n')
    expect(refused.code).toBe(2)
    expect(server.requests).toBe(0)
    const forced = await inProcess(['init', server.url, '--force'], withKey, folder)
    expect(forced.code).toBe(0)
    expect(readFileSync(join(folder, 'target.yaml'), 'utf8')).toContain(server.url)
  })

  test('ends with 3 if nothing listens or the key is refused, and leaves no file', async () => {
    await using server = await startModelsServer({ refuseAll: 401 })
    const folder = emptyFolder()
    const unreachable = await inProcess(['init', 'http://127.0.0.1:1'], withKey, folder)
    expect(unreachable.stderr).toContain('nothing listens there')
    expect(unreachable.code).toBe(3)
    const refused = await inProcess(['init', server.url], withKey, folder)
    expect(refused.stderr).toContain('refuses the key on every surface')
    expect(refused.code).toBe(3)
    expect(existsSync(join(folder, 'target.yaml'))).toBe(false)
    expect(readdirSync(folder)).toEqual([])
  })
})

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
      const run = await inProcess([command, `${reference.url}/api`, ...args], withKey, folder)
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
    const { code, stderr } = await inProcess(args, withKey, folder)
    expect(stderr).toContain(`Did you mean ${reference.url}?`)
    expect(code).toBe(3)
    expect(readFileSync(join(folder, 'journal.ndjson'), 'utf8')).toBe(text)
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
  const { code, stdout } = await inProcess(['init', url], withKey, folder)
  expect(stdout).toContain('surfaces: openai\n')
  expect(code).toBe(0)
  const text = readFileSync(join(folder, 'target.yaml'), 'utf8')
  expect(text).toContain('POST /api/openai/chat/completions: 200')
  expect(loadProfile({ name: 'it', text }, withKey).deterministic).toBe(true)
})
