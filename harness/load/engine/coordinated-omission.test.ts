/**
 * A server that freezes delays all requests that are due meanwhile, including those that have not left the
 * client yet. With few connections, only as many requests as there are connections show the freeze in service
 * time; all that were due show it in response time.
 */
import { it } from 'vitest'
import { quantileOf } from '../../../contract/averages.ts'
import { startReferenceServer } from '../../../reference-server/index.ts'
import { latencyOf } from '../metrics/samples/latency-definitions.ts'
import type { RequestRecord } from '../record.ts'
import { drive } from '../test-support/drive.ts'

const [perSecond, seconds, connectionCount] = [100, 4, 5]
/** Retries: a process without a core for a second freezes as well. */
const starvable = { retry: 3 }
const freeze = { forMs: 2000, atMs: 1000 }

it(
  'shows a freeze in response time at the right quantile, and not in service time',
  starvable,
  async ({ expect, onTestFinished }) => {
    const pace = { ttftMs: 1, gapMs: 0, jitter: 0, freeze }
    const server = await startReferenceServer({ keys: ['key'], pace })
    onTestFinished(() => server.close())
    const records = await drive({
      ...{ url: server.url, connections: connectionCount, perSecond, seconds },
    })
    expect(records).toHaveLength(perSecond * seconds)
    expect(new Set(records.map(({ outcome }) => outcome.kind))).toEqual(new Set(['ok']))

    const response = latencies(records, 'response')
    const service = latencies(records, 'service')
    // Half of the due requests fell into the freeze and waited for its end: evenly from 0 to 2 s.
    expect(quantileOf(response, 0.9)).toBeGreaterThan(0.6 * freeze.forMs)
    expect(quantileOf(response, 0.75)).toBeGreaterThan(0.25 * freeze.forMs)
    expect(quantileOf(service, 0.9)).toBeLessThan(0.25 * freeze.forMs)
    const stuck = service.filter((ms) => ms > 0.5 * freeze.forMs)
    expect(stuck.length).toBeLessThanOrEqual(connectionCount)
    expect(stuck.length).toBeGreaterThan(0)
  },
)

function latencies(records: readonly RequestRecord[], clock: 'response' | 'service'): number[] {
  return records.flatMap((record) => {
    const ns = latencyOf(record, 'e2e', clock)
    return ns === null ? [] : [ns / 1e6]
  })
}
