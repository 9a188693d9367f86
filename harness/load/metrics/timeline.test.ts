import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Timeline } from './timeline.ts'

test('two requests by hand', () => {
  const timeline = new Timeline(100)
  timeline.addInFlight(30, 250)
  timeline.addInFlight(150, 180)
  // 70 of the first interval; 100 + 30 of the second; 50 of the third.
  expect(timeline.inFlightNs(0, 1)).toBe(70)
  expect(timeline.inFlightNs(1, 2)).toBe(130)
  expect(timeline.inFlightNs(2, 3)).toBe(50)
  expect(timeline.rows().map(({ inFlight }) => inFlight)).toEqual([1, 1, 0])
  expect(timeline.sum(0, 3)).toMatchObject({ started: 2, ended: 2, residenceNs: 250 })
  expect([0, 1, 2, 3].map((index) => timeline.inFlightAt(index))).toEqual([0, 1, 1, 0])
})

const flights = fc.array(fc.tuple(fc.nat(1000), fc.nat(1000)), { maxLength: 40 })

describe('the integral of the requests in flight', () => {
  test('is the sum of their overlaps with the window', () => {
    fc.assert(
      fc.property(
        flights,
        fc.nat(20),
        fc.nat(20),
        fc.integer({ min: 1, max: 97 }),
        (all, a, b, width) => {
          const [from, to] = [Math.min(a, b), Math.max(a, b)]
          const timeline = new Timeline(width)
          let expected = 0
          for (const [start, lasted] of all) {
            timeline.addInFlight(start, start + lasted)
            const end = Math.min(start + lasted, to * width)
            expected += Math.max(0, end - Math.max(start, from * width))
          }
          expect(timeline.inFlightNs(from, to)).toBe(expected)
        },
      ),
    )
  })

  test('over the whole run is the sum of the times in flight', () => {
    fc.assert(
      fc.property(flights, (all) => {
        const timeline = new Timeline(50)
        for (const [start, lasted] of all) timeline.addInFlight(start, start + lasted)
        expect(timeline.inFlightNs(0, 41)).toBe(timeline.sum(0, 41).residenceNs)
      }),
    )
  })
})
