/**
 * A server that freezes delays all requests that are due meanwhile, including those that have not left the
 * client yet. With few connections, only as many requests as there are connections show the freeze in service
 * time; all that were due show it in response time.
 */
import { expect, it, test } from 'vitest'
import { quantileOf } from '../../../contract/averages.ts'
import { startReferenceServer } from '../../../reference-server/index.ts'
import { latencyOf } from '../metrics/samples/latency-definitions.ts'
import type { RequestRecord } from '../record.ts'
import { driven } from '../test-support/drive.ts'
import { recordOf } from '../test-support/records.ts'
import { type PlannedRequest, RecordBuilder } from './record-builder.ts'

const [perSecond, seconds, connectionCount] = [100, 4, 5]
/** Retries: a process without a core for a second freezes as well. */
const starvable = { retry: 3 }
const freeze = { forMs: 2000, atMs: 1000 }

it(
  'a freeze shows in the quantiles of response time, not of service time',
  starvable,
  async ({ expect, onTestFinished }) => {
    const pace = { ttftMs: 1, gapMs: 0, jitter: 0, freeze }
    const server = await startReferenceServer({ keys: ['key'], pace })
    onTestFinished(() => server.close())
    const { records } = await driven({
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

const { index, step, transaction } = recordOf()
const plan: PlannedRequest = {
  head: { index, step, transaction, surface: 'v3' },
  ...{ operation: 'v3.generate', form: 'stream' },
  request: { method: 'POST', url: 'http://127.0.0.1/', headers: [], body: null },
  ...{ json: {}, race: false, duplicate: false, planned: 0, dispatched: 0 },
  ...{ nonce: 'qa1', noncePrefix: 'q', clientBehavior: 'normal', intensity: 0, requestId: 'r' },
}

function countsOf(kinds: readonly ('text' | 'reasoning')[], usage: Record<string, unknown>) {
  const builder = new RecordBuilder(plan)
  for (const kind of kinds) builder.contents.add(kind, 'word')
  builder.contents.usage = usage
  builder.takeContents()
  const { outputTokens, streamedTokens } = builder.build({ kind: 'ok' }).counts
  return [outputTokens, streamedTokens]
}

test('reasoning tokens count as streamed only if reasoning was streamed, on both surfaces', () => {
  const v3 = { output_tokens: 50, output_tokens_details: { reasoning_tokens: 30 } }
  const compatible = { completion_tokens: 50, completion_tokens_details: { reasoning_tokens: 30 } }
  for (const usage of [v3, compatible]) {
    expect(countsOf(['text'], usage)).toEqual([50, 20])
    expect(countsOf(['reasoning', 'text'], usage)).toEqual([50, 50])
  }
  expect(countsOf(['text'], { output_tokens: 50 })).toEqual([50, 50])
  expect(countsOf(['text'], {})).toEqual([null, null])
  expect(countsOf(['text'], { output_tokens: 5, output_tokens_details: null })).toEqual([5, 5])
})
