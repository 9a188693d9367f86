import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { forAll, forSome } from '../../../contract/test-support/for-all.ts'
import { arrivalTimes, type OpenArrival, readTrace, TraceSyntaxError } from './arrival-times.ts'
import { builtInMixes, mixEntry } from './mix.ts'
import { mixFile, mixOfFile } from './mix-schema.ts'
import {
  arrivals,
  isOwnArrival,
  noncePrefix,
  type PlanSpec,
  partOfWorker,
  planHash,
} from './plan.ts'

const second = 1e9
const seeds = fc.string({ minLength: 1, maxLength: 12 })
const rates = fc.double({ min: 0.5, max: 400, noNaN: true })
const process = fc.constantFrom<'constant' | 'poisson'>('constant', 'poisson')
const open: fc.Arbitrary<OpenArrival> = fc.oneof(
  fc.record({ kind: process, perSecond: rates }),
  fc.record({
    kind: fc.constant('ramp' as const),
    process,
    from: fc.double({ min: 0, max: 200, noNaN: true }),
    to: fc.double({ min: 1, max: 200, noNaN: true }),
    overMs: fc.integer({ min: 1, max: 20 }).map((seconds) => seconds * 1000),
  }),
  fc.record({
    kind: fc.constant('steps' as const),
    process,
    steps: fc.array(
      fc.record({ perSecond: rates, forMs: fc.integer({ min: 1, max: 5 }).map((s) => s * 1000) }),
      { minLength: 1, maxLength: 4 },
    ),
  }),
)
const durations = fc.integer({ min: 1, max: 15 }).map((seconds) => seconds * second)

const spec = (more: Partial<PlanSpec> = {}): PlanSpec => ({
  seed: 'a',
  mix: mixNamed('all'),
  arrival: { kind: 'poisson', perSecond: 20 },
  durationNs: 10 * second,
  misbehavior: { slowReader: 0.1, abort: 0.1, churn: 0.1 },
  idempotencyRaces: 0.2,
  ...more,
})
const specs = fc
  .record({ seed: seeds, arrival: open, durationNs: fc.constant(3 * second) })
  .map(spec)

describe('planned times', () => {
  test('ascend within the run', () => {
    forAll(open, durations, seeds, (arrival, durationNs, seed) => {
      let before = -1
      for (const at of arrivalTimes(arrival, durationNs, seed)) {
        expect(at).toBeGreaterThanOrEqual(Math.max(0, before))
        expect(at).toBeLessThan(durationNs)
        before = at
      }
    })
  })

  test('match the integral of the rate at any time, also for ramps and steps', () => {
    forAll(open, durations, fc.double({ min: 0, max: 1, noNaN: true }), (any, lasts, cut) => {
      const arrival = even(any)
      const until = lasts * cut
      const count = [...arrivalTimes(arrival, lasts, 's')].filter((at) => at < until).length
      expect(Math.abs(count - integral(arrival, until))).toBeLessThanOrEqual(1.01)
    })
  })

  test('of a Poisson process have its rate and its coefficient of variation', () => {
    forSome(30, seeds, (seed) => {
      const times = [...arrivalTimes({ kind: 'poisson', perSecond: 100 }, 100 * second, seed)]
      const gaps = times.map((at, index) => (at - (times[index - 1] ?? 0)) / second)
      const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length
      const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length
      // Six standard deviations of the count, and of the coefficient of variation.
      expect(Math.abs(times.length - 10_000)).toBeLessThan(600)
      expect(Math.abs(Math.sqrt(variance) / mean - 1)).toBeLessThan(0.09)
    })
  })
})

describe('a plan', () => {
  test('is the same for the same seed and differs for another', () => {
    forSome(30, specs, (one) => {
      expect([...arrivals(one)]).toEqual([...arrivals({ ...one })])
      expect(planHash(one)).toBe(planHash(structuredClone(one)))
      expect(planHash({ ...one, seed: `${one.seed}x` })).not.toBe(planHash(one))
    })
  })

  test('has another hash if anything that is sent differs', () => {
    const hashes = [
      spec(),
      spec({ arrival: { kind: 'poisson', perSecond: 21 } }),
      spec({ durationNs: 11 * second }),
      spec({ mix: mixNamed('v3') }),
      spec({ idempotencyRaces: 0 }),
      spec({ misbehavior: { slowReader: 0, abort: 0, churn: 0 } }),
    ].map(planHash)
    expect(new Set(hashes).size).toBe(hashes.length)
  })

  test('is split among shards and workers without loss or duplicates', () => {
    const parts = fc.record({
      shards: fc.integer({ min: 1, max: 5 }),
      workers: fc.integer({ min: 1, max: 4 }),
    })
    forSome(40, specs, parts, (one, { shards, workers }) => {
      const all = [...arrivals(one)]
      const taken = pairs(shards, workers).flatMap(([shard, worker]) => {
        const part = partOfWorker({ index: shard, of: shards }, { index: worker, of: workers })
        const own = all.filter((arrival) => isOwnArrival(arrival, part))
        for (const { session } of own) expect(session % shards).toBe(shard)
        return own
      })
      expect(taken.sort((a, b) => a.index - b.index)).toEqual(all)
    })
  })

  test('keeps all requests of a session of a trace on one shard', () => {
    const lines = Array.from({ length: 30 }, (_, at) => ({
      ...{ atNs: at * 1e8, transaction: undefined, session: at % 4 },
      ...{ promptWords: 7, answerTokens: undefined },
    }))
    const one = spec({ arrival: { kind: 'trace', file: 't', lines } })
    for (const index of [0, 1, 2]) {
      const own = [...arrivals(one)].filter((arrival) => isOwnArrival(arrival, { index, of: 3 }))
      expect(new Set(own.map(({ session }) => session % 3))).toEqual(new Set([index]))
      expect(own.every(({ promptWords }) => promptWords === 7)).toBe(true)
    }
  })

  test('gives each request a unique nonce of equal length with a common prefix', () => {
    const many = [...arrivals(spec({ arrival: { kind: 'constant', perSecond: 200 } }))]
    const nonces = many.map(({ nonce }) => nonce)
    expect(new Set(nonces).size).toBe(nonces.length)
    expect(new Set(nonces.map(({ length }) => length)).size).toBe(1)
    expect(nonces.every((nonce) => nonce.startsWith(noncePrefix('a')))).toBe(true)
  })

  test('mixes transactions and client behaviors by their shares', () => {
    const many = [...arrivals(spec({ arrival: { kind: 'constant', perSecond: 2000 } }))]
    const share = (of: (one: (typeof many)[number]) => boolean) =>
      many.filter(of).length / many.length
    const { entries } = mixNamed('all')
    const total = entries.reduce((sum, { weight }) => sum + weight, 0)
    for (const [place, { weight }] of entries.entries()) {
      expect(share(({ entry }) => entry === place)).toBeCloseTo(weight / total, 1)
    }
    expect(share(({ clientBehavior }) => clientBehavior === 'abort')).toBeCloseTo(0.1, 1)
    expect(share(({ clientBehavior }) => clientBehavior === 'normal')).toBeCloseTo(0.7, 1)
    expect(share(({ race }) => race)).toBeCloseTo(0.2, 1)
  })

  test('draws lengths from their distributions', () => {
    const entry = mixEntry({
      name: 'x',
      kind: 'openai-stream',
      prompt: { kind: 'uniform', min: 10, max: 20 },
      answer: { kind: 'lognormal', median: 100, sigma: 0.5, max: 300 },
    })
    const one = spec({
      mix: { name: 'x', entries: [entry] },
      arrival: { kind: 'constant', perSecond: 1000 },
    })
    const many = [...arrivals(one)]
    const answers = many.map(({ answerTokens }) => answerTokens ?? 0).sort((a, b) => a - b)
    expect(Math.min(...many.map(({ promptWords }) => promptWords))).toBe(10)
    expect(Math.max(...many.map(({ promptWords }) => promptWords))).toBe(20)
    expect(answers[5000]).toBeGreaterThan(95)
    expect(answers[5000]).toBeLessThan(105)
    // The logarithm's standard deviation above the median: the 84th percentile.
    expect(answers[8413]).toBeGreaterThan(155)
    expect(answers[8413]).toBeLessThan(175)
    expect(answers.at(-1)).toBe(300)
  })

  test('of a closed loop has no times but a hash', () => {
    const closed = spec({ arrival: { kind: 'closed', concurrency: 5, maxTransactions: 1e8 } })
    expect(arrivals(closed).next().value).toMatchObject({ index: 0, plannedNs: null })
    expect(planHash(closed)).toMatch(/^[0-9a-f]{64}$/)
  })
})

function mixNamed(name: string) {
  const mix = builtInMixes.get(name)
  if (mix === undefined) throw new Error(`no mix ${name}`)
  return mix
}

function pairs(shards: number, workers: number): [number, number][] {
  return Array.from({ length: shards * workers }, (_, at) => [at % shards, Math.floor(at / shards)])
}

function even(arrival: OpenArrival): OpenArrival {
  return 'process' in arrival
    ? { ...arrival, process: 'constant' }
    : { ...arrival, kind: 'constant' }
}

/** Number of arrivals up to a time, by numerical integration of the rate. */
function integral(arrival: OpenArrival, untilNs: number): number {
  const stepNs = untilNs / 20_000
  let sum = 0
  for (let at = stepNs / 2; at < untilNs; at += stepNs) sum += rateAt(arrival, at)
  return (sum * stepNs) / second
}

function rateAt(arrival: OpenArrival, ns: number): number {
  if (arrival.kind === 'ramp') {
    const { from, to, overMs } = arrival
    return from + (to - from) * Math.min(1, ns / 1e6 / overMs)
  }
  if (arrival.kind !== 'steps') return arrival.perSecond
  let start = 0
  for (const { perSecond, forMs } of arrival.steps) {
    if (ns < start + forMs * 1e6) return perSecond
    start += forMs * 1e6
  }
  return arrival.steps.at(-1)?.perSecond ?? 0
}

const mixOf = (transactions: readonly unknown[]) =>
  mixOfFile(mixFile.parse({ transactions }), 'desk')

test('an entry gets defaults for omitted keys', () => {
  const entry = { kind: 'openai-json', weight: 1, answer: null } as const
  const prompt = { kind: 'constant', value: 12 } as const
  expect(mixOf([{ kind: 'openai-json', answer: 'free', prompt: 12 }]).entries).toEqual([
    mixEntry({ ...entry, name: 'openai-json', prompt }),
  ])
})

test('factors are crossed into entries of equal weight', () => {
  const { entries } = mixOf([
    { kind: 'v3-stream', weight: 6, think: [true, false], rag: [false, 'agent', { limit: 3 }] },
  ])
  expect(entries.map(({ name, weight, think, rag }) => [name, weight, think, rag])).toEqual([
    ['v3-stream think=true rag=false', 1, true, false],
    ['v3-stream think=true rag=agent', 1, true, 'agent'],
    ['v3-stream think=true rag={"limit":3}', 1, true, { limit: 3 }],
    ['v3-stream think=false rag=false', 1, false, false],
    ['v3-stream think=false rag=agent', 1, false, 'agent'],
    ['v3-stream think=false rag={"limit":3}', 1, false, { limit: 3 }],
  ])
})

test.each([
  { uniform: { min: 9, max: 1 } },
  { normal: { mean: 5, deviation: 1, min: 9, max: 1 } },
  { lognormal: { median: 5, sigma: 1, min: 9, max: 1 } },
])('a range with min greater than max is rejected: %j', (prompt) => {
  expect(() => mixOf([{ kind: 'v3-json', prompt }])).toThrow('min is greater than max')
})

test('an entry name omits values that are not factors', () => {
  expect(mixOf([{ kind: 'v3-stream', think: true }]).entries[0]).toMatchObject({
    name: 'v3-stream',
    think: true,
  })
})

test('two entries of the same name get different names', () => {
  const { entries } = mixOf([{ kind: 'v3-json' }, { kind: 'v3-json', weight: 2 }])
  expect(entries.map(({ name }) => name)).toEqual(['v3-json', 'v3-json #2'])
})

describe('a trace', () => {
  test('is sorted by time and starts at its first request', () => {
    const text = [
      '{"at": 3.5, "transaction": "v3-stream", "prompt": 80, "answer": 200, "session": "b"}',
      '',
      '{"at": 1, "session": "a"}',
      '{"at": 4, "session": "b"}',
    ].join('\n')
    expect(readTrace(text)).toEqual([
      { atNs: 0, session: 1 },
      { atNs: 2.5e9, transaction: 'v3-stream', promptWords: 80, answerTokens: 200, session: 0 },
      { atNs: 3e9, session: 0 },
    ])
  })

  test('accepts the field names of published traces', () => {
    const [line] = readTrace('{"timestamp": 27482, "input_length": 6955, "output_length": 52}')
    expect(line).toMatchObject({ atNs: 0, promptWords: 6955, answerTokens: 52 })
  })

  test.each([
    ['', 1, 'it contains no requests'],
    ['{"at": 1}\nat 2', 2, 'is not a JSON object'],
    ['{"at": 1}\n[]', 2, 'is not a JSON object'],
    ['{"at": "1"}', 1, 'at: must be a number of seconds'],
    ['{"at": -1}', 1, 'at: must be a number of seconds'],
    ['{"at": 1, "prompt": 0}', 1, 'prompt: must be a whole number from 1 up'],
    ['{"at": 1, "output_length": 1.5}', 1, 'output_length: must be a whole number from 1 up'],
    ['{"at": 1, "transaction": 3}', 1, 'transaction: must be the name of an entry of the mix'],
  ])('with a syntax error is rejected with its line: %j', (text, line, message) => {
    expect(() => readTrace(text)).toThrow(expect.objectContaining({ line, message }))
    expect(() => readTrace(text)).toThrow(TraceSyntaxError)
  })
})
