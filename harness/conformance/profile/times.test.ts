import fc from 'fast-check'
import { expect, test } from 'vitest'
import { maxTimerMs, timerLimitText } from '../../../contract/timer.ts'
import { limits } from './schema-requests.ts'

const times = Object.keys(limits.unwrap().shape).filter((name) => name.endsWith('Ms'))

test('every time of the limits is known here', () => {
  expect(times).toEqual(['timeoutMs', 'settleMs', 'retryAfterMs', 'runMs'])
})

test.each(times)('%s is refused where no timer holds it', (name) => {
  const refusal = (ms: number) => limits.safeParse({ [name]: ms }).error?.issues[0]
  expect(refusal(maxTimerMs)).toBeUndefined()
  fc.assert(
    fc.property(fc.double({ min: maxTimerMs + 1, noNaN: true, noDefaultInfinity: true }), (ms) => {
      expect(refusal(ms)).toMatchObject({ path: [name], message: timerLimitText })
    }),
  )
})

test('a rate with a wait between requests that no timer holds is refused', () => {
  expect(limits.safeParse({ requestsPerSecond: 1 / maxTimerMs }).success).toBe(false)
  expect(limits.safeParse({ requestsPerSecond: 0.001 }).success).toBe(true)
})
