import { expect, test } from 'vitest'
import { stepsOf } from './measures.ts'
import { loadReportOf } from './test-support/sketch.ts'

const { plan } = loadReportOf()
const arrival = {
  kind: 'steps',
  process: 'poisson',
  steps: [
    { perSecond: 100, forMs: 1000 },
    { perSecond: 200, forMs: 2000 },
    { perSecond: 300, forMs: 60_000 },
  ],
} as const

test('the seconds of a load belong to its steps', () => {
  const steps = stepsOf(
    loadReportOf({ plan: { ...plan, arrival: { ...arrival, steps: [...arrival.steps] } } }),
  )
  expect(steps.map(({ fromMs, perSecond, offered }) => [fromMs, perSecond, offered])).toEqual([
    [0, 100, 98],
    [1000, 200, 208],
    [3000, 300, 0],
  ])
  expect(steps[1]).toMatchObject({
    completedPerSecond: 84,
    shed: 2,
    failed: 5,
    maxInFlight: 60,
    ttft: { p50: 99, p99: 940 },
  })
  expect(steps[2]).toMatchObject({ completedPerSecond: 50, ttft: { p50: null, p99: null } })
})

test('other loads have no steps', () => {
  expect(stepsOf(loadReportOf())).toEqual([])
})
