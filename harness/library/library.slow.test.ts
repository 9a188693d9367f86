import { execFile, execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { ask, chatsOn, emptyFolder, newChat } from '../cli/test-support/chatgen.ts'
import { ended } from '../client/test-support/listen-on-loopback.ts'
import {
  ChatgenError,
  defineTarget,
  type ReferenceServerOptions,
  runConformance,
  runLoad,
  startReferenceServer,
} from './index.ts'

async function started(options: ReferenceServerOptions = {}) {
  const server = ended(await startReferenceServer(options))
  const target = defineTarget({ baseUrl: server.url, apiKey: server.keys[0] })
  return { server, target }
}

describe('runConformance', () => {
  const only = ['OAI-MODELS-01', 'OAI-CHAT-01']

  test('resolves to the report for any outcome and leaves no files', async () => {
    vi.stubEnv('TMPDIR', emptyFolder())
    onTestFinished(() => void vi.unstubAllEnvs())
    const before = leftFolders()
    const { target } = await started()
    const report = await runConformance(target, { profile: 'openai', only, seed: 'library' })
    expect([report.outcome, report.totals.pass, report.seed]).toEqual(['conforms', 2, 'library'])
    const { target: broken } = await started({ faults: ['openai.models: the list is empty'] })
    const violated = await runConformance(broken, { profile: 'openai', only })
    expect(violated.outcome).toBe('violated')
    expect(leftFolders()).toEqual(before)
  }, 120_000)

  test('stores the evidence in outDir without the key', async () => {
    const { target } = await started({ keys: ['sk-library-secret'] })
    const outDir = emptyFolder()
    await runConformance(target, { profile: 'openai', only, outDir })
    expect(readdirSync(outDir)).toEqual(expect.arrayContaining(['exchanges.ndjson', 'report.json']))
  })

  test('rejects with message and exit code of the command', async () => {
    const { target } = await started()
    const failure = (exitCode: number) => (error: unknown) =>
      error instanceof ChatgenError && error.name === 'ChatgenError' && error.exitCode === exitCode
    const unknown = runConformance(target, { only: ['V9-NONE'] })
    await expect(unknown).rejects.toSatisfy(failure(2))
    const absent = runConformance({ ...target, baseUrl: 'http://127.0.0.1:9' }, { only })
    await expect(absent).rejects.toSatisfy(failure(3))
  })

  test('rejects if its signal aborts', async () => {
    const { target } = await started({ pace: 'ttft=2s' })
    const controller = new AbortController()
    const run = runConformance(target, { signal: controller.signal })
    setTimeout(() => controller.abort(new Error('enough')), 300)
    await expect(run).rejects.toThrow('enough')
  })
})

test('runLoad resolves to the report', async () => {
  const { target } = await started()
  const load = { concurrency: 2, duration: '1s', slos: ['errors < 1%'], workers: 1 }
  const report = await runLoad(target, load)
  expect(report.kind).toBe('load-report')
  expect(report.integrity).toBeDefined()
})

describe('startReferenceServer', () => {
  test('resets its state and keeps URL and keys', async () => {
    const script = { answers: [{ times: 1, answer: 'once' }, { answer: 'again' }] }
    const { server } = await started({ script })
    const [key] = server.keys
    const answer = async () => (await ask(server.url, 'Hi', key)).text
    for (const _ of [1, 2]) {
      await newChat(server.url, key, 'A chat')
      expect([await answer(), await answer()]).toEqual(['once', 'again'])
      expect(await chatsOn(server.url, key)).toEqual(['A chat'])
      await server.reset()
      expect(await chatsOn(server.url, key)).toEqual([])
    }
    await server.close()
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow()
  })

  test('rejects unknown options by name', async () => {
    await expect(startReferenceServer({ faults: ['stream-status-20'] })).rejects.toThrow(
      /unknown fault stream-status-20\. Did you mean stream-status-201\?/,
    )
    await expect(startReferenceServer({ pace: 'slow' })).rejects.toThrow(/pace/)
  })
})

function leftFolders(): readonly string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('chatgen-run-'))
}

const run = promisify(execFile)
const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

/** Packages that are loaded only by the commands that use them. */
const heavy = [
  ...['vitest', 'vite', 'autocannon', 'find-my-way', 'prom-client', 'testcontainers'],
  ...['minisearch', 'json-schema-faker'],
]

test.each([
  ['chatgen --help', '../../bin/chatgen.cjs', ['--help']],
  ['chatgen list', '../../bin/chatgen.cjs', ['list']],
  ['chatgen serve --help', '../../bin/chatgen.cjs', ['serve', '--help']],
  ['the import of the library', './index.ts', []],
])('%s loads no heavy packages', async (_, file, args) => {
  const result = join(emptyFolder(), 'loaded.json')
  const loader = path('./test-support/loaded-packages.ts')
  await run(process.execPath, [loader, path(file), result, ...args])
  const loaded: unknown = JSON.parse(readFileSync(result, 'utf8'))
  expect(heavy.filter((name) => Array.isArray(loaded) && loaded.includes(name))).toEqual([])
})

const files = ['index', 'vitest', 'reference-server', 'chatgen-process']

test('declarations of the library match api-report.txt (vitest --update=all)', async () => {
  const script = path('../../scripts/write-types.ts')
  const folder = emptyFolder()
  execFileSync(process.execPath, [script, folder])
  const texts = files.map((name) => {
    const text = readFileSync(join(folder, `harness/library/${name}.d.ts`), 'utf8')
    return `// ${name}\n${text}`
  })
  await expect(texts.join('\n')).toMatchFileSnapshot('./api-report.txt')
}, 120_000)
