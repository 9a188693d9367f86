import { afterAll, beforeAll, expect, test } from 'vitest'
import { targetFixture } from '../../fixtures/targets.ts'
import { type ReferenceServer, startReferenceServer } from '../../reference-server/index.ts'
import {
  certificateFile,
  type Front,
  proxyTo,
  startTlsServer,
} from '../client/test-support/tls-front.ts'
import { loadProfile } from '../conformance/profile/index.ts'
import { check, lineOf } from '../conformance/test-support/check.ts'

let server: ReferenceServer
let front: Front

beforeAll(async () => {
  server = await startReferenceServer({
    keys: ['first-key-of-this-test', 'other-key-of-this-test'],
  })
  front = await startTlsServer(proxyTo(server.url))
})

afterAll(async () => {
  await front.close()
  await server.close()
})

test('the whole suite says the same over HTTP/1.1 and over HTTP/2', async () => {
  const rows = async (httpVersion: 1 | 2) => {
    const [apiKey, otherKey] = server.keys
    const network = { ca: certificateFile('ca.pem'), httpVersion }
    const limits = { timeoutMs: 60_000, settleMs: 1_000 }
    const overrides = { baseUrl: front.url, apiKey, otherKey, network, limits }
    const profile = loadProfile(targetFixture('reference'), {}, overrides)
    const report = await check(profile, { jobs: 8 })
    expect(report.faults).toEqual([])
    expect(report.target.network).toMatchObject({ httpVersion, insecure: false })
    return report.requirements.filter(({ level }) => level === 'required').map(lineOf)
  }
  const over1 = await rows(1)
  const over2 = await rows(2)
  expect(over2).toEqual(over1)
  expect(over2.filter((line) => !/ (pass|not-applicable)$/.test(line))).toEqual([])
  expect(new Set(front.protocols)).toEqual(new Set(['http/1.1', 'h2']))
}, 240_000)
