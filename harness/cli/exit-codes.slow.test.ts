// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a profile names its variables so
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startReferenceServer } from '../../reference-server/index.ts'
import { listen, type TestHost } from '../client/test-support/listen-on-loopback.ts'
import { chatgen, emptyFolder, failing, reportIn, slip, start } from './test-support/chatgen.ts'
import { type Behavior, key, startModelsServer } from './test-support/models-server.ts'

/** Each exit code of the real CLI, and their precedence: 130, 2, 3, 1, 4, 5, 0. */

const withKey = { CHATGEN_API_KEY: key }
const models = ['--only', 'OAI-MODELS-01', '--only', 'OAI-MODELS-04']
const auth = ['--only', 'OAI-AUTH-01']
/** Needs a capability that no detection finds. */
const undecided = ['--only', 'OAI-MODELS-03']

test.each<[code: number, why: string, Behavior, args: readonly string[], says: RegExp]>([
  [0, 'the target conforms', {}, models, /^CONFORMS/],
  [1, 'a requirement is violated', { open: true }, auth, /^VIOLATED/],
  [1, 'one is violated and one undecided', { open: true }, [...auth, ...undecided], /^VIOLATED/],
  [2, 'a flag is unknown', {}, ['--strikt'], /Did you mean --strict\?/],
  [3, 'every surface refuses the key', { refuseAll: 401 }, [], /on every surface \(401\)/],
  [5, 'a required one is undecided', {}, [...models, ...undecided], /capabilities\.images/],
])('check ends with %i if %s', async (code, _, behavior, args, says) => {
  await using server = await startModelsServer(behavior)
  const ended = await chatgen(['check', server.url, ...args], withKey)
  expect(ended.code).toBe(code)
  expect(ended.stdout + ended.stderr).toMatch(says)
})

test('check ends with 0 again if it is repeated with its seed', async () => {
  const server = await startReferenceServer({ keys: [key] })
  onTestFinished(() => server.close())
  const args = ['check', server.url, '--only', 'V3-GEN-01', '--seed', 'same', '--quiet']
  expect((await chatgen(args, withKey)).code).toBe(0)
  expect((await chatgen(args, withKey)).code).toBe(0)
})

test('check ends with 3 if nothing listens, in one line', async () => {
  const { code, stdout, stderr } = await chatgen(['check', 'http://127.0.0.1:1'])
  expect(stdout + stderr.trim()).toBe(
    'chatgen: http://127.0.0.1:1: nothing listens there (ECONNREFUSED)',
  )
  expect(code).toBe(3)
})

/** Runs a check, and calls `happens` at a request of a scenario. */
async function checkWith(
  behavior: Behavior,
  args: readonly string[],
  happens: (run: ReturnType<typeof start>) => void,
) {
  const results = join(emptyFolder(), 'results')
  const reached = Promise.withResolvers<void>()
  const request = behavior.open ? 8 : 6
  await using server = await startModelsServer({
    ...behavior,
    delayMs: 300,
    onRequest: (count) => count === request && reached.resolve(),
  })
  const given = [...args, '--profile', 'openai', '--jobs', '1', '--out', results]
  const run = start(['check', server.url, ...given], { ...withKey, ...failing(slip) })
  await reached.promise
  happens(run)
  return { ...(await run.ended), results }
}

test.each([
  [4, 'the command itself fails', {}, models, /^CONFORMS/],
  [1, 'it fails and a requirement is violated', { open: true }, auth, /^VIOLATED/],
] as const)('check ends with %i if %s', async (code, _, behavior, args, says) => {
  const ended = await checkWith(behavior, args, ({ child }) => child.kill('SIGUSR2'))
  expect(ended.stdout).toContain('a slip of ours')
  expect(ended.stdout).toMatch(says)
  expect(ended.code).toBe(code)
})

test('check ends with 130 if it is interrupted, and keeps what was found', async () => {
  const ended = await checkWith({ open: true }, auth, ({ child }) => child.kill('SIGINT'))
  expect(reportIn(ended.results).interrupted).toBe(true)
  expect(ended.stdout).toContain('interrupted')
  expect(ended.code).toBe(130)
})

/** The environment never makes the real CLI green, or use another target. */

let host: TestHost
/** Authorization of each request. */
let keys: (string | undefined)[] = []

beforeAll(async () => {
  host = await listen((request, response) => {
    keys.push(request.headers.authorization)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ object: 'list', data: [{ id: 'svc-main-model' }] }))
  })
})

afterAll(() => host.close())

const quick = ['--profile', 'openai', '--only', 'OAI-MODELS-01', '--quiet']

async function check(
  profile: string,
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
) {
  keys = []
  const folder = emptyFolder()
  writeFileSync(join(folder, 'target.yaml'), `baseUrl: ${host.url}\n${profile}\n`)
  return chatgen(['check', '--target', 'target.yaml', ...quick, ...args], env, folder)
}

describe('a dry run', () => {
  test('that the environment of a CI job asks for ends with 5, and says why', async () => {
    const { code, stderr } = await check('', { CHATGEN_DRY_RUN: 'true', CI: 'true' })
    expect(stderr).toContain('DRY RUN: CHATGEN_DRY_RUN is set in the environment of this CI job')
    expect(stderr).toContain('was tested')
    expect(keys).toEqual([])
    expect(code).toBe(5)
  })

  test.each([
    ['the command line, in CI', { CI: 'true' }, ['--dry-run']],
    ['the environment, by hand', { CI: '', CHATGEN_DRY_RUN: '1' }, []],
  ])('that %s asks for ends with 0, and says that nothing was checked', async (_, env, args) => {
    const { code, stdout, stderr } = await check('', env, ...args)
    expect(stdout).toContain('Nothing was sent')
    expect(stderr).toContain('nothing was sent, nothing was tested')
    expect(keys).toEqual([])
    expect(code).toBe(0)
  })

  test('of a load ends with 5 as well', async () => {
    const env = { CHATGEN_DRY_RUN: 'true', CI: 'true' }
    const { code, stderr } = await chatgen(['load', '--rate', '1'], env)
    expect(stderr).toContain('was tested')
    expect(code).toBe(5)
  })
})

describe('the key', () => {
  const staging = 'apiKey: ${STAGING_KEY}'
  const env = { CHATGEN_API_KEY: 'sk-production-1', STAGING_KEY: 'sk-staging-1' }

  test('of the profile wins over the ambient one', async () => {
    const { code, stderr } = await check(staging, env)
    expect(new Set(keys)).toEqual(new Set(['Bearer sk-staging-1']))
    expect(stderr).toBe('')
    expect(code).toBe(0)
  })

  test.each(['compatKey', 'nativeToken'])('is not the ambient one beside %s', async (member) => {
    await check(`${member}: \${STAGING_KEY}`, env)
    expect(keys).not.toContain('Bearer sk-production-1')
  })

  test('is the ambient one if the profile names none', async () => {
    await check('', env)
    expect(new Set(keys)).toEqual(new Set(['Bearer sk-production-1']))
  })

  test('of a profile whose variable is not set is none: exit 2, and nothing is sent', async () => {
    const { code, stderr } = await check(staging, { CHATGEN_API_KEY: 'sk-production-1' })
    expect(stderr).toBe('chatgen: target.yaml:2: apiKey: the variable STAGING_KEY is not set\n')
    expect(keys).toEqual([])
    expect(code).toBe(2)
  })

  test.each([
    ['the flag', { OTHER: 'sk-other-1' }, ['--key-env', 'OTHER']],
    ['the environment', { OTHER: 'sk-other-1', CHATGEN_KEY_ENV: 'OTHER' }, []],
  ])('that %s names wins over both, and standard error says so', async (_, more, args) => {
    const { code, stderr } = await check(staging, { ...env, ...more }, ...args)
    expect(new Set(keys)).toEqual(new Set(['Bearer sk-other-1']))
    expect(stderr).toBe('chatgen: the key in OTHER (--key-env) overrides apiKey of the profile\n')
    expect(code).toBe(0)
  })

  test('that is named wins over the keys of each surface, and needs none of their variables', async () => {
    const both = 'compatKey: ${NOT_SET}\nnativeToken: ${NOT_SET_EITHER}'
    const { stderr } = await check(both, { OTHER: 'sk-other-1' }, '--key-env', 'OTHER')
    expect(new Set(keys)).toEqual(new Set(['Bearer sk-other-1']))
    expect(stderr).toContain('overrides compatKey, nativeToken of the profile')
  })
})
