import { expect, onTestFinished, test } from 'vitest'
import { startReferenceServer } from '../../reference-server/index.ts'
import { certificateFile, proxyTo, startTlsServer } from '../client/test-support/tls-front.ts'
import { check, lineOf, referenceProfile } from '../conformance/test-support/check.ts'

test('the whole suite says the same over HTTP/1.1 and over HTTP/2', async () => {
  const server = await startReferenceServer({
    keys: ['first-key-of-this-test', 'other-key-of-this-test'],
  })
  const front = await startTlsServer(proxyTo(server.url))
  onTestFinished(async () => {
    await front.close()
    await server.close()
  })
  const rows = async (httpVersion: 1 | 2) => {
    const network = { ca: certificateFile('ca.pem'), httpVersion }
    const limits = { timeoutMs: 60_000, settleMs: 100 }
    const profile = referenceProfile(front.url, server.keys, { network, limits })
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
