/** Patches: another behavior is another service, and no handler knows of it. */
import { expect, it } from 'vitest'
import { seededBaseId } from './answering/assistant-context.ts'
import { testServer } from './test-support/server.ts'
import { readEvents } from './test-support/sse.ts'

it('patches requests', async () => {
  const server = await testServer({
    patch: (services) => ({
      ...services,
      incoming: (call) => ({ ...call, body: { ...Object(call.body), max_tokens: 2 } }),
    }),
  })
  expect((await server.complete('Hi')).json.usage.completion_tokens).toBe(2)
})

it('patches answers', async () => {
  const server = await testServer({
    patch: (services) => ({
      ...services,
      outgoing: (_call, reply) => (reply.status === 401 ? { ...reply, status: 403 } : reply),
    }),
  })
  const headers = { authorization: 'Bearer wrong' }
  expect((await server.send('GET', '/api/openai/models', { headers })).status).toBe(403)
})

it('patches events and bytes, live and replayed', async () => {
  const server = await testServer({
    patch: (services) => ({
      ...services,
      events: function* (run) {
        for (const event of services.events(run)) yield { ...event, sequence_number: 7 }
      },
      async *bytes(_call, chunks) {
        for await (const chunk of chunks) {
          yield chunk.subarray(0, 5)
          yield chunk.subarray(5)
        }
      },
    }),
  })
  const body = { chat_id: await server.newChat(), input: 'Hi', stream: true }
  for (const _ of ['live', 'replayed']) {
    const { text } = await server.generate(body, { 'idempotency-key': 'k' })
    expect(new Set(readEvents(text).map((event) => event.sequence_number))).toEqual(new Set([7]))
  }
})

it('cuts a stream in the middle', async () => {
  const server = await testServer({
    patch: (services) => ({
      ...services,
      async *bytes(call, chunks) {
        let sent = 0
        for await (const chunk of chunks) {
          if (call.path.endsWith('completions') && sent === 3)
            throw new DOMException('torn', 'AbortError')
          yield chunk
          sent += 1
        }
      },
    }),
  })
  await expect(server.complete('Hi', { stream: true })).rejects.toThrow()
  expect((await server.send('GET', '/healthz')).status).toBe(200)
})

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
