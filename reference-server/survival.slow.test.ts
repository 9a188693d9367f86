/** Load and clients that must neither crash the server nor leak resources. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import {
  leaveInMidStream,
  openCompletion,
  openStream,
  readAll,
  readBlocks,
  readEvents,
  type TestServer,
  testServer,
} from './test-support/server.ts'

const generatePath = '/api/v3/message/generate'

async function nothingLeft(server: TestServer): Promise<void> {
  await expect.poll(() => server.services.runs.size).toBe(0)
  await expect.poll(() => server.connections()).toBe(0)
}

it('serves 200 concurrent whole streams', async () => {
  const server = await testServer({ pace: { ttftMs: 20, gapMs: 2, jitter: 0.5 } })
  const chats = await Promise.all(Array.from({ length: 100 }, () => server.newChat()))
  const texts = await Promise.all([
    ...chats.map(async (chat_id) => {
      const body = { chat_id, model_id: 'SVC-Main', input: `In ${chat_id}`, stream: true }
      return readAll(await openStream(server, generatePath, body, { 'idempotency-key': chat_id }))
    }),
    ...chats.map(async (id) => readAll(await openCompletion(server, id))),
  ])
  for (const text of texts.slice(0, 100)) {
    expect(readEvents(text).at(-1).type).toBe('response.completed')
  }
  for (const text of texts.slice(100)) expect(readBlocks(text).at(-1)?.data).toBe('[DONE]')
})

it('finishes the run of a client that leaves, for its repeat', async () => {
  const server = await testServer()
  const chat_id = await server.newChat()
  const input = '[[tokens=10]] [[pace=gap=20ms]]'
  const body = { chat_id, model_id: 'SVC-Main', stream: true, input }
  const headers = { 'idempotency-key': 'left' }
  await leaveInMidStream(await openStream(server, generatePath, body, headers))
  expect(server.services.runs.size).toBe(1)
  await nothingLeft(server)
  const { json } = await server.send('GET', `/api/v3/message?chat_id=${chat_id}`)
  const again = await server.send('POST', generatePath, { body, headers })
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  const { output } = readEvents(again.text).at(-1).response
  expect(json.result.slice(1).map(({ item }: { item: object }) => item)).toEqual(output)
})

it('stops generating for a client that left the compatible surface', async () => {
  const server = await testServer({ pace: { ttftMs: 0, gapMs: 20, jitter: 0 } })
  const started = performance.now()
  await leaveInMidStream(await openCompletion(server, '[[tokens=1000]]'))
  await nothingLeft(server)
  expect(performance.now() - started).toBeLessThan(5000)
})

it('applies backpressure for slow readers', async () => {
  let made = 0
  const server = await testServer({
    patch: (services) => ({
      ...services,
      encode: (block) => {
        made += 1
        return services.encode(block)
      },
    }),
  })
  const tokens = 80_000
  const slow = await openCompletion(server, `[[tokens=${tokens}]]`)
  let before = -1
  while (made > before) {
    before = made
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  expect(made).toBeGreaterThan(100)
  expect(made).toBeLessThan(tokens)
  expect(readBlocks(await readAll(slow)).at(-1)?.data).toBe('[DONE]')
  await nothingLeft(server)
})

it('sends each event when it is due, and simultaneous ones together', async () => {
  const server = await testServer()
  const piecesOf = async (prompt: string) => {
    const { response } = await openCompletion(server, prompt)
    return (await Array.fromAsync(response)).length
  }
  expect(await piecesOf('[[tokens=60]][[pace=gap=40ms]]')).toBeGreaterThan(15)
  expect(await piecesOf('[[tokens=60]]')).toBeLessThan(10)
})

it('frees connections, runs and memory', async () => {
  const server = await testServer()
  const round = async () => {
    await Promise.all(
      Array.from({ length: 100 }, async (_, n) => {
        const chat_id = await server.newChat()
        const body = { chat_id, model_id: 'SVC-Main', input: '[[pace=gap=1ms]]', stream: true }
        const headers = { 'idempotency-key': chat_id }
        const stream = await openStream(server, generatePath, body, headers)
        await (n % 2 === 0 ? readAll(stream) : leaveInMidStream(stream))
        await leaveInMidStream(await openCompletion(server, '[[pace=gap=5ms]]'))
        await expect.poll(() => server.services.runs.size).toBe(0)
        await server.send('DELETE', `/api/v3/chat/${chat_id}`)
      }),
    )
    await nothingLeft(server)
    return memoryInUse()
  }
  const first = await round()
  const [second, third] = [await round(), await round()]
  // The ledger keeps a run for each key, for a day.
  expect(third - first).toBeLessThan(6_000_000)
  expect(third - second).toBeLessThan(4_000_000)
})

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

async function memoryInUse(): Promise<number> {
  // Finalizers run between collections, and their objects are freed in the next one.
  for (let round = 0; round < 3; round += 1) {
    collectGarbage()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
