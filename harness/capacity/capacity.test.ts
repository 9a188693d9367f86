import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { forAll, forSome } from '../../contract/test-support/for-all.ts'
import { isotonic } from '../../reports/capacity/model/probe.ts'
import {
  capacityProbeOf,
  capacityReportOf,
  nothingFound,
} from '../../reports/test-support/measurements.ts'
import { type Kind, mixEntry } from '../load/plan/mix.ts'
import { drawsOf } from '../load/plan/random.ts'
import { studentQuantile } from '../load/statistics/shares.ts'
import { compareCapacities } from './compare.ts'
import { crossingOf } from './logistic.ts'
import { type Admission, fitTokenBucket, policyLimitOf, rateWithinBucket } from './policy-limit.ts'
import { attainablePrecision, budgetText, independentShare, type Probe } from './probe.ts'
import { outcomeOf } from './report/build-report.ts'
import { driftOf, hysteresisOf } from './report/frontier.ts'
import { resultOf } from './report/result.ts'
import { answer, type Capacity, searchCapacity } from './search.ts'

const slo = 'ttft.p95 < 500ms'

/** A target whose share over the limit depends on the rate alone, without noise. */
function exact(
  share: (rate: number) => number,
  requests = 20_000,
): (rate: number) => Promise<Probe> {
  let probes = 0
  return async (rate) => {
    probes += 1
    const over = Math.round(requests * share(rate))
    const limits = [{ slo, allowed: 0.05, requests, over, independent: 1 }]
    return { rate, limits, atMs: probes, valid: true }
  }
}

const around = (capacity: number) => (rate: number) =>
  1 / (1 + Math.exp(-(Math.log(0.05 / 0.95) + 12 * Math.log(rate / capacity))))

/** A target of 42 requests per second, with a generator that is late now and then. */
function late(isLate: (rate: number) => boolean, more: Partial<Probe> = {}) {
  const run = exact(around(42))
  return async (rate: number): Promise<Probe> =>
    isLate(rate) ? { ...(await run(rate)), valid: false, ...more } : run(rate)
}

const options = { min: 1, max: 1000, precision: 0.05, maxProbes: 40 }
const searched = (share: (rate: number) => number) => searchCapacity(exact(share), options)

function expectAround(interval: readonly [number, number] | null | undefined, value: number) {
  expect(interval?.[0]).toBeLessThanOrEqual(value)
  expect(interval?.[1]).toBeGreaterThanOrEqual(value)
}

describe('searchCapacity', () => {
  test.each([3.7, 42, 610])('finds a capacity of %d requests per second', async (capacity) => {
    const found = await searched(around(capacity))
    const [low = 0, high = 0] = found.interval ?? []
    expect(found).toMatchObject({ end: 'precise', limitedBy: slo, by: 'fit' })
    expectAround(found.interval, capacity)
    expect((high - low) / 2).toBeLessThanOrEqual(0.05 * (found.rate ?? 0))
  })

  test('detects a cliff between two rates', async () => {
    const found = await searched((rate) => (rate > 80 ? 0.9 : 0.001))
    expect(found).toMatchObject({ end: 'precise', by: 'cliff' })
    expectAround(found.interval, 80)
  })

  test('ends at the maximum or minimum rate', async () => {
    const above = { end: 'above max', rate: null, highestMet: 1000 }
    expect(await searched(() => 0.001)).toMatchObject(above)
    const below = { end: 'below min', limitedBy: slo, lowestMissed: 1 }
    expect(await searched(() => 0.5)).toMatchObject(below)
  })

  test('ignores probes whose generator was the bottleneck', async () => {
    const found = await searchCapacity(
      late((rate) => rate >= 20),
      options,
    )
    expect(found).toMatchObject({ end: 'generator', rate: null, lowestMissed: null })
    expect(found.highestMet).toBeGreaterThan(16)
    expect(found.highestMet).toBeLessThan(20)
  })

  test('repeats probes whose generator was disturbed', async () => {
    let probes = 0
    const disturbed = late(() => ++probes % 6 !== 0, { isDisturbed: true })
    const found = await searchCapacity(disturbed, { ...options, maxProbes: 200 })
    expect(found).toMatchObject({ end: 'precise', limitedBy: slo })
  })

  test('ends with its budget only if no probe had a timely generator', async () => {
    const disturbed = late((rate) => rate >= 20, { isDisturbed: true })
    const found = await searchCapacity(disturbed, { ...options, maxProbes: 200 })
    expect(found).toMatchObject({ end: 'generator', rate: null, lowestMissed: null })
    let left = 60
    const always = late(() => left-- > 0, { isDisturbed: true })
    const busy = await searchCapacity(always, { ...options, probesLeft: () => left })
    expect(busy).toMatchObject({ end: 'budget', rate: null })
    expect(busy.probes.length).toBe(40)
  })

  test.each([0, 1])('leaves a rate that stays undecided, in steps of %d', async (step) => {
    const capacity = 32
    const run = exact(around(capacity), 300)
    const rates: number[] = []
    const probed = async (rate: number) => {
      const load = step === 1 ? Math.round(rate) : rate
      rates.push(load)
      return run(load)
    }
    const found = await searchCapacity(probed, { ...options, min: 2, step })
    expectAround(found.interval, capacity)
    expect(rates.filter((rate) => rate === capacity).length).toBeLessThan(8)
  })

  test('keeps the bracket if it is interrupted', async () => {
    const abort = new AbortController()
    const run = exact(around(42))
    const probed = async (rate: number) => {
      if (rate > 60) abort.abort()
      return run(rate)
    }
    const found = await searchCapacity(probed, { ...options, signal: abort.signal })
    expect(found).toMatchObject({ end: 'interrupted', highestMet: 32, lowestMissed: 64 })
  })
})

/** Search within a budget by probes with few requests, which are over the limit at random. */
async function searchWithFew(share: (rate: number) => number, seed: number, usualSeconds: number) {
  const draw = drawsOf(seed, 0)
  const budget = 40
  let spent = 0
  const log: { readonly rate: number; readonly effort: number }[] = []
  const found = await searchCapacity(
    async (rate, effort) => {
      spent += effort
      log.push({ rate, effort })
      const requests = Math.max(1, Math.round(rate * usualSeconds * effort))
      let over = 0
      for (let at = 0; at < requests; at++) over += Number(draw() < share(rate))
      const limits = [{ slo, allowed: 0.05, requests, over, independent: 1 }]
      return { rate, limits, atMs: spent, valid: true }
    },
    { ...options, precision: 0.02, maxProbes: 200, probesLeft: () => budget - spent },
  )
  return { found, log, spent, budget }
}

describe('a search with few requests per probe', () => {
  const seeds = Array.from({ length: 40 }, (_, at) => at)
  const search = (capacity: number, usualSeconds: number) =>
    Promise.all(seeds.map((seed) => searchWithFew(around(capacity), seed, usualSeconds)))

  test.each([
    [6, 8],
    [3, 6],
    [12, 4],
  ])('contains capacity %d/s with %d s per probe, and probes near it', async (capacity, s) => {
    const runs = await search(capacity, s)
    const decided = runs.filter(({ found }) => found.interval !== null)
    const held = decided.filter(({ found }) => {
      const [low = 0, high = 0] = found.interval ?? []
      return low <= capacity && capacity <= high
    })
    expect(decided.length).toBeGreaterThan(0.8 * runs.length)
    expect(held.length).toBeGreaterThan(0.85 * decided.length)
    for (const { log, spent, budget } of runs) {
      expect(spent).toBeLessThanOrEqual(budget)
      const far = log.filter(({ rate }) => rate < capacity / 2).map(({ effort }) => effort)
      expect(far.reduce((sum, effort) => sum + effort, 0)).toBeLessThan(0.3 * budget)
    }
  })

  test('continues after a minimum that is missed by chance', async () => {
    const run = exact(around(7), 40)
    const rates: number[] = []
    const unlucky = async (rate: number): Promise<Probe> => {
      rates.push(rate)
      const probe = await run(rate)
      if (rates.length > 1) return probe
      return { ...probe, limits: probe.limits.map((limit) => ({ ...limit, over: 4 })) }
    }
    const left = () => 20 - rates.length
    const { interval } = await searchCapacity(unlucky, { ...options, min: 2, probesLeft: left })
    expect(rates.filter((rate) => rate < 3).length).toBeLessThanOrEqual(2)
    expectAround(interval, 7)
  })

  test('never reports a minimum as missed if it is met', async () => {
    for (const { found } of await search(6, 8)) expect(found.end).not.toBe('below min')
  })

  test('ends below the minimum if the minimum is missed', async () => {
    const runs = await Promise.all(seeds.map((seed) => searchWithFew(() => 0.5, seed, 8)))
    for (const { found } of runs) expect(found.end).toBe('below min')
  })
})

test('a longer budget gives a narrower interval, and budgetText names its duration', () => {
  const values = fc.record({
    rate: fc.double({ min: 0.1, max: 500, noNaN: true }),
    allowed: fc.constantFrom(0.01, 0.05, 0.1, 0.5),
    budgetMs: fc.integer({ min: 60_000, max: 7_200_000 }),
  })
  forAll(values, (question) => {
    const now = attainablePrecision(question)
    const longer = { ...question, budgetMs: 4 * question.budgetMs }
    expect(attainablePrecision(longer)).toBeCloseTo(now / 2)
    const detail = { probeMs: 6000, precision: 0.05 }
    const sentence = budgetText(question, detail)
    expect(sentence === null).toBe(now <= 0.05)
    const minutes = Number(/--budget (\d+)m/.exec(sentence ?? '')?.[1] ?? 1e9)
    const advised = { ...question, budgetMs: 60_000 * minutes }
    expect(attainablePrecision(advised)).toBeLessThanOrEqual(0.0501)
  })
  const question = { rate: 3, allowed: 0.05, budgetMs: 180_000 }
  expect(budgetText(question, { probeMs: 6000, precision: 0.1 })).toBe(
    'at about 3/s a probe of 6 s contains 18 requests; an interval of ±10 % takes probes of 60 s: --budget 30m; this budget decides about ±19 %',
  )
})

test('crossingOf is null without a significant slope', () => {
  const flat = [10, 11, 12, 13].map((rate) => ({ rate, count: 100, over: 5 }))
  expect(crossingOf(flat, 0.05)?.interval ?? null).toBeNull()
  expect(crossingOf(flat.slice(2), 0.05)).toBeNull()
})

test('isotonic keeps all requests and returns ascending shares', () => {
  const counts = fc.array(
    fc.record({
      rate: fc.integer({ min: 1, max: 20 }),
      count: fc.integer({ min: 1, max: 100 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  )
  forAll(counts, (drawn) => {
    const given = drawn.map(({ rate, count, share }) => ({ rate, count, over: count * share }))
    const pools = isotonic(given)
    const total = (of: readonly { count: number }[]) =>
      of.reduce((sum, { count }) => sum + count, 0)
    expect(total(pools)).toBe(total(given))
    const shares = pools.map(({ count, over }) => over / count)
    shares.slice(1).forEach((share, at) => {
      expect(share).toBeGreaterThanOrEqual((shares[at] ?? 0) - 1e-12)
    })
    const bounds = pools.flatMap(({ low, high }) => [low, high])
    expect(bounds).toEqual(bounds.toSorted((a, b) => a - b))
  })
})

test('independentShare detects runs that lag-1 autocorrelation misses', () => {
  const alternating = Array.from({ length: 2000 }, (_, at) => at % 2)
  const runs = Array.from({ length: 2000 }, (_, at) => Math.floor(at / 200) % 2)
  expect(independentShare(alternating)).toBe(1)
  expect(independentShare(runs)).toBeLessThan(0.02)
  expect(independentShare([0, 0, 0])).toBe(1)
})

test.each([
  [1, 12.7062],
  [2, 4.3027],
  [3, 3.1824],
  [10, 2.2281],
  [100, 1.984],
])('studentQuantile at 0.975 with %d degrees of freedom is %d', (degrees, quantile) => {
  expect(studentQuantile(0.975, degrees)).toBeCloseTo(quantile, 2)
})

/** Poisson arrivals at a rate for some seconds, each accepted or refused. */
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

describe('a rate limit behind responses 429', () => {
  test('is a token bucket within the intervals of burst and refill', () => {
    const limits = fc.record({
      burst: fc.integer({ min: 10, max: 100 }),
      refill: fc.integer({ min: 5, max: 50 }),
      overload: fc.double({ min: 1.5, max: 6, noNaN: true }),
      seed: fc.nat({ max: 9999 }),
    })
    forSome(30, limits, ({ burst, refill, overload, seed }) => {
      // Time to use up the burst and to refuse a hundred requests, more than the fit needs.
      const seconds = 15 + (burst + 100) / (refill * (overload - 1))
      const sent = arrivals({ rate: refill * overload, seconds, seed }, bucket(burst, refill))
      const found = fitTokenBucket(sent)
      expectAround(found?.refill.interval, refill)
      expectAround(found?.burst.interval, burst)
    })
  })

  test('is a quota of fixed windows with its rate in the interval', () => {
    let [window, used] = [-1, 0]
    const sent = arrivals({ rate: 80, seconds: 60 }, (atMs) => {
      const now = Math.floor(atMs / 1000)
      if (now !== window) [window, used] = [now, 0]
      used += 1
      return { accepted: used <= 40 }
    })
    expectAround(policyLimitOf(sent, 100)?.refill.interval, 40)
  })

  test('is null if accepted requests wait, as in saturation', () => {
    const sent = arrivals({ rate: 60, seconds: 30 }, bucket(20, 40))
    expect(policyLimitOf(sent, 100)).not.toBeNull()
    const slow = sent.map((each) => ({ ...each, latencyMs: 900 }))
    expect(policyLimitOf(slow, 100)).toBeNull()
  })

  test('is null if refusals depend on requests in flight', () => {
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

  test('is null with few refusals or a short time', () => {
    expect(fitTokenBucket(arrivals({ rate: 20, seconds: 30 }, bucket(20, 40)))).toBeNull()
    const brief = arrivals({ rate: 400, seconds: 1 }, bucket(1, 5))
    expect(brief.filter(({ accepted }) => !accepted).length).toBeGreaterThan(100)
    expect(fitTokenBucket(brief)).toBeNull()
  })
})

test('rateWithinBucket is the refill of a large bucket, and lower for a small one', () => {
  expect(rateWithinBucket(2000, 40, 0.01) / 40).toBeCloseTo(1 / 0.99, 1)
  // From a simulation of the queue: scripts/capacity/targets.ts.
  expect(rateWithinBucket(20, 40, 0.01)).toBeCloseTo(38.3, 0)
  expect(rateWithinBucket(1, 40, 0.01)).toBeLessThan(10)
})

test.each([
  ['equal intervals are no regression', 100, [98, 102], 100, [98, 102], 'no regression'],
  ['a tenth less is a regression', 100, [99, 101], 90, [89, 91], 'regression'],
  ['a tenth more is an improvement', 100, [99, 101], 110, [109, 111], 'no regression'],
  ['wide intervals are undecided', 100, [85, 115], 90, [75, 105], 'undecided'],
  ['a search without a result is undecided', 100, [99, 101], null, null, 'undecided'],
] as const)('%s', (_, rateA, intervalA, rateB, intervalB, outcome) => {
  const [a, b] = [reportOf(rateA, intervalA), reportOf(rateB, intervalB)]
  expect(compareCapacities(a, b, 0.05).outcome).toBe(outcome)
})

test('searches with different SLOs are undecided, with an overloaded generator invalid', () => {
  const [a, b] = [reportOf(100, [99, 101]), reportOf(50, [49, 51])]
  const other = { ...b, config: { ...b.config, slos: ['e2e.p95 < 9s'] } }
  const found = compareCapacities(a, other, 0.05)
  expect(found.outcome).toBe('undecided')
  expect(found.figures[0]?.message).toBe('the searches differ in SLOs')
  expect(compareCapacities(a, { ...b, outcome: 'invalid' }, 0.05).outcome).toBe('invalid')
})

function reportOf(rate: number | null, interval: readonly [number, number] | null) {
  return capacityReportOf({
    outcome: rate === null ? 'undecided' : 'found',
    result: { ...nothingFound, rate, interval: interval && [...interval] },
  })
}

test('concurrency and tokens include all requests of a transaction', () => {
  const counts = { offered: 30, completed: 30, inputTokens: 300, outputTokens: 600 }
  const perSecond = { ...capacityProbeOf().perSecond, ...counts }
  const row = { ...{ rate: 10, concurrency: 60, perSecond }, valid: true, stopped: null } as const
  const rows = [capacityProbeOf({ ...row, purpose: 'search' })]
  const capacity = { ...answer('precise', []), rate: 10, interval: [9, 11] as const }
  const resultWith = (kind: Kind, loop: 'open' | 'closed' = 'open', found: Capacity = capacity) => {
    const mix = { name: kind, entries: [mixEntry({ name: kind, kind })] }
    const misbehavior = { slowReader: 0, abort: 0, churn: 0 }
    const plan = { seed: 's', mix, misbehavior, idempotencyRaces: 0 }
    const head = { loop, arrival: 'constant', headroom: 0.7 } as const
    return resultOf({ ...head, plan, load: { slos: [] } }, found, rows)
  }
  const tokensPerSecond = { input: 300, output: 600 }
  expect(resultWith('v3-chat')).toMatchObject({ concurrency: { value: 60 }, tokensPerSecond })
  expect(resultWith('v3-json')).toMatchObject({ concurrency: { value: 20 } })
  // A rate limit of 9.9 requests per second: of 1 % more, 1 % may be refused.
  const bucket = { value: 9.9, interval: [9.9, 9.9] as [number, number] }
  const policy = { burst: bucket, refill: bucket, accepted: 100, refused: 100 }
  const refused = { ...capacity, end: 'policy', rate: null, interval: null } as const
  const limited = { ...refused, probes: [{ rate: 10, limits: [], atMs: 0, valid: true, policy }] }
  expect(resultWith('v3-json', 'open', limited).rate).toBeCloseTo(10, 6)
  // Three requests each.
  expect(resultWith('v3-chat', 'open', limited).rate).toBeCloseTo(10 / 3, 6)
  const closed = resultWith('v3-json', 'closed', limited)
  expect(closed).toMatchObject({ concurrency: null, limit: 'policy' })
  expect(closed.rate).toBeCloseTo(10, 6)
})

describe('driftOf', () => {
  const probed = (rate: number, verdict: 'met' | 'missed', atMs: number) =>
    capacityProbeOf({ rate, verdict, atMs })
  const drift = (...probes: Parameters<typeof probed>[]) =>
    driftOf(
      { drift: null },
      probes.map((probe) => probed(...probe)),
    )?.message

  test('names verdicts that only a change of the target explains', () => {
    expect(drift([80, 'met', 30_000], [160, 'missed', 40_000], [75, 'missed', 102_000])).toBe(
      'The target became slower during the search: 80.0/s met the SLOs, and 72 s later 75.0/s missed the SLOs.',
    )
    expect(drift([40, 'missed', 1000], [60, 'met', 61_000])).toBe(
      'The target became faster during the search: 40.0/s missed the SLOs, and 60 s later 60.0/s met the SLOs.',
    )
  })

  test('ignores ordered verdicts and nearly equal rates', () => {
    expect(drift([80, 'met', 1000], [90, 'missed', 2000])).toBeUndefined()
    expect(drift([80, 'met', 1000], [78, 'missed', 2000])).toBeUndefined()
  })
})

test.each([
  ['met', 'missed', 'found'],
  ['missed', 'missed', 'none'],
  ['undecided', 'missed', 'undecided'],
  ['undecided', 'met', 'none'],
] as const)('%s before an overload and %s after it: %s', (before, after, verdict) => {
  const rows = [
    capacityProbeOf({ purpose: 'search', rate: 72, verdict: before }),
    capacityProbeOf({ purpose: 'hysteresis', rate: 129, verdict: 'missed' }),
    capacityProbeOf({ purpose: 'hysteresis', rate: 72.1, verdict: after }),
  ]
  expect(hysteresisOf(rows, slo)?.verdict).toBe(verdict)
})

test.each([
  ['found', 'precise', []],
  ['undecided', 'precise', ['a slip']],
  ['undecided', 'above max', ['a slip']],
  ['invalid', 'generator', ['a slip']],
] as const)('a search is %s if it ended with %s and the faults %j', (outcome, end, faults) => {
  const search = { capacity: { end }, rows: [], isUnreachable: false, faults: [...faults] }
  expect(outcomeOf(search)).toBe(outcome)
})
