import { expect, it } from 'vitest'
import { testServer } from '../test-support/server.ts'

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

it('stands still once: every answer of that time waits for its end', async () => {
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

it('stands still in the middle of a stream, before the event is stamped', async () => {
  const { state, clock } = stoppedClock()
  const server = await testServer({ clock, pace: { ...pace, ttftMs: 9000, gapMs: 400 } })
  const headers = { 'x-chatgen-stamps': '1' }
  const body = {
    model: 'SVC-Main',
    stream: true,
    messages: [{ role: 'user', content: '[[tokens=6]]' }],
  }
  const { text } = await server.send('POST', '/api/openai/chat/completions', { body, headers })
  expect(text.match(/^: sent \d+$/gm)).toHaveLength(9)
  expect(state.slept).toEqual([9000, 400, 400, 400, 4800])
  expect(state.now).toBe(1_000_000 + 15_000)
})
