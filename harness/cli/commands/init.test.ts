import { createServer } from 'node:http'
import { afterAll, describe, expect, test } from 'vitest'
import { startReferenceServer } from '../../../reference-server/index.ts'
import { ended, urlOf } from '../../client/test-support/listen-on-loopback.ts'
import { loadProfile } from '../../conformance/profile/index.ts'
import { expectEnd, workplace } from '../test-support/chatgen.ts'
import { inProcess } from '../test-support/in-process.ts'
import { journalOf, key, startModelsServer, withKey } from '../test-support/servers.ts'

describe('chatgen init', () => {
  test('writes a profile that chatgen check accepts', async () => {
    const server = ended(await startReferenceServer())
    const { run, ends, read } = workplace({ STAGING_KEY: server.keys[0] ?? '' })
    const line = `init ${server.url} --key-env STAGING_KEY --out staging.yaml`
    const { code, stdout, stderr } = await run(line)
    expect(stdout).toMatchInlineSnapshot(`
      "Sent 22 requests; surfaces: openai, v2, v3
      Detected: models, chatCursor, reasoning, images, attachments, knowledge, v2Chat
      Wrote staging.yaml. Next: chatgen check --target staging.yaml
      "
    `)
    expect(stderr).toContain('Left on the target: 1 attachment')
    expect(code).toBe(0)
    expect(read('staging.yaml')).not.toContain(server.keys[0])
    const only = '--only OAI-MODELS-* --only V3-CHAT-* --only V2-MSG-01'
    const check = `check --target staging.yaml --depth quick ${only}`
    await ends(check, 0, { out: /^CONFORMS/ })
  })

  test('prints the profile to standard output and the rest to standard error with --out -', async () => {
    await using server = await startModelsServer()
    const { folder, list } = workplace()
    const { code, stdout, stderr } = await inProcess(`init ${server.url} --out -`, withKey, folder)
    expect(loadProfile({ name: 'it', text: stdout }, withKey).models.main).toBe('svc-main-model')
    expect(stderr).toContain('surfaces: openai')
    expect(list()).toEqual([])
    expect(code).toBe(0)
    const asJson = await inProcess(`init ${server.url} --out - --json`, withKey, folder)
    expect(JSON.parse(asJson.stdout)).toMatchObject({ file: null, text: stdout })
  })

  test('overwrites a file only with --force, and otherwise sends nothing', async () => {
    await using server = await startModelsServer()
    const { folder, read } = workplace({}, { 'target.yaml': 'mine\n' })
    const refused = await inProcess(`init ${server.url}`, withKey, folder)
    expect(refused.stderr).toBe('chatgen: target.yaml exists; pass --force to overwrite it\n')
    expect(refused.code).toBe(2)
    expect(server.requests).toBe(0)
    expect((await inProcess(`init ${server.url} --force`, withKey, folder)).code).toBe(0)
    expect(read('target.yaml')).toContain(server.url)
  })

  test('ends with 3 and no file if the target is unreachable or refuses the key', async () => {
    await using server = await startModelsServer({ refuseAll: 401 })
    const { folder, list } = workplace()
    const unreachable = await inProcess('init http://127.0.0.1:1', withKey, folder)
    expectEnd(unreachable, 3, { err: 'nothing listens there' })
    const refused = await inProcess(`init ${server.url}`, withKey, folder)
    expectEnd(refused, 3, { err: 'refuses the key on every surface' })
    expect(list()).toEqual([])
  })

  test('ends with 3 and no file if the target dies during the last probes', async () => {
    await using server = await startModelsServer({ silentAfter: 4 })
    const { folder, list } = workplace()
    const died = await inProcess(`init ${server.url} --timeout 1000`, withKey, folder)
    expectEnd(died, 3, { err: 'it stopped answering during the probes' })
    expect(list()).toEqual([])
  })
})

const reference = await startReferenceServer({ keys: [key] })
afterAll(() => reference.close())

describe('a base URL that ends with /api', () => {
  test.each(['check', 'load --rate 1 --duration 1s', 'bench --duration 1s', 'init'])(
    'makes chatgen %s end with 3 and suggest the right URL',
    async (line) => {
      const { folder, list } = workplace()
      const run = await inProcess(`${line} ${reference.url}/api`, withKey, folder)
      const none = `no surface of the service answers at ${reference.url}/api`
      const other = `pass it without /api: ${reference.url}`
      expectEnd(run, 3, { out: /^$/, err: [none, other] })
      expect(list()).not.toContain('target.yaml')
    },
  )

  test('makes chatgen cleanup end with 3 and keep its journal', async () => {
    const text = journalOf(reference.url)
    const { folder, read } = workplace({}, { 'journal.ndjson': text })
    const line = `cleanup journal.ndjson ${reference.url}/api`
    const err = `pass it without /api: ${reference.url}`
    expectEnd(await inProcess(line, withKey, folder), 3, { err })
    expect(read('journal.ndjson')).toBe(text)
  })
})

test('chatgen init finds a compatible surface without a list of models', async () => {
  const server = createServer((request, response) => {
    const isCompletion = request.url === '/api/openai/chat/completions'
    response.writeHead(isCompletion ? 200 : 404, { 'content-type': 'application/json' })
    const choices = [{ index: 0, message: { role: 'assistant', content: 'Blue.' } }]
    response.end(JSON.stringify(isCompletion ? { object: 'chat.completion', choices } : {}))
  })
  const { folder, read } = workplace()
  const ended = await inProcess(`init ${await urlOf(server)}`, withKey, folder)
  expectEnd(ended, 0, { out: 'surfaces: openai\n' })
  expect(read('target.yaml')).toContain('POST /api/openai/chat/completions: 200')
})
