import { expect, test } from 'vitest'
import { certificateFile } from '../../client/test-support/tls-front.ts'
import { loadProfile } from '../../conformance/profile/index.ts'
import { type NetworkFlags, withNetwork } from './network-flags.ts'

const _ca = certificateFile('ca.pem')
const _clientKey = certificateFile('client-key.pem')

function networkOf(flags: NetworkFlags, env: Record<string, string> = {}, more = {}) {
  const overrides = { baseUrl: 'https://chat.test', ...more }
  const profile = loadProfile({ name: 'test', text: '' }, {}, overrides)
  return withNetwork(profile, flags, { env, err: () => {} }).network
}

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
