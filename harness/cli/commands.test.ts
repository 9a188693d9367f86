import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { requirementIds } from '../../contract/index.ts'
import { conformanceReport } from '../../contract/report/conformance.ts'
import { chatgen, emptyFolder, start } from './test-support/chatgen.ts'
import { key, startModelsServer } from './test-support/models-server.ts'

const withKey = { CHATGEN_API_KEY: key }

describe('chatgen', () => {
  test.each([
    ['--help'],
    ['check', '--help'],
    ['serve', '--help'],
    ['list', '--help'],
    ['explain', '--help'],
  ])('has help for %s %s', async (...args) => {
    const { code, stdout } = await chatgen(args)
    expect(stdout).toMatch(/^Usage: chatgen/)
    if (args.length > 1) expect(stdout).toContain('Examples:')
    expect(code).toBe(0)
  })

  test('list names every row, and --only a part', async () => {
    const all = await chatgen(['list', '--json'])
    const ids = JSON.parse(all.stdout).map((row: { id: string }) => row.id)
    expect(ids).toEqual(expect.arrayContaining(requirementIds))
    const some = await chatgen(['list', '--only', 'V3-IDEM-*'])
    expect(some.stdout.trim().split('\n')).toHaveLength(
      requirementIds.filter((id) => id.startsWith('V3-IDEM-')).length,
    )
  })

  test('explain says all about a row', async () => {
    const { stdout, code } = await chatgen(['explain', 'v3-idem-02'])
    expect(stdout).toContain('required')
    expect(stdout).toContain('4.3')
    expect(code).toBe(0)
  })

  test('serve says where it listens, answers /healthz and stops when told to', async () => {
    const run = start(['serve', '--port', '0', '--key', 'sk-test-1234'])
    await run.shows('API key:')
    const url = /Listening on (\S+)/.exec(run.soFar())?.[1] ?? ''
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    expect((await fetch(`${url}/api/openai/models`)).status).toBe(401)
    run.child.kill('SIGTERM')
    const ended = await run.ended
    expect(ended.stdout).not.toContain('sk-test-1234')
    expect(ended.code).toBe(0)
  })

  test('serve says in a line that its port is taken', async () => {
    await using server = await startModelsServer()
    const { code, stderr } = await chatgen(['serve', '--port', new URL(server.url).port])
    expect(stderr).toContain(`port ${new URL(server.url).port} of 127.0.0.1 is in use (EADDRINUSE)`)
    expect(code).toBe(2)
  })

  test('serve takes several keys, each a caller of its own, as the example profile wants it', async () => {
    const run = start(['serve', '--port', '0', '--key', 'sk-one-key', '--key', 'sk-other-key'])
    await run.shows('API key:')
    const url = /Listening on (\S+)/.exec(run.soFar())?.[1] ?? ''
    const example = fileURLToPath(new URL('../../fixtures/targets/reference.yaml', import.meta.url))
    const keys = { CHATGEN_API_KEY: 'sk-one-key', CHATGEN_OTHER_KEY: 'sk-other-key' }
    const args = ['check', url, '--target', example, '--only', 'V3-ATT-11', '--quiet']
    const { code, stdout } = await chatgen(args, keys)
    run.child.kill('SIGTERM')
    expect(stdout).toMatch(/^CONFORMS {2}1 passed/)
    expect(code).toBe(0)
  })

  test.each([
    ['check', '--reference'],
    ['load', 'http://127.0.0.1:1', '--rate', '1'],
  ])('%s ends in time where Linux can make no folder', async (...args) => {
    const { code, stderr } = await chatgen([...args, '--out', '/proc/chatgen/results'])
    expect(stderr).toContain('ENOENT')
    expect(code).toBe(2)
  })
})

describe('chatgen check', () => {
  const models = ['--only', 'OAI-MODELS-01', '--profile', 'openai']

  test('--dry-run sends nothing and says what would be sent', async () => {
    await using server = await startModelsServer()
    const { code, stdout } = await chatgen(['check', server.url, '--dry-run', ...models], withKey)
    expect(stdout).toMatch(/total +4 +0 +0 +0/)
    expect(server.requests).toBe(0)
    expect(code).toBe(0)
  })

  test.each([
    ['of all requirements explores', [], true],
    ['with --explore 0 does not', ['--explore', '0'], false],
    ['of some requirements does not', ['--only', 'V3-CHAT-*'], false],
    [
      'of some requirements does where it is asked to',
      ['--only', 'V3-CHAT-*', '--explore', '9'],
      true,
    ],
    ['of one surface does not', ['--profile', 'v3'], false],
    [
      'without requirements that it can show does not',
      ['--skip', 'V3*', '--skip', 'VER*', '--skip', 'V2*'],
      false,
    ],
  ] as const)('a run %s', async (_, args, explores) => {
    const { stdout } = await chatgen(['check', '--reference', '--dry-run', ...args])
    expect(/^exploring, \d+ operations/m.test(stdout)).toBe(explores)
  })

  test('--json prints the report and nothing else', async () => {
    await using server = await startModelsServer()
    const { stdout } = await chatgen(['check', server.url, '--json', ...models], withKey)
    const report = conformanceReport.parse(JSON.parse(stdout))
    expect(report.requirements.map(({ id, verdict }) => [id, verdict])).toEqual([
      ['OAI-MODELS-01', 'pass'],
    ])
  })

  test('--quiet prints one line', async () => {
    await using server = await startModelsServer()
    const { stdout } = await chatgen(['check', server.url, '--quiet', ...models], withKey)
    expect(stdout).toBe('CONFORMS  1 passed, 0 violated, 0 undecided of 1 required requirement\n')
  })

  test('a flag wins over its environment twin, and the twin over the profile', async () => {
    await using server = await startModelsServer()
    const environment = {
      ...withKey,
      CHATGEN_ONLY: 'OAI-MODELS-04',
      CHATGEN_PROFILE: 'openai',
      CHATGEN_JSON: 'true',
    }
    const rows = async (args: readonly string[]) => {
      const { stdout } = await chatgen(['check', server.url, ...args], environment)
      return conformanceReport.parse(JSON.parse(stdout)).requirements.map(({ id }) => id)
    }
    expect(await rows([])).toEqual(['OAI-MODELS-04'])
    expect(await rows(['--only', 'OAI-MODELS-01'])).toEqual(['OAI-MODELS-01'])
  })

  test('names run and scenario in every request, and shows the key nowhere', async () => {
    const names: (string | undefined)[] = []
    const server = createServer((request, response) => {
      names.push(request.headers['user-agent'], String(request.headers['x-request-id']))
      const credentials = request.headers.authorization ?? 'nothing'
      response.setHeader('x-you-said', credentials)
      response.setHeader('content-type', 'application/json')
      response.end(
        JSON.stringify({
          echo: credentials,
          coded: encodeURIComponent(credentials),
          data: [{ id: 'svc-main-model' }],
        }),
      )
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const folder = emptyFolder()
    const args = [
      'check',
      `http://127.0.0.1:${port}`,
      '--profile',
      'openai',
      '--seed',
      'abc',
      '--out',
      'results',
    ]
    const { stdout, stderr, code } = await chatgen(args, withKey, folder)
    server.close()

    expect(code).toBe(1)
    // The first request finds the compatible surface, before there is a run: it names nobody.
    const [, , ...ofRun] = names
    expect(ofRun.length).toBeGreaterThan(20)
    expect(ofRun.filter((name) => !name?.includes('chatgen-abc/'))).toEqual([])
    const files = readdirSync(join(folder, 'results')).map((file) =>
      readFileSync(join(folder, 'results', file), 'utf8'),
    )
    expect(files.join('').length).toBeGreaterThan(10_000)
    for (const text of [stdout, stderr, ...files]) {
      expect(text).not.toContain(key)
      expect(text).not.toContain(key.slice(0, -1))
      expect(text).not.toContain(Buffer.from(`chatgen:${key}`).toString('base64').slice(4, -4))
    }
    expect(stdout).toContain('$CHATGEN_API_KEY')
  })
})
