import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { conservation, littlesLaw, stampOrder } from './audits.ts'

describe("Little's law", () => {
  const flow = {
    windowNs: 60e9,
    inFlightNs: 100 * 60e9,
    inFlightAtStart: 98,
    inFlightAtEnd: 103,
    ended: 3000,
    meanResidenceNs: 2e9,
  }

  test('50 a second of 2 s each are 100 in flight', () => {
    expect(littlesLaw(flow)).toEqual({
      name: 'littles-law',
      verdict: 'pass',
      expected: 100,
      observed: 100,
      message:
        'In flight on average 100.00, rate times residence 100.00: 0.0 % apart, less than 5 % allowed.',
    })
  })

  test('of 3000 requests, 200 lost ones break it', () => {
    expect(littlesLaw({ ...flow, ended: 2800 })).toMatchObject({
      verdict: 'fail',
      expected: 93.3333,
    })
    expect(littlesLaw({ ...flow, ended: 2860 }).verdict).toBe('pass')
  })

  test('a window of three residence times says nothing', () => {
    const short = { ...flow, windowNs: 6e9, inFlightNs: 600e9, ended: 300 }
    expect(littlesLaw(short).verdict).toBe('not-applicable')
    expect(littlesLaw({ ...flow, inFlightNs: 0, ended: 0 }).verdict).toBe('not-applicable')
  })

  test('a load that grows through the window is not held against it', () => {
    expect(littlesLaw({ ...flow, inFlightAtStart: 0, inFlightAtEnd: 400 }).verdict).toBe(
      'not-applicable',
    )
  })
})

describe('conservation', () => {
  const count = fc.nat(1000)

  test('holds exactly where every request is accounted for', () => {
    fc.assert(
      fc.property(
        count,
        count,
        count,
        count,
        count,
        fc.integer({ min: -2, max: 2 }),
        (ok, failed, open, left, notDispatched, lost) => {
          const dispatched = ok + failed + open + left + lost
          const rows = conservation({
            planned: dispatched + notDispatched,
            dispatched,
            notDispatched,
            ok,
            failed,
            open,
            left,
          })
          expect(rows.map(({ verdict }) => verdict)).toEqual(['pass', lost === 0 ? 'pass' : 'fail'])
        },
      ),
    )
  })

  test('says how many are missing', () => {
    const rows = conservation({
      planned: 10,
      dispatched: 8,
      notDispatched: 1,
      ok: 5,
      failed: 1,
      open: 1,
      left: 1,
    })
    expect(rows.map(({ message }) => message)).toEqual([
      '10 planned = 8 dispatched + 1 not dispatched does not hold: 1 unaccounted for.',
      '8 dispatched = 5 ok + 1 failed + 1 open + 1 aborted by the client.',
    ])
  })
})

test('one stamp out of order fails the audit of the clocks', () => {
  expect(stampOrder(10, 0).verdict).toBe('pass')
  expect(stampOrder(10, 1)).toMatchObject({ verdict: 'fail', observed: 1 })
})
