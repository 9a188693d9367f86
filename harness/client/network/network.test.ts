import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { bodyBytes, bodyText, type Header } from '../../../contract/index.ts'
import { cutAt, goldenStream } from '../test-support/golden-stream.ts'
import { rawServer, writePieces } from '../test-support/listen-on-loopback.ts'
import { outgoing, sendRequest, withTransport } from '../test-support/send.ts'

const serve = (...lines: readonly string[]) =>
  rawServer((socket) => socket.write(`${lines.join('\r\n')}\r\n\r\n`))

describe('headers', () => {
  test('of an answer have names in lower case, in their order, and repeated ones stay apart', async () => {
    const { url } = await serve(
      'HTTP/1.1 200 OK',
      'X-Second: b',
      'Set-Cookie: a=1',
      'set-cookie: b=2',
      'Content-Length: 0',
    )
    const { response } = await sendRequest(url)
    expect(response?.headers).toEqual([
      ['x-second', 'b'],
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
      ['content-length', '0'],
    ])
  })

  test('of a request are sent as they are given', async () => {
    const server = await serve('HTTP/1.1 200 OK', 'content-length: 0')
    const headers: Header[] = [
      ['authorization', 'Bearer a key'],
      ['x-request-id', 'chatgen-1/a-scenario/1'],
      ['content-type', 'application/json'],
    ]
    const request = {
      method: 'POST',
      url: `${server.url}/a/b?c=d`,
      headers,
      body: Buffer.from('{}'),
    }
    await sendRequest(server.url, { request })
    const [head = ''] = server.heads
    expect(head).toMatch(/^POST \/a\/b\?c=d HTTP\/1\.1\r\n/)
    for (const [name, value] of headers) expect(head).toContain(`\r\n${name}: ${value}\r\n`)
    expect(head).toContain('\r\ncontent-length: 2\r\n')
    expect(head.toLowerCase()).not.toContain('accept-encoding')
  })

  test('of 60 KB are read', async () => {
    const { url } = await serve(
      'HTTP/1.1 200 OK',
      `x-long: ${'a'.repeat(60_000)}`,
      'content-length: 0',
    )
    const { response } = await sendRequest(url)
    expect(response?.status).toBe(200)
  })
})

test.each([301, 302, 303, 307, 308, 400, 401, 404, 429, 500, 503])(
  'a status of %i is an answer like any other: no redirect is followed, no request repeated',
  async (status) => {
    const fields = ['location: /elsewhere', 'retry-after: 0', 'content-length: 0']
    const server = await serve(`HTTP/1.1 ${status} So`, ...fields)
    const { response, ending } = await sendRequest(server.url)
    expect([response?.status, ending.kind]).toEqual([status, 'complete'])
    expect(server.heads).toHaveLength(1)
  },
)

test('a body is kept as it came, and decoded only where it is an event stream', async () => {
  const { url } = await serve('HTTP/1.1 200 OK', 'content-type: text/plain', 'content-length: 9')
  const exchange = await sendRequest(url, { timeoutMs: 60 })
  expect(exchange.events).toEqual([])

  const head = 'HTTP/1.1 200 OK\r\ncontent-type: Text/Event-Stream; charset=utf-8\r\n'
  const server = await rawServer((socket) =>
    socket.write(`${head}content-length: 9\r\n\r\ndata: 1\n\n`),
  )
  const stream = await sendRequest(server.url)
  expect(stream.events).toMatchObject([{ name: null, data: '1' }])
  expect(bodyText(stream)).toBe('data: 1\n\n')
})

test('after a server closed an idle connection, each request has a connection of its own', async () => {
  const sockets: Socket[] = []
  const server = await rawServer((socket) => {
    sockets.push(socket)
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
  })
  await withTransport(async (transport) => {
    const kinds: string[] = []
    for (let turn = 0; turn < 4; turn += 1) {
      const { ending } = await transport.send(outgoing(server.url)).exchange
      kinds.push(ending.kind)
      // The event loop does not read the close before the next request.
      for (const socket of sockets) socket.destroy()
    }
    expect(kinds).toEqual(['complete', 'unreachable', 'complete', 'complete'])
  })
})

test('each event of a stream has the time of the segment that completed it', async () => {
  const golden = goldenStream('\r\n')
  const server = await rawServer(async (socket) => {
    socket.write(
      `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: ${golden.length}\r\n\r\n`,
    )
    await writePieces(socket, cutAt(golden, [golden.indexOf('event: several')]))
  })
  const exchange = await sendRequest(server.url)
  expect(Buffer.from(bodyBytes(exchange)).equals(golden)).toBe(true)
  const times = exchange.response?.chunks.map(({ atMs }) => atMs) ?? []
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  expect(times).toEqual(expect.arrayContaining(exchange.events.map(({ atMs }) => atMs)))
})
