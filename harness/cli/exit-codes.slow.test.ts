import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { conformanceReport } from '../../contract/report/conformance.ts'
import { chatgen, emptyFolder, start } from './test-support/chatgen.ts'
import { failing } from './test-support/failing.ts'
import { key, startModelsServer } from './test-support/models-server.ts'

/** Each exit code by the real bin, and their order: 130, 2, 3, 1, 4, 5, 0. */

const withKey = { CHATGEN_API_KEY: key }
const models = ['--only', 'OAI-MODELS-01', '--only', 'OAI-MODELS-04']
const slip = { ...withKey, ...failing(`Promise.reject(new Error('a slip of ours'))`) }
const modelsAuth = ['--only', 'OAI-AUTH-01']

/** A request of a scenario of `models`. */
const scenarioRequest = 6

describe('chatgen check ends with', () => {
  test('0 where the target conforms', async () => {
    await using server = await startModelsServer()
    const { code, stdout } = await chatgen(['check', server.url, ...models], withKey)
    expect(stdout).toMatch(/^CONFORMS/)
    expect(code).toBe(0)
  })

  test('1 where a requirement is violated', async () => {
    await using server = await startModelsServer({ open: true })
    const { code, stdout } = await chatgen(['check', server.url, '--only', 'OAI-AUTH-01'], withKey)
    expect(stdout).toMatch(/^VIOLATED/)
    expect(code).toBe(1)
  })

  test.each([
    ['an unknown flag', ['check', '--refrence'], 'Did you mean --reference?'],
    ['an unknown command', ['chek'], 'Did you mean check?'],
    ['an unknown id', ['check', '--reference', '--only', 'V3-IDM-02'], 'Did you mean V3-IDEM-02?'],
    [
      'an unknown id to skip',
      ['check', '--reference', '--skip', 'OAI-AUHT'],
      'Did you mean OAI-AUTH?',
    ],
    ['an unknown profile', ['check', '--reference', '--profile', 'v4'], 'Allowed choices are'],
    ['an unknown report', ['check', '--reference', '--report', 'pdf'], 'unknown report format pdf'],
    ['no target', ['check'], 'no target given: pass a URL'],
    ['two targets', ['check', 'http://127.0.0.1:1', '--reference'], 'not both'],
    ['a URL without scheme', ['check', 'localhost:4010'], 'did you mean http://localhost:4010?'],
    [
      'a profile that is not there',
      ['check', '--target', 'nowhere.yaml'],
      'cannot read the target profile',
    ],
    [
      'an engine that takes no time',
      ['serve', '--engine', 'decode=0,decode-per-seq=0'],
      'a token takes time',
    ],
    ['two paces', ['serve', '--engine', 'decode=1ms', '--pace', 'gap=1ms'], 'not both'],
    ['zero jobs', ['check', '--reference', '--jobs', '0'], 'must be a positive integer'],
    [
      'a variable that is not set',
      ['check', 'http://127.0.0.1:1', '--key-env', 'NO_SUCH'],
      'NO_SUCH is not set',
    ],
    ['an unknown row', ['explain', 'V3-IDEM-2'], 'Did you mean V3-IDEM-02?'],
  ])('2 for %s', async (_, args, sentence) => {
    const { code, stdout, stderr } = await chatgen(args)
    expect(stderr).toContain(sentence)
    expect(stdout).toBe('')
    expect(code).toBe(2)
  })

  test('2 for a profile with a mistyped field, and says file, line and field', async () => {
    const folder = emptyFolder()
    writeFileSync(
      join(folder, 'target.yaml'),
      'baseUrl: http://127.0.0.1:1\ncapabilites:\n  rag: true\n',
    )
    const { code, stderr } = await chatgen(['check', '--target', 'target.yaml'], {}, folder)
    expect(stderr.trim()).toBe(
      'chatgen: target.yaml:2: capabilites: there is no such field. Did you mean capabilities?',
    )
    expect(code).toBe(2)
  })

  test('2 rather than 3 where both hold', async () => {
    const { code } = await chatgen(['check', 'http://127.0.0.1:1', '--only', 'NOTHING'])
    expect(code).toBe(2)
  })

  test('3 where nothing listens, in one line', async () => {
    const { code, stdout, stderr } = await chatgen(['check', 'http://127.0.0.1:1'])
    expect(stdout + stderr.trim()).toBe(
      'chatgen: http://127.0.0.1:1: nothing listens there (ECONNREFUSED)',
    )
    expect(code).toBe(3)
  })

  test('3 where every surface refuses the key', async () => {
    await using server = await startModelsServer({ refuseAll: 401 })
    const { code, stderr } = await chatgen(['check', server.url], withKey)
    expect(stderr).toContain('refuses the key on every surface (401)')
    expect(code).toBe(3)
  })

  test('5 where a required row of the selection is unproven', async () => {
    await using server = await startModelsServer()
    const { code, stdout } = await chatgen(
      ['check', server.url, ...models, '--only', 'OAI-MODELS-03'],
      withKey,
    )
    expect(stdout).toContain('capabilities.images')
    expect(code).toBe(5)
  })

  test('1 rather than 5 where both hold', async () => {
    await using server = await startModelsServer({ open: true })
    const { code } = await chatgen(
      ['check', server.url, ...modelsAuth, '--only', 'OAI-MODELS-03'],
      withKey,
    )
    expect(code).toBe(1)
  })

  test('2 where the evidence can no longer be written', async () => {
    const folder = emptyFolder()
    await using server = await startModelsServer({
      onRequest: (count) =>
        count === scenarioRequest &&
        rmSync(join(folder, 'results'), { recursive: true, force: true, maxRetries: 5 }),
    })
    const args = [...models, '--profile', 'openai', '--out', 'results']
    const { code, stderr } = await chatgen(['check', server.url, ...args], withKey, folder)
    expect(stderr).toContain('ENOENT')
    expect(code).toBe(2)
  })

  test('4 where the command itself fails', async () => {
    const firstRequest = Promise.withResolvers<void>()
    await using server = await startModelsServer({
      delayMs: 300,
      onRequest: (count) => count === scenarioRequest && firstRequest.resolve(),
    })
    const run = start(['check', server.url, ...models, '--profile', 'openai', '--jobs', '1'], slip)
    await firstRequest.promise
    run.child.kill('SIGUSR2')
    const { code, stdout } = await run.ended
    expect(stdout).toContain('a slip of ours')
    expect(code).toBe(4)
  })

  test('1 rather than 4 where both hold', async () => {
    const firstRequest = Promise.withResolvers<void>()
    await using server = await startModelsServer({
      open: true,
      delayMs: 300,
      onRequest: (count) => count === 8 && firstRequest.resolve(),
    })
    const run = start(
      ['check', server.url, ...modelsAuth, '--profile', 'openai', '--jobs', '1'],
      slip,
    )
    await firstRequest.promise
    run.child.kill('SIGUSR2')
    const { code, stdout } = await run.ended
    expect(stdout).toContain('a slip of ours')
    expect(stdout).toMatch(/^VIOLATED/)
    expect(code).toBe(1)
  })

  test('130 where it is interrupted, and keeps what was found', async () => {
    const folder = emptyFolder()
    const firstRequest = Promise.withResolvers<void>()
    await using server = await startModelsServer({
      open: true,
      delayMs: 300,
      onRequest: (count) => count === 8 && firstRequest.resolve(),
    })
    const args = [
      'check',
      server.url,
      ...modelsAuth,
      '--profile',
      'openai',
      '--jobs',
      '1',
      '--out',
      'results',
    ]
    const run = start(args, withKey, folder)
    await firstRequest.promise
    run.child.kill('SIGINT')
    const { code, stdout } = await run.ended
    const report = conformanceReport.parse(
      JSON.parse(readFileSync(join(folder, 'results', 'report.json'), 'utf8')),
    )
    expect(report.interrupted).toBe(true)
    expect(stdout).toContain('interrupted')
    expect(code).toBe(130)
  })
})
