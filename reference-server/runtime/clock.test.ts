import { expect, it } from 'vitest'
import { realClock, sleepUntil } from './clock.ts'

it('wakes sleepers in the order of their times, those of one time in the order of their calls', async () => {
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

it('sleeps until a time, and not at all where it has passed', async () => {
  const slept: number[] = []
  const clock = { now: () => 1000, sleep: async (ms: number) => void slept.push(ms) }
  await sleepUntil(clock, 1025)
  await sleepUntil(clock, 1000)
  await sleepUntil(clock, 400)
  expect(slept).toEqual([25])
})

it('ends a long sleep when its signal fires, and begins none after that', async () => {
  const leaving = new AbortController()
  const sleeping = sleepUntil(realClock, realClock.now() + 60_000, leaving.signal)
  leaving.abort()
  await expect(sleeping).rejects.toThrow('aborted')
  await expect(sleepUntil(realClock, 0, leaving.signal)).rejects.toThrow('aborted')
})

it.each([true, false])(
  'sleeps on where the wait is longer than a timer holds (with a signal: %s)',
  async (hasSignal) => {
    const leaving = new AbortController()
    const sleeping = realClock.sleep(2 ** 32, hasSignal ? leaving.signal : undefined)
    const first = await Promise.race([sleeping.then(() => 'awake'), realClock.sleep(40)])
    expect(first).toBeUndefined()
    leaving.abort()
    if (hasSignal) await expect(sleeping).rejects.toThrow('aborted')
  },
)
