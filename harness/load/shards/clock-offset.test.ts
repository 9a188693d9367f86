import { createServer } from 'node:http'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { LoadReport } from '../../../reports/load/model/report.ts'
import { loadReportOf } from '../../../reports/test-support/measurements.ts'
import { listenOnLoopback } from '../../client/test-support/listen-on-loopback.ts'
import { plainTarget } from '../target.ts'
import { spreadNote, spreadProblem, startSpreadOf } from './merge-parts.ts'
import { type DatedAnswer, measureOffset, targetClock } from './target-clock.ts'

const way = fc.double({ min: 0, max: 40, noNaN: true })

describe('the clock offset of a target', () => {
  test('is within the stated uncertainty, at most the round-trip time', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.double({ min: -5e6, max: 5e6, noNaN: true }),
        fc.array(fc.tuple(way, way), { minLength: 36, maxLength: 36 }),
        async (offset, ways) => {
          const found = await measureOffset(simulated([offset], ways))
          expect(Math.abs((found?.offsetMs ?? Number.NaN) - offset)).toBeLessThanOrEqual(
            (found?.uncertaintyMs ?? 0) + 1e-6,
          )
          const slowest = Math.max(...ways.map(([there, back]) => there + back))
          expect(found?.uncertaintyMs).toBeLessThan(slowest + 2)
        },
      ),
    )
  })

  test('is null if clocks disagree or no response has a date', async () => {
    const ways = Array.from({ length: 36 }, (): [number, number] => [1, 1])
    expect(await measureOffset(simulated([0, 5000], ways))).toBeNull()
    expect(await measureOffset({ ...simulated([0], ways), ask: async () => null })).toBeNull()
  })

  test('is near zero for a server on this machine', async () => {
    const server = await listenOnLoopback(createServer((_, response) => response.end()))
    const target = plainTarget(`http://127.0.0.1:${server.port}`, 'key')
    const clock = await targetClock(target, new AbortController().signal)
    await server.close()
    expect(Math.abs(clock?.offsetMs ?? Number.NaN)).toBeLessThan((clock?.uncertaintyMs ?? 0) + 50)
  })
})

const at = (ms: number, clock: LoadReport['clock']) =>
  loadReportOf({ startedAt: new Date(1_800_000_000_000 + ms).toISOString(), clock })
const clock = (offsetMs: number, uncertaintyMs = 3) => ({ offsetMs, uncertaintyMs, requests: 20 })

describe('start times of shards', () => {
  test('are compared by the clock of the target', () => {
    const spread = startSpreadOf([at(0, clock(0)), at(5, clock(240)), at(10, clock(20))])
    expect(spread).toEqual({
      ...{ count: 3, localSpreadMs: 10, skewMs: 240 },
      ...{ spreadMs: 245, uncertaintyMs: 6, boundMs: 251 },
    })
    expect(spreadProblem(spread, 60_000)?.reason).toMatch(
      /^the shards started 239 ms or more apart/,
    )
    expect(spreadNote(spread)).toContain('at most 251 ms longer')
  })

  test('are not a reason if they are equal within the uncertainty', () => {
    const spread = startSpreadOf([at(0, clock(0)), at(0, clock(103))])
    expect(spreadProblem(spread, 60_000)).toBeNull()
  })

  test('are unknown if the clock offset of one shard is', () => {
    const spread = startSpreadOf([at(0, clock(0)), at(700, null)])
    expect(spread).toMatchObject({ localSpreadMs: 700, skewMs: null, boundMs: null })
    expect(spreadProblem(spread, 60_000)?.verdict).toBe('degraded')
    expect(spreadNote(spread)).toMatch(/is unknown/)
  })
})

test.each([
  ['valid by the clock of the target, whatever their own', 60_000, 60_000, -60_000, undefined],
  [
    'invalid by their own clocks, if that of the target is unknown',
    60_000,
    60_000,
    null,
    'invalid',
  ],
  ['invalid after a twentieth of the duration', 60_000, 3_000, 0, 'invalid'],
  ['degraded before', 60_000, 2_999, 0, 'degraded'],
  ['degraded in a short run', 2_000, 499, 0, 'degraded'],
])('shards that start apart are %s', (_, durationMs, apartMs, offsetMs, verdict) => {
  const clocks = offsetMs === null ? [null, null] : [clock(0, 0), clock(offsetMs, 0)]
  const spread = startSpreadOf([at(0, clocks[0]), at(apartMs, clocks[1])])
  expect(spreadProblem(spread, durationMs)?.verdict).toBe(verdict)
})

/** A target with these clocks in turn, on a network with these one-way times. */
function simulated(offsets: readonly number[], ways: readonly (readonly [number, number])[]) {
  let time = 1_800_000_000_000.5
  let next = 0
  return {
    now: () => time,
    sleep: async (ms: number) => {
      time += ms
    },
    ask: async (): Promise<DatedAnswer> => {
      const [there, back] = ways[next % ways.length] ?? [0, 0]
      const offset = offsets[next % offsets.length] ?? 0
      next++
      const sentMs = time
      const dateMs = 1000 * Math.floor((time + there + offset) / 1000)
      time += there + back
      return { sentMs, receivedMs: time, dateMs }
    },
  }
}
