import { describe, expect, test } from 'vitest'
import { bodyLength } from '../../../contract/index.ts'
import { createNetworkTransport } from '../network/network.ts'
import { directNetwork } from '../network/options.ts'
import { startRawServer } from '../test-support/raw-server.ts'
import { outgoing } from '../test-support/send.ts'
import { ChunkList } from './chunk-list.ts'
import { type BodyLimits, defaultBodyLimits } from './limits.ts'

const small: BodyLimits = { bodyBytes: 5_000, streamBytes: 9_000, lineBytes: 400, streamEvents: 20 }
const stream = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n'
const json = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n'

describe('a conversation is left where the target sends', () => {
  test.each([
    ['a body', `${json}{"a":"${'x'.repeat(6_000)}`, 'a body of more than 5000 bytes', 'bodyBytes'],
    ['a stream', `${stream}${': x\n'.repeat(3_000)}`, 'a stream of more than 9000 bytes', ''],
    ['a line', `${stream}data: ${'x'.repeat(500)}`, 'a line of more than 400 bytes', 'lineBytes'],
    ['events', `${stream}${'data: 1\n\n'.repeat(21)}`, 'more than 20 events', 'streamEvents'],
  ])('%s beyond the limit, and does not end it', async (_, sent, says, limit) => {
    const { ending, response } = await answered(sent, small)
    expect(ending).toMatchObject({ kind: 'aborted' })
    expect('limit' in ending && ending.limit).toContain(`sent ${says} (limits.${limit}`)
    expect(response?.status).toBe(200)
  })

  test.each([
    ['a body', `${json}${'x'.repeat(5_000)}`],
    ['events', `${stream}${'data: 1\n\n'.repeat(20)}`],
    ['lines', `${stream}${`data: ${'x'.repeat(390)}\n\n`.repeat(20)}`],
  ])('%s up to the limit are read to their end', async (_, sent) => {
    const exchange = await answered(sent, small, true)
    expect(exchange.ending.kind).toBe('complete')
    expect(bodyLength(exchange)).toBe(sent.length - sent.indexOf('\r\n\r\n') - 4)
  })

  test('by default an answer of 38,000 verbose events is none of these', async () => {
    const event = `event: response.output_text.delta\ndata: ${'x'.repeat(260)}\n\n`
    const exchange = await answered(`${stream}${event.repeat(38_000)}`, defaultBodyLimits, true)
    expect(exchange.ending.kind).toBe('complete')
    expect(exchange.events).toHaveLength(38_000)
  }, 60_000)
})

test('chunks keep their bytes and times, however large they are', () => {
  const list = new ChunkList()
  const sizes = [1, 3, 0, 70_000, 5, 64 * 1024, 200, 1]
  const chunks = sizes.map((size, at) => ({
    atMs: at + 0.5,
    bytes: new Uint8Array(size).fill(at + 1),
  }))
  for (const { bytes, atMs } of chunks) list.push(bytes, atMs)
  expect(list.chunks).toEqual(chunks)
  expect([list.length, list.bytes]).toEqual([8, sizes.reduce((a, b) => a + b)])
})

async function answered(sent: string, limits: BodyLimits, isEnded = false) {
  const server = await startRawServer((socket) => (isEnded ? socket.end(sent) : socket.write(sent)))
  const transport = createNetworkTransport(directNetwork, limits)
  try {
    return await transport.send(outgoing(server.url, { timeoutMs: 30_000 })).exchange
  } finally {
    await transport.close()
    await server.close()
  }
}
