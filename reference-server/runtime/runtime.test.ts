import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { timerLimitText } from '../../contract/timer.ts'
import { completion, completionsPath, testServer } from '../test-support/server.ts'
import { realClock, sleepUntil } from './clock.ts'
import { PaceSyntaxError, parsePace, parsePartialPace, seededTiming } from './pace.ts'
import { forEachValue, mapValues, TimedValues } from './timed-values.ts'

it('wakes sleepers by time, then in the order of calls', async () => {
  const woken: string[] = []
  const sleep = async (name: string, ms: number) => {
    await realClock.sleep(ms)
    woken.push(name)
  }
  await Promise.all([
    sleep('late', 30),
    sleep('first', 10),
    sleep('second', 10),
    sleep('middle', 20),
    sleep('at once', 0),
  ])
  expect(woken).toEqual(['at once', 'first', 'second', 'middle', 'late'])
})

it('sleeps until a time, or not at all if it has passed', async () => {
  const slept: number[] = []
  const clock = { now: () => 1000, sleep: async (ms: number) => void slept.push(ms) }
  await sleepUntil(clock, 1025)
  await sleepUntil(clock, 1000)
  await sleepUntil(clock, 400)
  expect(slept).toEqual([25])
})

it('ends a long sleep when its signal aborts, and starts none after it', async () => {
  const leaving = new AbortController()
  const sleeping = sleepUntil(realClock, realClock.now() + 60_000, leaving.signal)
  leaving.abort()
  await expect(sleeping).rejects.toThrow('aborted')
  await expect(sleepUntil(realClock, 0, leaving.signal)).rejects.toThrow('aborted')
})

it.each([true, false])(
  'sleeps longer than the maximum of a timer (with a signal: %s)',
  async (hasSignal) => {
    const leaving = new AbortController()
    const sleeping = realClock.sleep(2 ** 32, hasSignal ? leaving.signal : undefined)
    const first = await Promise.race([sleeping.then(() => 'awake'), realClock.sleep(40)])
    expect(first).toBeUndefined()
    leaving.abort()
    if (hasSignal) await expect(sleeping).rejects.toThrow('aborted')
  },
)

const freezing = { ttftMs: 0, gapMs: 0, jitter: 0, freeze: { forMs: 5000, atMs: 10_000 } }

/** A clock that advances only during sleeps. */
function stoppedClock() {
  const state = { now: 1_000_000, slept: [] as number[] }
  const clock = {
    now: () => state.now,
    sleep: async (ms: number) => {
      state.slept.push(ms)
      state.now += ms
    },
  }
  return { state, clock }
}

it('freezes once, and answers of that time wait for its end', async () => {
  const { state, clock } = stoppedClock()
  const server = await testServer({ clock, pace: freezing })
  for (const [at, slept] of [
    [0, []],
    [9_999, []],
    [10_000, [5000]],
    [15_000, []],
    [40_000, []],
  ] as const) {
    state.now = 1_000_000 + at
    state.slept = []
    expect((await server.send('GET', '/api/openai/models')).status).toBe(200)
    expect([at, state.slept]).toEqual([at, slept])
  }
})

it('freezes within a stream before the event gets its timestamp', async () => {
  const { state, clock } = stoppedClock()
  const server = await testServer({ clock, pace: { ...freezing, ttftMs: 9000, gapMs: 400 } })
  const headers = { 'x-chatgen-stamps': '1' }
  const body = completion('[[tokens=6]]')
  const { text } = await server.send('POST', completionsPath, { body, headers })
  expect(text.match(/^: sent \d+$/gm)).toHaveLength(9)
  expect(state.slept).toEqual([9000, 400, 400, 400, 4800])
  expect(state.now).toBe(1_000_000 + 15_000)
})

describe('parsePace', () => {
  it('reads times and jitter in any order, with zero as the default', () => {
    expect(parsePace('ttft=200ms,gap=20ms,jitter=0.2')).toEqual({
      ttftMs: 200,
      gapMs: 20,
      jitter: 0.2,
      ttftSigma: 0,
      gapSigma: 0,
    })
    expect(parsePace('gap=0.5s, ttft=3')).toMatchObject({ ttftMs: 3, gapMs: 500, jitter: 0 })
  })

  it('reads lognormal times and a freeze', () => {
    expect(parsePace('ttft=lognormal(0.2s, 0.4),freeze=5s@10s,gap=lognormal(20,0)')).toEqual({
      ttftMs: 200,
      ttftSigma: 0.4,
      gapMs: 20,
      gapSigma: 0,
      jitter: 0,
      freeze: { forMs: 5000, atMs: 10_000 },
    })
  })

  it('rejects a freeze for a single run', () => {
    expect(() => parsePartialPace('freeze=5s@10s')).toThrow(
      'pace: cannot read "freeze=5s@10s": known names are ttft, gap and jitter',
    )
  })

  it.each([
    '',
    'ttft',
    'ttft=',
    'speed=3',
    'gap=fast',
    'gap=-1ms',
    'jitter=2',
    'gap=1=2',
    'toString=1',
  ])('names the part that it cannot read: %j', (text) => {
    expect(() => parsePace(text)).toThrow(PaceSyntaxError)
    expect(() => parsePace(text)).toThrow(`pace: cannot read "${text}"`)
  })
})

it.each([
  ['ttft=lognormal', 'expected lognormal(MEDIAN,SIGMA) such as lognormal(200ms,0.4)'],
  ['ttft=lognormal(1,2,3)', 'expected lognormal(MEDIAN,SIGMA) such as lognormal(200ms,0.4)'],
  ['gap=lognormal(fast,0.4)', 'expected a time such as 20ms or 0.5s'],
  ['gap=lognormal(20ms,wide)', 'expected a sigma from 0 to 3'],
  ['gap=lognormal(20ms, )', 'expected a sigma from 0 to 3'],
  ['gap=lognormal(20ms,4)', 'expected a sigma from 0 to 3'],
  ['freeze=5s', 'expected FOR@AT such as 5s@10s'],
  ['freeze=5s@', 'expected a time such as 20ms or 0.5s'],
  ['freeze=5s@1s@2s', 'expected FOR@AT such as 5s@10s'],
  ['gap=2147484s', timerLimitText],
  ['gap=lognormal(2147483648,0.4)', timerLimitText],
  ['freeze=1s@99999999999s', timerLimitText],
  ['jitter=', 'expected name=value'],
  ['speed=3', 'known names are ttft, gap, jitter and freeze'],
])('parsePace names the expected form of %j', (part, expected) => {
  expect(() => parsePace(`ttft=1,${part}`)).toThrow(`pace: cannot read "${part}": ${expected}`)
})

describe('seededTiming', () => {
  const pace = { ttftMs: 100, gapMs: 10, jitter: 0.5 }

  it.each([
    ['constant', pace],
    ['lognormal', { ...pace, ttftSigma: 0.4, gapSigma: 1 }],
  ])('is the same for the n-th run with the same seed: %s times', (_, pace) => {
    const [one, other] = [seededTiming(7, pace), seededTiming(7, pace)]
    expect([one(5), one(5)]).toEqual([other(5), other(5)])
    expect(one(5)).not.toEqual(one(5))
    expect(seededTiming(8, pace)(5)).not.toEqual(seededTiming(7, pace)(5))
  })

  it('keeps each interval within the jitter', () => {
    const due = seededTiming(1, pace)(200)
    const gaps = due.map((at, index) => at - (due[index - 1] ?? 0))
    expect(gaps[0]).toBeGreaterThanOrEqual(50)
    expect(gaps[0]).toBeLessThanOrEqual(150)
    for (const gap of gaps.slice(1)) {
      expect(gap).toBeGreaterThanOrEqual(5)
      expect(gap).toBeLessThanOrEqual(15)
    }
  })

  it('is overridden by the pace of a prompt', () => {
    expect(seededTiming(1, { ...pace, jitter: 0 })(3, { gapMs: 1 })).toEqual([100, 101, 102])
  })
})

describe('a lognormal time', () => {
  const pace = { ttftMs: 100, ttftSigma: 0.4, gapMs: 10, gapSigma: 1, jitter: 0.5 }

  it('has its median and sigma', () => {
    const timing = seededTiming(1, pace)
    const firsts = Array.from({ length: 20_000 }, () => timing(1)[0] ?? 0)
    expect(quantile(firsts, 0.5)).toBeCloseTo(100, -1)
    expect(Math.log(quantile(firsts, 0.8413) / 100)).toBeCloseTo(0.4, 1)
    const due = timing(20_000)
    const gaps = due.map((at, index) => at - (due[index - 1] ?? 0)).slice(1)
    expect(quantile(gaps, 0.5)).toBeCloseTo(10, 0)
    expect(Math.log(quantile(gaps, 0.8413) / 10)).toBeCloseTo(1, 1)
  })

  it('is overridden by a constant time of a prompt', () => {
    expect(seededTiming(1, pace)(3, parsePartialPace('ttft=5,gap=1,jitter=0'))).toEqual([5, 6, 7])
  })
})

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(share * values.length)] ?? Number.NaN
}

type Step = number | 'wait'

/** Records when each value leaves the sequence and when each wait ends. */
function* noted(steps: readonly Step[], log: unknown[]): Generator<number | Promise<void>> {
  try {
    for (const step of steps) {
      if (step !== 'wait') yield step
      else yield Promise.resolve().then(() => void log.push('wait'))
    }
  } finally {
    log.push('closed')
  }
}

const allSteps = fc.array(fc.oneof(fc.integer(), fc.constant('wait' as const)))

it('maps values and keeps waits in place for any async iterable', async () => {
  await fc.assert(
    fc.asyncProperty(allSteps, fc.boolean(), async (steps, timed) => {
      const log: unknown[] = []
      const values = new TimedValues(noted(steps, log))
      const source = timed ? values : values[Symbol.asyncIterator]()
      await forEachValue(
        mapValues(source, (value) => `${value}`),
        (text) => {
          log.push(text)
          return undefined
        },
      )
      expect(log).toEqual([...steps.map((step) => (step === 'wait' ? step : `${step}`)), 'closed'])
    }),
  )
})

it.each([true, false])('waits for its reader and is closed by it, timed: %s', async (timed) => {
  const log: unknown[] = []
  const values = new TimedValues(noted([1, 2, 3], log))
  const read = forEachValue(timed ? values : values[Symbol.asyncIterator](), async (value) => {
    await Promise.resolve()
    log.push(value)
    if (value === 2) throw new RangeError('enough')
  })
  await expect(read).rejects.toThrow('enough')
  expect(log).toEqual([1, 2, 'closed'])
})

it('rejects if a wait rejects', async () => {
  const log: unknown[] = []
  const steps = function* () {
    yield* noted([1], log)
    yield Promise.reject(new RangeError('aborted'))
    yield 2
  }
  const read = forEachValue(new TimedValues<number>(steps()), (value) => {
    log.push(value)
    return undefined
  })
  await expect(read).rejects.toThrow('aborted')
  expect(log).toEqual([1, 'closed'])
})
