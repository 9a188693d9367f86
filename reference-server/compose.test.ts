/** Patches replace services, without changes of handlers. */
import { expect, it } from 'vitest'
import { seededBaseId } from './answering/assistant-context.ts'
import { testServer } from './test-support/server.ts'

it('patches retrieval, in a search and before an answer', async () => {
  const server = await testServer({
    patch: (services) => ({
      ...services,
      retrieve: (...query) =>
        services.retrieve(...query).map((found) => ({ ...found, text: 'Nothing of the kind.' })),
    }),
  })
  const { json } = await server.send('GET', `/api/knowledge/${seededBaseId}/search?q=ferry`)
  const searcher = { assistant_id: 'searcher', input: 'When does the ferry leave?' }
  const answer = await server.oneShot(searcher)
  for (const text of [json.result[0].text, answer.json.output.at(-1).content[0].text]) {
    expect(text).toContain('Nothing of the kind.')
  }
})

it('patches the clock', async () => {
  let now = Date.UTC(2030, 0, 1)
  const slept: number[] = []
  const clock = {
    now: () => now,
    sleep: async (ms: number) => {
      slept.push(ms)
      now += ms
    },
  }
  const server = await testServer({ clock, pace: { ttftMs: 60_000, gapMs: 1000, jitter: 0 } })
  const { json } = await server.generate({ chat_id: await server.newChat(), input: '[[tokens=4]]' })
  expect([json.created_at, json.completed_at]).toEqual([1_893_456_000, 1_893_456_063])
  expect(slept).toEqual([63_000])
})
