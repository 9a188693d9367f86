import { expect, test } from 'vitest'
import { proxyFromEnvironment } from './network-flags.ts'

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
])('the proxy for %s with %j', (url, env, value) => {
  expect(proxyFromEnvironment(url, env)?.value).toBe(value)
})

test.each([
  ['chat.test', false],
  ['CHAT.test', false],
  ['.test', false],
  ['*.test', false],
  ['test', false],
  ['*', false],
  ['chat.test:8443', false],
  ['chat.test:443', true],
  ['other.test, chat.test', false],
  ['hat.test', true],
  ['at.test', true],
  ['chat.test.example', true],
  ['', true],
])('NO_PROXY=%s leaves the proxy to https://chat.test:8443: %s', (noProxy, used) => {
  const env = { HTTPS_PROXY: proxy, NO_PROXY: noProxy }
  expect(proxyFromEnvironment('https://chat.test:8443', env) !== undefined).toBe(used)
})

test.each([
  ['http://10.0.0.7', '10.0.0.7', false],
  ['http://10.0.0.7', '0.0.7', true],
  ['http://[fd00::7]:80', 'fd00::7', false],
  ['http://[fd00::7]:80', '[fd00::7]', false],
  ['http://[fd00::7]:80', '[fd00::7]:81', true],
])('%s with NO_PROXY=%s: %s', (url, noProxy, used) => {
  const env = { HTTP_PROXY: proxy, NO_PROXY: noProxy }
  expect(proxyFromEnvironment(url, env) !== undefined).toBe(used)
})

test.each([
  'http://localhost:4010',
  'http://127.0.0.1',
  'http://127.1.2.3:80',
  'http://[::1]:4010',
])('a proxy of the environment is not asked for %s', (url) => {
  expect(proxyFromEnvironment(url, { HTTP_PROXY: proxy, http_proxy: proxy })).toBeUndefined()
})
