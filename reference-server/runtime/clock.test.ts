import { expect, it } from 'vitest'
import { completion, completionsPath, testServer } from '../test-support/server.ts'
import { realClock, sleepUntil } from './clock.ts'

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

const pace = { ttftMs: 0, gapMs: 0, jitter: 0, freeze: { forMs: 5000, atMs: 10_000 } }

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
  const server = await testServer({ clock, pace })
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
  const server = await testServer({ clock, pace: { ...pace, ttftMs: 9000, gapMs: 400 } })
  const headers = { 'x-chatgen-stamps': '1' }
  const body = completion('[[tokens=6]]')
  const { text } = await server.send('POST', completionsPath, { body, headers })
  expect(text.match(/^: sent \d+$/gm)).toHaveLength(9)
  expect(state.slept).toEqual([9000, 400, 400, 400, 4800])
  expect(state.now).toBe(1_000_000 + 15_000)
})
