// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a profile names its variables so
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { expect, test, vi } from 'vitest'
import { ConfigurationError } from '../../conformance/errors.ts'
import { loadProfile } from '../../conformance/profile/index.ts'
import { surfaceCredentials } from '../../conformance/session/secrets.ts'
import { addFlags } from '../flags.ts'
import { emptyFolder } from '../test-support/chatgen.ts'
import { quietIo } from '../test-support/in-process.ts'
import { containerFlags, containerOf } from './container-flags.ts'
import { type NetworkFlags, proxyFromEnvironment, withNetwork } from './network-flags.ts'
import { withTarget } from './target.ts'
import { baseUrlOf } from './target-flags.ts'

test.each(['http://127.0.0.1:4010', 'HTTPS://chat.example.org/llm/', 'http://[::1]:8080'])(
  'baseUrlOf accepts %s',
  (url) => {
    expect(baseUrlOf(url)).toBe(url)
  },
)

const form = 'expected http:// or https://, e.g. https://chat.example.org'

test.each([
  ['127.0.0.1:4010', 'did you mean http://127.0.0.1:4010?'],
  ['localhost:4010/llm/', 'did you mean http://localhost:4010/llm?'],
  ['localhost', 'did you mean http://localhost?'],
  ['[::1]:8080', 'did you mean http://[::1]:8080?'],
  ['chat.example.org', 'did you mean https://chat.example.org?'],
  ['bob:secret@chat.example.org', 'did you mean https://chat.example.org?'],
  ['//chat.example.org/', 'did you mean https://chat.example.org?'],
  ...['staging.yaml of mine', 'staging', 'ftp://chat.example.org', 'http://', ''].map((url) => [
    url,
    form,
  ]),
])('baseUrlOf rejects %j', (url = '', sentence) => {
  expect(() => baseUrlOf(url)).toThrow(new ConfigurationError([`invalid URL: ${sentence}`]))
})

const environment = { MODEL: 'small', TOKEN: 'sk-0123456789' }

function container(args: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
  const command = addFlags(new Command(), ...containerFlags()).parse(args, { from: 'user' })
  vi.unstubAllEnvs()
  return containerOf(command.opts(), environment)
}

test('containerOf reads an image with port, environment and readiness path', () => {
  const image = ['--image', 'chat:1.4', '--port', '8080', '--ready', '/healthz']
  const env = ['--env', 'LIST=a,b=c', '--env', 'EMPTY=', '--env', 'MODEL']
  expect(container([...image, ...env, '--ready-timeout', '90s'])).toEqual({
    from: { kind: 'image', image: 'chat:1.4' },
    port: 8080,
    env: { LIST: 'a,b=c', EMPTY: '', MODEL: 'small' },
    ready: '/healthz',
    readyMs: 90_000,
  })
})

test('containerOf reads a service of a Compose file, and is undefined without flags', () => {
  expect(container([])).toBeUndefined()
  expect(container(['--compose', 'compose.yaml', '--service', 'chat', '--port', '80'])).toEqual({
    from: { kind: 'compose', file: 'compose.yaml', service: 'chat' },
    ...{ port: 80, env: {}, ready: null, readyMs: 120_000 },
  })
})

test('containerOf reads variables', () => {
  const image = { CHATGEN_IMAGE: 'chat:1.4', CHATGEN_CONTAINER_PORT: '8080' }
  const env = { ...image, CHATGEN_ENV: 'LIST=a,b\nTOKEN\n' }
  expect(container([], env)).toMatchObject({
    from: { kind: 'image', image: 'chat:1.4' },
    port: 8080,
    env: { LIST: 'a,b', TOKEN: 'sk-0123456789' },
  })
})

function networkOf(flags: NetworkFlags, env: Record<string, string> = {}, more = {}) {
  const overrides = { baseUrl: 'https://chat.test', ...more }
  const profile = loadProfile({ name: 'test', text: '' }, {}, overrides)
  return withNetwork(profile, flags, { env, err: () => {} }).network
}

test('withNetwork prefers flags to the profile, and the profile to the environment', () => {
  const network = { httpVersion: 1, proxy: 'http://profile.test:1', resolve: ['a.test:1:::1'] }
  const env = { HTTPS_PROXY: 'http://ambient.test:1' }
  expect(networkOf({ http2: true }, env, { network })).toEqual({ ...network, httpVersion: 2 })
  const ambient = networkOf({}, { HTTPS_PROXY: 'ambient.test:3128' })
  expect(ambient).toEqual({ proxy: 'http://ambient.test:3128/' })
  expect(networkOf({})).toBeUndefined()
})

const proxy = 'http://proxy.test:3128'

test.each([
  ['http://chat.test', { HTTP_PROXY: proxy }, proxy],
  ['http://chat.test', { http_proxy: proxy }, proxy],
  ['http://chat.test', { HTTP_PROXY: 'http://other.test', http_proxy: proxy }, proxy],
  ['http://chat.test', { HTTP_PROXY: '' }, undefined],
  ['http://chat.test', { HTTPS_PROXY: proxy }, undefined],
  ['https://chat.test', { HTTPS_PROXY: proxy }, proxy],
  ['https://chat.test', { https_proxy: proxy, HTTP_PROXY: 'http://other.test' }, proxy],
  ['https://chat.test', { HTTP_PROXY: proxy }, undefined],
])('proxyFromEnvironment for %s with %j', (url, env, value) => {
  expect(proxyFromEnvironment(url, env)?.value).toBe(value)
})

const https = 'https://chat.test:8443'

test.each([
  [https, 'chat.test', false],
  [https, 'CHAT.test', false],
  [https, '.test', false],
  [https, '*.test', false],
  [https, 'test', false],
  [https, '*', false],
  [https, 'chat.test:8443', false],
  [https, 'chat.test:443', true],
  [https, 'other.test, chat.test', false],
  [https, 'hat.test', true],
  [https, 'at.test', true],
  [https, 'chat.test.example', true],
  [https, '', true],
  ['http://10.0.0.7', '10.0.0.7', false],
  ['http://10.0.0.7', '0.0.7', true],
  ['http://[fd00::7]:80', 'fd00::7', false],
  ['http://[fd00::7]:80', '[fd00::7]', false],
  ['http://[fd00::7]:80', '[fd00::7]:81', true],
  // This machine needs no proxy.
  ['http://localhost:4010', '', false],
  ['http://127.0.0.1', '', false],
  ['http://127.1.2.3:80', '', false],
  ['http://[::1]:4010', '', false],
])('%s uses the proxy with NO_PROXY=%s: %s', (url, noProxy, used) => {
  const env = { HTTPS_PROXY: proxy, HTTP_PROXY: proxy, http_proxy: proxy, NO_PROXY: noProxy }
  expect(proxyFromEnvironment(url, env) !== undefined).toBe(used)
})

const [production, staging, other] = ['sk-production-1', 'sk-staging-1', 'sk-other-1']
const keys = { CHATGEN_API_KEY: production, STAGING_KEY: staging, OTHER: other }
const both = 'compatKey: ${NOT_SET}\nnativeToken: ${NOT_SET_EITHER}'
const overrides = (members: string) =>
  `chatgen: the key in OTHER (--key-env) overrides ${members} of the profile`

/** Keys of the two surfaces for a target profile, and what standard error says. */
async function keysFor(members: string, flags: { readonly keyEnv?: string }) {
  const target = join(emptyFolder(), 'target.yaml')
  writeFileSync(target, `baseUrl: https://chat.test\n${members}\n`)
  const notes: string[] = []
  const io = quietIo({ env: keys, err: (note) => void notes.push(note) })
  return withTarget(undefined, { target, ...flags }, io, async (profile) => {
    const { openai, v3 } = surfaceCredentials(profile)
    return [openai, v3, ...notes]
  })
}

test.each([
  ['apiKey: ${STAGING_KEY}', {}, [staging, staging]],
  ['compatKey: ${STAGING_KEY}', {}, [staging, undefined]],
  ['nativeToken: ${STAGING_KEY}', {}, [undefined, staging]],
  ['', {}, [production, production]],
  ['apiKey: ${STAGING_KEY}', { keyEnv: 'OTHER' }, [other, other, overrides('apiKey')]],
  [both, { keyEnv: 'OTHER' }, [other, other, overrides('compatKey, nativeToken')]],
])('keys of a profile with "%s" and %j: %j', async (members, flags, used) => {
  expect(await keysFor(members, flags)).toEqual(used)
})

test('an unset variable is an error, not replaced by CHATGEN_API_KEY', async () => {
  await expect(keysFor('apiKey: ${NOT_SET}', {})).rejects.toThrow(
    /target\.yaml:2: apiKey: the variable NOT_SET is not set/,
  )
})
