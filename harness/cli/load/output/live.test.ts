import { expect, test } from 'vitest'
import { RunRecorder } from '../../../load/metrics/run-metrics.ts'
import { failure } from '../../../load/record.ts'
import type { LoadProgress } from '../../../load/run.ts'
import { recordOf, shifted } from '../../../load/test-support/records.ts'
import { liveLines, progressLine } from './live.ts'

/** Forty streams in the first four seconds, of which one was cut off by a message that means no good. */
function running(): LoadProgress {
  const book = new RunRecorder({ durationNs: 30e9, mix: { name: 'none', entries: [] } }, [], 1)
  const records = Array.from({ length: 40 }, (_, index) => shifted(recordOf(), index, index * 1e8))
  const outcome = failure('truncated', '\u001b[2Jgone')
  const cut = shifted(recordOf({ record: { outcome } }), 40, 35e8)
  const [idle, records_] = [[], [...records, cut]]
  book.add(0, { type: 'records', records: records_, ids: idle, dropped: idle, inFlight: 7 })
  return { phase: 'running', elapsedMs: 5200, durationMs: 30_000, stats: book }
}

test('rates, quantiles, what is in flight, what broke and the time left', () => {
  expect(liveLines(running(), 120).join('\n')).toMatchInlineSnapshot(`
    "running  5 s of 30 s, 25 s left  41 requests, 7 in flight
      sent 9.23/s  completed 8.00/s  failed 0.20/s  shed 0/s  tokens 90.2/s
      ttft p50 101 p90 101 p99 101   e2e p50 260 p90 260 p99 260   icl p50 20.1 p90 100 p99 100  ms
      truncated \\x1b[2Jgone ×1"
  `)
})

test('no line is wider than the terminal', () => {
  for (const line of liveLines(running(), 40)) expect(line.length).toBeLessThanOrEqual(40)
})

test('before the start, only what it does', () => {
  expect(liveLines({ ...running(), phase: 'preparing', elapsedMs: 0 }, 80)).toEqual(['preparing'])
})

test('one line for a log', () => {
  expect(progressLine(running())).toMatchInlineSnapshot(
    `"running 5 s of 30 s: 41 requests, 7 in flight, 1 failed, ttft p50 101 p90 101 p99 101 ms, truncated \\x1b[2Jgone ×1"`,
  )
})
