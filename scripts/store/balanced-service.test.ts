import { describe, expect, test } from 'vitest'
import { failure } from '../../harness/load/record.ts'
import { type RecordParts, recordOf } from '../../harness/load/test-support/records.ts'
import {
  type CutStreamEvidence,
  cutStreams,
  readBalancerLog,
  unexplainedCuts,
} from './balanced-service.ts'

const cutRecord = (
  index: number,
  outcome: NonNullable<RecordParts['record']>['outcome'] = failure('truncated', 'cut'),
  parts: RecordParts['record'] = {},
) =>
  recordOf({
    timestamps: { terminal: null },
    record: { index, surface: 'v3', operation: 'v3.generate', outcome, ...parts },
  })

describe('cut streams', () => {
  test('include truncated streams, open twins and violations of the end', () => {
    const records = [
      cutRecord(1),
      cutRecord(2, { kind: 'abandoned', why: 'race' }, { step: 1 }),
      recordOf({ record: { index: 3, surface: 'v3', outcome: { kind: 'ok' } } }),
      recordOf({
        record: { index: 4, surface: 'v3', outcome: { kind: 'abandoned', why: 'race' } },
      }),
    ]
    const after = failure('integrity', 'V3-SSE-08')
    records.push(recordOf({ record: { index: 5, surface: 'v3', outcome: after } }))
    expect(cutStreams(records, 'run')).toEqual({
      cut: ['run/1.0', 'run/2.1', 'run/5.0'],
      unclear: ['run/4.0'],
    })
  })

  test.each([
    ['a client that left', cutRecord(1, { kind: 'abandoned', why: 'abort' })],
    ['a stream in flight at the end', cutRecord(1, { kind: 'open' })],
    ['an answer in one piece', cutRecord(1, undefined, { form: 'json' })],
    ['a refusal', cutRecord(1, failure('status', '503'), { status: 503 })],
    ['a twin that was refused', cutRecord(1, { kind: 'abandoned', why: 'race' }, { status: 409 })],
  ])('exclude %s', (_, record) => {
    expect(cutStreams([record], 'run')).toEqual({ cut: [], unclear: [] })
  })
})

const log = [{ requestId: 'run/1.0', replica: 'one', startedMs: 1000, endedMs: 1500 }]
const kill = { replica: 'one', sentMs: 1490, endedMs: 1495 }
const evidence: CutStreamEvidence = {
  ...{ cut: ['run/1.0'], unclear: [], violations: 1, log, kills: [kill] },
}

describe('a cut stream', () => {
  test.each([
    ['the kill of its replica', kill],
    ['a kill as it began', { ...kill, sentMs: 990, endedMs: 1000 }],
    ['a kill as it ended', { ...kill, sentMs: 1500, endedMs: 1510 }],
  ])('is explained by %s', (_, other) => {
    expect(unexplainedCuts({ ...evidence, kills: [other] })).toEqual([])
  })

  test.each([
    ['no kill', { kills: [] }, '1970-01-01T00:00:01.500Z, and one was not killed'],
    ['a later kill', { kills: [{ ...kill, sentMs: 1501, endedMs: 1600 }] }, 'was not killed'],
    ['an earlier kill', { kills: [{ ...kill, sentMs: 900, endedMs: 999 }] }, 'was not killed'],
    ['a kill of another replica', { kills: [{ ...kill, replica: 'two' }] }, 'was not killed'],
    ['a twin that saw no kill', { violations: 2, unclear: ['run/2.0'] }, 'violated 2 times'],
    ['no line in the log', { log: [] }, 'is not in the log of nginx'],
    ['a violation without a cut', { violations: 2 }, 'violated 2 times, and 1 streams were cut'],
    ['a cut without a violation', { violations: 0 }, 'violated 0 times, and 1 streams were cut'],
  ])('is not explained by %s', (_, change, message) => {
    expect(unexplainedCuts({ ...evidence, ...change })).toEqual([expect.stringContaining(message)])
  })
})

test('a twin may have been cut after its end if its replica was killed', () => {
  const twin = { requestId: 'run/2.0', replica: 'one', startedMs: 1400, endedMs: 1600 }
  const both = { ...evidence, log: [...log, twin], unclear: ['run/2.0'] }
  for (const violations of [1, 2]) expect(unexplainedCuts({ ...both, violations })).toEqual([])
  expect(unexplainedCuts({ ...both, violations: 3 })).toHaveLength(1)
})

test('readBalancerLog names the replica that answered last', () => {
  const text = '1.500\t0.500\tone, two\trun/1.0\n2.000\t0.001\tone\t-\n'
  expect(readBalancerLog(text)).toEqual([
    { requestId: 'run/1.0', replica: 'two', startedMs: 1000, endedMs: 1500 },
  ])
})
