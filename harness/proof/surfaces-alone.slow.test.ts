import { expect, onTestFinished, test } from 'vitest'
import { type Patch, startReferenceServer } from '../../reference-server/index.ts'
import { certificateFile, proxyTo, startTlsServer } from '../client/test-support/tls-front.ts'
import { check, lineOf, referenceProfile, undecidedIn } from '../conformance/test-support/check.ts'
import { checkReference, keys } from './test-support/reference.ts'

/** The server with only one surface, and over both versions of HTTP. */

const prefixes = {
  openai: ['/api/openai/'],
  v2: ['/api/v2/'],
  v3: ['/api/v3/', '/api/knowledge'],
} as const

test.each(Object.keys(prefixes) as (keyof typeof prefixes)[])(
  'profile %s conforms without other surfaces',
  async (surface) => {
    const server = { pace: { ttftMs: 2, gapMs: 1, jitter: 0 }, patch: only(prefixes[surface]) }
    const report = await checkReference(server, { surfaces: surface, jobs: 8 })
    expect(undecidedIn(report)).toEqual([])
  },
  120_000,
)

/** Every path outside the prefixes is unknown. */
function only(kept: readonly string[]): Patch {
  return (parts) => ({
    ...parts,
    outgoing: (call, reply) =>
      kept.some((prefix) => call.path.startsWith(prefix))
        ? parts.outgoing(call, reply)
        : { status: 404, body: { error: { message: 'unknown' } } },
  })
}

test('verdicts are the same over HTTP/1.1 and HTTP/2', async () => {
  const server = await startReferenceServer({ keys })
  const front = await startTlsServer(proxyTo(server.url))
  onTestFinished(async () => {
    await front.close()
    await server.close()
  })
  const rows = async (httpVersion: 1 | 2) => {
    const network = { ca: certificateFile('ca.pem'), httpVersion }
    const limits = { timeoutMs: 60_000, settleMs: 100 }
    const profile = referenceProfile(front.url, server.keys, { network, limits })
    const report = await check(profile, { jobs: 8, depth: 'quick' })
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
