import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { meanOf } from '../../../contract/averages.ts'
import { forAll, forSome } from '../../../contract/test-support/for-all.ts'
import { defaultEngine, simulate } from '../../../reference-server/engine/engine.ts'
import type { ServiceModel } from './replica.ts'
import { drawOf, gamma, lengthsOf, poissonArrivals } from './requests.ts'
import {
  type Arrival,
  type Balance,
  latenciesOf,
  simulateClosed,
  simulateOpen,
  withLengths,
} from './simulate.ts'

const unlimited: ServiceModel = {
  ...{ maxSequences: Number.POSITIVE_INFINITY, maxWaiting: Number.POSITIVE_INFINITY },
  ...{ overheadMs: 0, prefillMs: 0, prefillMsPerToken: 0 },
  ...{ decodeMs: 1, decodeMsPerSequence: 0, spread: 0 },
}
const alone = { replicas: 1, balance: 'round-robin' } as const

/** Answers of exponential length, 200 tokens on average. */
function* exponentialAnswers(perSecond: number, requests: number, seed: string) {
  const draw = drawOf(seed, 'arrivals')
  const lengths = drawOf(seed, 'lengths')
  let left = requests
  for (const atMs of poissonArrivals([{ fromMs: 0, perSecond }], Number.MAX_VALUE, 1, draw)) {
    if (left-- === 0) return
    const outputTokens = Math.max(1, Math.round(200 * gamma(1, lengths)))
    yield { atMs, promptTokens: 0, outputTokens }
  }
}

describe('one simulated replica', () => {
  test.each([
    { servers: 1, load: 0.7 },
    { servers: 4, load: 0.75 },
    { servers: 20, load: 0.85 },
  ])('with $servers places at load $load is M/M/c (Erlang C)', ({ servers, load }) => {
    const perSecond = (load * servers * 1000) / 200
    const model = { ...unlimited, maxSequences: servers }
    const arrivals = exponentialAnswers(perSecond, 200_000, 'erlang')
    const requests = simulateOpen(model, alone, arrivals)
    const waits = requests.map(({ atMs, firstTokenMs }) => firstTokenMs - atMs - 1)
    const meanWait = meanOf(waits) ?? Number.NaN
    const waiting = waits.filter((wait) => wait > 1).length / waits.length
    expect(Math.abs((meanWait - 0.5) / meanWaitMMc(servers, load, 200) - 1)).toBeLessThan(0.1)
    expect(Math.abs(waiting - waitShareMMc(servers, load))).toBeLessThan(0.03)
  })

  test('shares the processor if iterations take time per sequence only', () => {
    const load = 0.6
    const model = { ...unlimited, decodeMs: 0, decodeMsPerSequence: 1 }
    const arrivals = exponentialAnswers((load * 1000) / 200, 100_000, 'sharing')
    const requests = simulateOpen(model, alone, arrivals)
    // In M/G/1-PS the slowdown is 1 / (1 - load) for every length (Kleinrock 1967).
    for (const [from, to] of [
      [50, 150],
      [300, 600],
    ] as const) {
      const own = requests.flatMap(({ atMs, endMs, outputTokens: tokens }) =>
        tokens >= from && tokens < to ? (endMs - atMs) / tokens : [],
      )
      const slowdown = meanOf(own) ?? Number.NaN
      expect(slowdown * (1 - load)).toBeGreaterThan(0.93)
      expect(slowdown * (1 - load)).toBeLessThan(1.07)
    }
  })

  test('matches the queueing model of the reference server', () => {
    const request = fc.record({
      gap: fc.double({ min: 0, max: 200, noNaN: true }),
      promptTokens: fc.integer({ min: 0, max: 300 }),
      outputTokens: fc.integer({ min: 1, max: 120 }),
    })
    const engine = fc.record({
      maxNumSeqs: fc.integer({ min: 1, max: 6 }),
      maxWaiting: fc.integer({ min: 0, max: 5 }),
    })
    forAll(fc.array(request, { maxLength: 60 }), engine, (drawn, limits) => {
      let atMs = 0
      const arrivals: Arrival[] = drawn.map(({ gap, ...lengths }) => {
        atMs += gap
        return { atMs, ...lengths }
      })
      const model: ServiceModel = {
        ...{ maxSequences: limits.maxNumSeqs, maxWaiting: limits.maxWaiting, overheadMs: 0 },
        ...{ prefillMsPerToken: defaultEngine.prefillMsPerToken },
        ...{ decodeMs: defaultEngine.decodeMs, prefillMs: 0, spread: 0 },
        decodeMsPerSequence: defaultEngine.decodeMsPerSeq,
      }
      const requests = simulateOpen(model, alone, arrivals)
      const answers = simulate({ ...defaultEngine, ...limits }, arrivals)
      expect(answers).toHaveLength(requests.length)
      for (const [id, { atMs, firstTokenMs, endMs }] of requests.entries()) {
        const answer = answers[id] ?? null
        if (answer === null) expect(endMs).toBeNaN()
        else {
          expect(firstTokenMs - atMs).toBeCloseTo(answer.ttftMs, 6)
          expect(endMs - atMs).toBeCloseTo(answer.latencyMs, 6)
        }
      }
    })
  })
})

describe('several simulated replicas', () => {
  const lengths = [20, 60, 200].map((outputTokens) => ({ promptTokens: 50, outputTokens }))
  const model = { ...unlimited, maxSequences: 8, decodeMs: 10, decodeMsPerSequence: 0.5 }

  const meanTtft = (replicas: number, balance: Balance, perSecond: number, shares = 1) => {
    const pieces = [{ fromMs: 0, perSecond }]
    const times = poissonArrivals(pieces, 3_000_000, shares, drawOf('several', 'at'))
    const arrivals = withLengths(times, lengthsOf(lengths, drawOf('several', 'lengths')))
    const requests = simulateOpen(model, { replicas, balance }, arrivals)
    const { ttft } = latenciesOf(requests, 0, { fromMs: 60_000, toMs: 3_000_000 })
    return meanOf(ttft) ?? Number.NaN
  }

  test('behind round robin equal one with every third arrival', () => {
    const all = meanTtft(3, 'round-robin', 12)
    const share = meanTtft(1, 'round-robin', 12, 3)
    expect(Math.abs(share / all - 1)).toBeLessThan(0.1)
  })

  test('wait less behind least connections than behind round robin', () => {
    expect(meanTtft(3, 'least-connections', 14)).toBeLessThan(0.7 * meanTtft(3, 'round-robin', 14))
  })

  test('keep all users of a closed loop in flight (Little’s law)', () => {
    const users = fc.integer({ min: 1, max: 40 })
    const balances = fc.constantFrom<Balance>('round-robin', 'least-connections')
    forSome(20, users, fc.integer({ min: 1, max: 4 }), balances, (count, replicas, balance) => {
      const nextLength = lengthsOf(lengths, drawOf('closed', 'lengths'))
      const run = { users: count, untilMs: 120_000, rampMs: 100, draw: drawOf('closed', 'ramp') }
      const requests = simulateClosed(model, { replicas, balance }, { ...run, nextLength })
      // Time in flight from 20 s to 100 s, over that time.
      const inFlight = requests.reduce((sum, { atMs, endMs }) => {
        return sum + Math.max(0, Math.min(100_000, endMs) - Math.max(20_000, atMs))
      }, 0)
      expect(inFlight / 80_000).toBeCloseTo(count, 6)
    })
  })
})

test('a closed-loop user waits for no other user if the batch has room', () => {
  const nextLength = lengthsOf([{ promptTokens: 0, outputTokens: 9 }], drawOf('room', 'lengths'))
  const run = { users: 5, untilMs: 5000, rampMs: 20, draw: drawOf('room', 'ramp'), nextLength }
  const requests = simulateClosed(unlimited, alone, run)
  const waits = requests.map(({ atMs, firstTokenMs }) => firstTokenMs - atMs)
  // The iteration under way, and its own.
  expect(Math.max(...waits)).toBeLessThanOrEqual(2)
})

test('gamma gaps have mean and variance of their shape', () => {
  for (const shape of [1, 3, 50]) {
    const draw = drawOf('gamma', String(shape))
    const values = Array.from({ length: 50_000 }, () => gamma(shape, draw))
    const mean = meanOf(values) ?? Number.NaN
    const variance = meanOf(values.map((value) => (value - mean) ** 2)) ?? Number.NaN
    expect(Math.abs(mean / shape - 1)).toBeLessThan(0.03)
    expect(Math.abs(variance / shape - 1)).toBeLessThan(0.06)
  }
})

test('poissonArrivals follows a rate that changes', () => {
  const pieces = [
    { fromMs: 0, perSecond: 5 },
    { fromMs: 1_000_000, perSecond: 0 },
    { fromMs: 1_200_000, perSecond: 40 },
  ]
  for (const shares of [1, 4]) {
    const times = [...poissonArrivals(pieces, 2_000_000, shares, drawOf('pieces', `${shares}`))]
    const countIn = (from: number, to: number) =>
      times.filter((ms) => ms >= from && ms < to).length * shares
    expect(Math.abs(countIn(0, 1_000_000) / 5000 - 1)).toBeLessThan(0.06)
    expect(countIn(1_000_000, 1_200_000)).toBe(0)
    expect(Math.abs(countIn(1_200_000, 2_000_000) / 32_000 - 1)).toBeLessThan(0.03)
  }
})

/** Exact results for M/M/c, first come first served (Gross & Harris, Fundamentals of Queueing Theory). */

/** Share of the requests that wait: Erlang C. `load` is the share of all servers that is busy. */
function waitShareMMc(servers: number, load: number): number {
  const offered = load * servers
  let blocking = 1
  // Erlang B, by its recursion.
  for (let n = 1; n <= servers; n++) blocking = (offered * blocking) / (n + offered * blocking)
  return blocking / (1 - load * (1 - blocking))
}

function meanWaitMMc(servers: number, load: number, serviceMs: number): number {
  return (waitShareMMc(servers, load) * serviceMs) / (servers * (1 - load))
}
