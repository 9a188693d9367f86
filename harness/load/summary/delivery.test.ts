import { describe, expect, test } from 'vitest'
import type { Delivery } from '../../../contract/report/load/measures.ts'
import { loadReportOf } from '../../../reports/load/test-support/sketch.ts'
import { lumpText } from '../../../reports/load/traffic.ts'
import { LatencyRecorder } from '../metrics/latency-recorder.ts'
import { recordOf } from '../test-support/records.ts'
import { describeDelivery } from './rates.ts'

const config = { limits: [], stallNs: 5e8 }
const ms = 1e6

/** Thirty streams with these gaps between their deltas, in milliseconds. */
function delivered(gaps: (stream: number) => readonly number[]): Delivery | null {
  const group = new LatencyRecorder()
  for (let stream = 0; stream < 30; stream += 1) {
    const gapsNs = gaps(stream).map((gap) => gap * ms)
    const lastGenerated = 100 * ms + gapsNs.reduce((sum, gap) => sum + gap, 0)
    const last = { lastGenerated, terminal: lastGenerated, ended: lastGenerated }
    group.add(
      recordOf({ timestamps: { firstGenerated: 100 * ms, ...last }, record: { gapsNs } }),
      config,
    )
  }
  return describeDelivery(group)
}

const lump = (deltas: number, pause: number) => [
  ...Array.from({ length: deltas - 1 }, () => 0),
  pause,
]
const warningsOf = (delivery: Delivery | null) => lumpText(loadReportOf({ delivery }))

describe('how deltas came', () => {
  test('one by one: nothing is said of it', () => {
    const found = delivered(() => Array.from({ length: 24 }, () => 20))
    expect(found).toMatchObject({
      streams: 30,
      deltas: 750,
      reads: 750,
      together: 0,
      lumps: 'none',
    })
    expect(warningsOf(found)).toEqual([])
  })

  test('two by two, as of a model that makes two tokens a step: nothing is said either', () => {
    const found = delivered(() => Array.from({ length: 12 }, () => lump(2, 20)).flat())
    expect(found).toMatchObject({ lumps: 'none', lumpMs: null })
    expect(warningsOf(found)).toEqual([])
  })

  test('in lumps that keep time, as of a proxy that collects for 200 ms', () => {
    const found = delivered((stream) => [
      0,
      ...Array.from({ length: 4 }, () => lump(10, 200 + stream / 10)).flat(),
    ])
    expect(found).toMatchObject({ lumps: 'some', inOneRead: 0, firstRead: 11 })
    expect(found?.lumpMs).toBeGreaterThan(195)
    expect(found?.lumpMs).toBeLessThan(210)
    expect(warningsOf(found).join()).toMatch(
      /^deltas arrived in bursts about every 20\d ms: .*, so ttft is the time of the first burst \(11\.0 deltas on average\)/,
    )
  })

  test('in lumps of no time of their own, as of a full buffer', () => {
    const found = delivered((stream) => [...lump(10, 50 + 20 * stream), ...lump(10, 700), 0])
    expect(found).toMatchObject({ lumps: 'some', lumpMs: null })
  })

  test('whole answers in one read', () => {
    const found = delivered((stream) => (stream < 20 ? lump(25, 0) : [20, 20, 20, 20]))
    expect(found).toMatchObject({ lumps: 'whole', inOneRead: 20 })
    expect(warningsOf(found).join()).toContain(
      '20 of 30 streams arrived in a single read, so ttft is the time of',
    )
  })

  test('streams with more or fewer deltas than output tokens are counted', () => {
    const tokens = [8, 8, 7, 9, null]
    const group = new LatencyRecorder()
    for (const outputTokens of tokens) {
      group.add(
        recordOf({
          counts: { outputTokens, streamedTokens: outputTokens },
          record: { gapsNs: Array(7).fill(20 * ms) },
        }),
        config,
      )
    }
    expect(describeDelivery(group)?.usage).toEqual({ equal: 2, more: 1, fewer: 1 })
  })

  test('answers of few deltas, or of one, say nothing', () => {
    expect(delivered(() => [0, 0])).toMatchObject({ lumps: 'none', inOneRead: 30 })
    expect(delivered(() => [])).toBeNull()
  })

  test('a generator that is late reads in lumps by itself, so it says nothing', () => {
    const delivery = delivered(() => lump(25, 0))
    const report = loadReportOf({ delivery })
    expect(lumpText({ ...report, generator: { ...report.generator, verdict: 'invalid' } })).toEqual(
      [],
    )
  })
})
