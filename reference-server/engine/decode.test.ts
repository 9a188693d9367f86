import { expect, test } from 'vitest'
import { leaveInMidStream, openStream, testServer } from '../test-support/server.ts'
import { parseEngine } from './engine.ts'

const serve = (engine: string) => testServer({ engine: parseEngine(engine) })

test('streams and bodies are whole on every surface', async () => {
  const server = await serve('max-num-seqs=2,prefill=0,decode=1ms,decode-per-seq=0')
  const [one, other, whole, native] = await Promise.all([
    server.complete('[[tokens=8]]', { stream: true }),
    server.complete('[[tokens=8]]', { stream: true }),
    server.complete('[[tokens=8]]'),
    server.oneShot({ assistant_id: null, input: 'Describe a harbour at night.', stream: true }),
  ])
  for (const { text } of [one, other]) expect(text).toContain('[DONE]')
  expect(whole.json).toMatchObject({ object: 'chat.completion' })
  expect(native.text).toContain('event: response.completed')
})

test('a request beyond the queue is refused with Retry-After, and one later is served', async () => {
  const server = await serve('max-num-seqs=1,max-waiting=1,prefill=0,decode=60ms,decode-per-seq=0')
  const answers = await Promise.all([1, 2, 3, 4].map(() => server.complete('[[tokens=8]]')))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 503, 503])
  const refused = answers.find(({ status }) => status === 503)
  expect(refused?.headers.get('retry-after')).toBe('1')
  expect(refused?.json).toMatchObject({ error: { code: 'engine_overloaded' } })
  expect((await server.complete('[[tokens=8]]')).status).toBe(200)
})

test('a client that leaves makes room', async () => {
  const server = await serve('max-num-seqs=1,max-waiting=0,prefill=0,decode=150ms,decode-per-seq=0')
  const messages = [{ role: 'user', content: '[[tokens=400]]' }]
  const left = await openStream(server, '/api/openai/chat/completions', {
    ...{ model: 'SVC-Main', messages, stream: true },
  })
  expect((await server.complete('[[tokens=8]]')).status).toBe(503)
  await leaveInMidStream(left)
  await expect.poll(async () => (await server.complete('[[tokens=1]]')).status).toBe(200)
})
