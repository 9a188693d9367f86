import { expect, test } from 'vitest'
import { certificateFile } from '../../client/test-support/tls-front.ts'
import { loadProfile } from '../../conformance/profile/index.ts'
import { type NetworkFlags, withNetwork } from './network-flags.ts'

const ca = certificateFile('ca.pem')
const clientKey = certificateFile('client-key.pem')

function networkOf(flags: NetworkFlags, env: Record<string, string> = {}, more = {}) {
  const overrides = { baseUrl: 'https://chat.test', ...more }
  const profile = loadProfile({ name: 'test', text: '' }, {}, overrides)
  return withNetwork(profile, flags, { env, err: () => {} }).network
}

test.each<[NetworkFlags, string]>([
  [{ http1: true, http2: true }, '--http1 and --http2 exclude each other'],
  [{ ca: 'missing.pem' }, '--ca (network.ca): the file cannot be read'],
  [{ ca: import.meta.filename }, 'holds no PEM'],
  [{ cert: ca }, '--cert needs --cert-key beside it'],
  [{ certKey: clientKey }, '--cert-key needs --cert beside it'],
  [{ cert: ca, certKey: clientKey }, 'are not a certificate and its key'],
  [{ resolve: ['chat.test:127.0.0.1'] }, 'is not HOST:PORT:ADDRESS'],
  [{ resolve: ['chat.test:443:elsewhere.test'] }, 'is not HOST:PORT:ADDRESS'],
])('%j is refused', (flags, sentence) => {
  expect(() => networkOf(flags)).toThrow(sentence)
})

test.each([
  ['socks5://bob:a-secret@127.0.0.1:1080', 'HTTPS_PROXY: it names a socks5:// proxy'],
  ['http://bob:a-secret@:1', 'HTTPS_PROXY: it holds no URL'],
])('a proxy that is none is refused, and its password is not repeated', (value, sentence) => {
  const attempt = () => networkOf({}, { HTTPS_PROXY: value })
  expect(attempt).toThrow(sentence)
  expect(attempt).not.toThrow('a-secret')
})

test('a flag wins over the profile, and a proxy of the profile over that of the environment', () => {
  const network = { httpVersion: 1, proxy: 'http://profile.test:1', resolve: ['a.test:1:::1'] }
  const env = { HTTPS_PROXY: 'http://ambient.test:1' }
  expect(networkOf({ http2: true }, env, { network })).toEqual({ ...network, httpVersion: 2 })
  expect(networkOf({}, { HTTPS_PROXY: 'ambient.test:3128' })).toEqual({
    proxy: 'http://ambient.test:3128/',
  })
})

test('nothing is said of a network that nothing is said of', () => {
  expect(networkOf({})).toBeUndefined()
})
