import { describe, expect, it } from 'vitest'
import { PaceSyntaxError, parsePace, seededTiming } from './pace.ts'

describe('parsePace', () => {
  it('reads times and jitter in any order, and takes zero for what is not said', () => {
    expect(parsePace('ttft=200ms,gap=20ms,jitter=0.2')).toEqual({
      ttftMs: 200,
      gapMs: 20,
      jitter: 0.2,
    })
    expect(parsePace('gap=0.5s, ttft=3')).toEqual({ ttftMs: 3, gapMs: 500, jitter: 0 })
  })

  it.each(['', 'ttft', 'ttft=', 'speed=3', 'gap=fast', 'gap=-1ms', 'jitter=2', 'gap=1=2'])(
    'names the part it cannot read: %j',
    (text) => {
      expect(() => parsePace(text)).toThrow(PaceSyntaxError)
      expect(() => parsePace(text)).toThrow(`pace: cannot read "${text}"`)
    },
  )
})

describe('seededTiming', () => {
  const pace = { ttftMs: 100, gapMs: 10, jitter: 0.5 }

  it('is the same for the n-th run of every server with that seed', () => {
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

  it('gives way to the pace that a prompt asked for', () => {
    expect(seededTiming(1, { ...pace, jitter: 0 })(3, { gapMs: 1 })).toEqual([100, 101, 102])
  })
})
