// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a profile names its variables so
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listen, type TestHost } from '../client/test-support/listen-on-loopback.ts'
import { oddServer } from '../load/test-support/odd-server.ts'
import { chatgen, emptyFolder } from './test-support/chatgen.ts'

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
  test('is none if CHATGEN_DRY_RUN is false', async () => {
    const { code, stdout } = await check('', { CHATGEN_DRY_RUN: 'false', CI: 'true' })
    expect(stdout).toMatch(/^CONFORMS {2}1 passed/)
    expect(keys).not.toEqual([])
    expect(code).toBe(0)
  })

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

describe('the bundled server', () => {
  test('is not checked in place of the target if CHATGEN_REFERENCE is false', async () => {
    const { code } = await check('', { CHATGEN_REFERENCE: 'false' })
    expect(keys).not.toEqual([])
    expect(code).toBe(0)
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

test.each(['true', 'false'])('CHATGEN_KEEP_ALIVE=%s keeps its positive sense', async (value) => {
  const server = await oddServer(() => 'well')
  const args = ['load', server.url, '--concurrency', '1', '--duration', '4s', '--quiet']
  await chatgen(args, { CHATGEN_KEEP_ALIVE: value, CHATGEN_API_KEY: 'sk-test-4711' })
  expect(server.requests()).toBeGreaterThan(6)
  expect(server.connections() < server.requests() / 2).toBe(value === 'true')
})
