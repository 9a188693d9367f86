import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bodyBytes } from '../../contract/index.ts'
import { cutAt, goldenEvents, goldenStream } from './test-support/golden-stream.ts'
import { type RawServer, startRawServer, writePieces } from './test-support/raw-server.ts'
import { outgoing, withTransport } from './test-support/send.ts'

describe('over the network', () => {
  const golden = goldenStream('\r\n')
  let pieces: readonly Uint8Array[] = []
  let server: RawServer
  beforeAll(async () => {
    server = await startRawServer(async (socket) => {
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: ${golden.length}\r\n\r\n`,
      )
      await writePieces(socket, pieces)
    })
  })
  afterAll(() => server.close())

  test('cut anywhere, it gives the same events and the same bytes', async () => {
    const places = fc.array(fc.nat({ max: golden.length }), { maxLength: 12 })
    await withTransport((transport) =>
      fc.assert(
        fc.asyncProperty(places, async (at) => {
          pieces = cutAt(golden, at)
          const exchange = await transport.send(outgoing(server.url)).exchange
          expect(exchange.ending.kind).toBe('complete')
          expect(Buffer.from(bodyBytes(exchange)).equals(golden)).toBe(true)
          expect(exchange.events.map(({ name, data }) => ({ name, data }))).toEqual(goldenEvents)
        }),
        { numRuns: 50 },
      ),
    )
  })

  test('each event has the time of the segment that completed it', async () => {
    const half = golden.indexOf('event: several')
    pieces = cutAt(golden, [half])
    const exchange = await withTransport(
      (transport) => transport.send(outgoing(server.url)).exchange,
    )
    const times = exchange.response?.chunks.map(({ atMs }) => atMs) ?? []
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    expect(times).toEqual(expect.arrayContaining(exchange.events.map(({ atMs }) => atMs)))
  })
})
