import { describe, expect, it } from 'vitest'
import { timerLimitText } from '../../contract/timer.ts'
import { PaceSyntaxError, parsePace, parsePartialPace, seededTiming } from './pace.ts'

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
