import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { drawsOf } from '../load/plan/random.ts'
import { type Admission, fitTokenBucket, policyLimitOf, rateWithinBucket } from './policy-limit.ts'

/** Poisson arrivals at a rate for some seconds, each let through or not. */
function arrivals(
  { rate, seconds, seed = 1 }: { rate: number; seconds: number; seed?: number },
  admit: (atMs: number) => Pick<Admission, 'accepted'> & Partial<Admission>,
): Admission[] {
  const draw = drawsOf(seed, 0)
  const found: Admission[] = []
  const endTimes: number[] = []
  for (let atMs = 0; ; ) {
    atMs -= (1000 / rate) * Math.log(1 - draw())
    if (atMs > 1000 * seconds) return found
    while ((endTimes[0] ?? Number.POSITIVE_INFINITY) <= atMs) endTimes.shift()
    const admission = { atMs, inFlight: endTimes.length, latencyMs: 100, ...admit(atMs) }
    found.push(admission)
    // In flight for 100 ms each.
    if (admission.accepted) endTimes.push(atMs + 100)
  }
}

function bucket(burst: number, refill: number) {
  let [tokens, before] = [burst, 0]
  return (atMs: number) => {
    tokens = Math.min(burst, tokens + ((atMs - before) * refill) / 1000)
    before = atMs
    const accepted = tokens >= 1
    if (accepted) tokens -= 1
    return { accepted }
  }
}

describe('the rate limit behind answers 429', () => {
  test('is a token bucket, whose burst and refill lie in their intervals', () => {
    const limits = fc.record({
      burst: fc.integer({ min: 10, max: 100 }),
      refill: fc.integer({ min: 5, max: 50 }),
      overload: fc.double({ min: 1.5, max: 6, noNaN: true }),
      seed: fc.nat({ max: 9999 }),
    })
    fc.assert(
      fc.property(limits, ({ burst, refill, overload, seed }) => {
        // The burst is spent, and then a hundred requests more are refused than the fit needs.
        const seconds = 15 + (burst + 100) / (refill * (overload - 1))
        const sent = arrivals({ rate: refill * overload, seconds, seed }, bucket(burst, refill))
        const found = fitTokenBucket(sent)
        expect(found?.refill.interval[0]).toBeLessThanOrEqual(refill)
        expect(found?.refill.interval[1]).toBeGreaterThanOrEqual(refill)
        expect(found?.burst.interval[0]).toBeLessThanOrEqual(burst)
        expect(found?.burst.interval[1]).toBeGreaterThanOrEqual(burst)
      }),
      { numRuns: 30 },
    )
  })

  test('may be a quota of fixed windows, whose long-run rate lies in the interval', () => {
    let [window, used] = [-1, 0]
    const sent = arrivals({ rate: 80, seconds: 60 }, (atMs) => {
      const now = Math.floor(atMs / 1000)
      if (now !== window) [window, used] = [now, 0]
      used += 1
      return { accepted: used <= 40 }
    })
    const [low = 0, high = 0] = policyLimitOf(sent, 100)?.refill.interval ?? []
    expect(low).toBeLessThan(40)
    expect(high).toBeGreaterThan(40)
  })

  test('is none where the accepted requests wait: the target is saturated', () => {
    const sent = arrivals({ rate: 60, seconds: 30 }, bucket(20, 40))
    expect(policyLimitOf(sent, 100)).not.toBeNull()
    const slow = sent.map((each) => ({ ...each, latencyMs: 900 }))
    expect(policyLimitOf(slow, 100)).toBeNull()
  })

  test('is none where refusals begin at one number of requests in flight', () => {
    const endTimes: number[] = []
    const sent = arrivals({ rate: 120, seconds: 30 }, (atMs) => {
      const inFlight = endTimes.filter((end) => end > atMs).length
      const accepted = inFlight < 8
      if (accepted) endTimes.push(atMs + 100)
      return { accepted, inFlight }
    })
    expect(sent.some(({ accepted }) => !accepted)).toBe(true)
    expect(policyLimitOf(sent, 100)).toBeNull()
  })

  test('is not told from few refusals, nor from a short time', () => {
    expect(fitTokenBucket(arrivals({ rate: 20, seconds: 30 }, bucket(20, 40)))).toBeNull()
    const brief = arrivals({ rate: 400, seconds: 1 }, bucket(1, 5))
    expect(brief.filter(({ accepted }) => !accepted).length).toBeGreaterThan(100)
    expect(fitTokenBucket(brief)).toBeNull()
  })
})

describe('the highest rate within a bucket', () => {
  test('is the refill where the bucket is large, and below it where it is small', () => {
    expect(rateWithinBucket(2000, 40, 0.01) / 40).toBeCloseTo(1 / 0.99, 1)
    // By simulation of the queue itself: scripts/capacity/targets.ts.
    expect(rateWithinBucket(20, 40, 0.01)).toBeCloseTo(38.3, 0)
    expect(rateWithinBucket(1, 40, 0.01)).toBeLessThan(10)
  })
})
