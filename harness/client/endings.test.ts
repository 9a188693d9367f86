import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { bodyText, type Exchange } from '../../contract/index.ts'
import { maxTimerMs } from '../../contract/timer.ts'
import type { Outgoing } from './conversation.ts'
import { rawServer, startRawServer, writePieces } from './test-support/listen-on-loopback.ts'
import { outgoing, sendRequest, withTransport } from './test-support/send.ts'

async function ending(
  script: (socket: Socket) => unknown,
  more?: Partial<Outgoing>,
): Promise<Exchange> {
  return sendRequest((await rawServer(script)).url, more)
}

const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n'
const streamHead = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n'
const event = 'event: a\ndata: 1\n\n'
const whole = `${head}content-length: 5\r\n\r\nhello`

describe('an exchange is complete', () => {
  test.each<[string, readonly string[], string?]>([
    ['with a content-length', [whole]],
    [
      'in chunks',
      [`${head}transfer-encoding: chunked\r\n\r\n`, '2\r\nhe\r\n', '3\r\nllo\r\n', '0\r\n\r\n'],
    ],
    ['by a close, as in HTTP/1.0', ['HTTP/1.0 200 OK\r\n\r\nhello'], 'closes'],
    ['by a close, in HTTP/1.1', [`${head}connection: close\r\n\r\nhello`], 'closes'],
    ['after interim answers', ['HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', whole]],
  ])('%s', async (_, pieces, end) => {
    const exchange = await ending(async (socket) => {
      await writePieces(socket, pieces)
      if (end === 'closes') socket.end()
    })
    expect(exchange.ending.kind).toBe('complete')
    expect(exchange.response?.status).toBe(200)
    expect(bodyText(exchange)).toBe('hello')
  })

  test('with the longest timeout that a timer holds', async () => {
    const script = (socket: Socket) => sleep(50).then(() => socket.write(whole))
    const exchange = await ending(script, { timeoutMs: maxTimerMs })
    expect(exchange.ending.kind).toBe('complete')
  })

  test('without a body', async () => {
    const exchange = await ending((socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n'))
    expect(exchange.ending.kind).toBe('complete')
    expect(exchange.response?.chunks).toEqual([])
  })
})

describe('an exchange is cut', () => {
  test.each([
    ['short of its content-length', `${head}content-length: 50\r\n\r\nhello`],
    ['between two chunks', `${head}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n`],
    ['in mid-chunk', `${head}transfer-encoding: chunked\r\n\r\n50\r\nhello`],
  ])('%s', async (_, text) => {
    const exchange = await ending(async (socket) => {
      await writePieces(socket, [text])
      socket.end()
    })
    expect(exchange.ending.kind).toBe('cut')
    expect(bodyText(exchange)).toBe('hello')
  })

  test('by a reset in mid-stream, and keeps what came before', async () => {
    const exchange = await ending(async (socket) => {
      await writePieces(socket, [`${streamHead}transfer-encoding: chunked\r\n\r\n`])
      await writePieces(socket, [`${event.length.toString(16)}\r\n${event}\r\n`])
      await sleep(20)
      socket.resetAndDestroy()
    })
    expect(exchange.ending.kind).toBe('cut')
    expect(exchange.events).toMatchObject([{ name: 'a', data: '1' }])
  })
})

describe('a target is unreachable', () => {
  test('where nothing listens', async () => {
    const server = await startRawServer(() => {})
    await server.close()
    const exchange = await sendRequest(server.url)
    expect(exchange.response).toBeNull()
    expect(exchange.ending).toMatchObject({ kind: 'unreachable', code: 'ECONNREFUSED' })
  })

  test.each<[string, (socket: Socket) => unknown, RegExp]>([
    ['the connection is reset before the headers', (socket) => socket.resetAndDestroy(), /./],
    ['the connection is closed before the headers', (socket) => socket.end(), /CONNECTION_CLOSED/],
    ['the answer is not HTTP', (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'), /./],
  ])('where %s', async (_, script, code) => {
    const exchange = await ending(script)
    expect(exchange.response).toBeNull()
    expect(exchange.ending).toMatchObject({
      kind: 'unreachable',
      code: expect.stringMatching(code),
    })
  })
})

describe('patience ends', () => {
  test('where no headers come', async () => {
    const exchange = await ending(() => {}, { timeoutMs: 60 })
    expect(exchange.response).toBeNull()
    expect(exchange.ending.kind).toBe('timeout')
    expect(exchange.ending.atMs).toBeGreaterThanOrEqual(55)
  })

  test('where a stream falls silent, and keeps what came before', async () => {
    const exchange = await ending(
      (socket) => writePieces(socket, [`${streamHead}content-length: 99\r\n\r\n${event}`]),
      { timeoutMs: 1_000 },
    )
    expect(exchange.ending.kind).toBe('timeout')
    expect(exchange.events).toHaveLength(1)
  })

  test('not where it is slow but says something now and then', async () => {
    const exchange = await ending(
      async (socket) => {
        socket.write(`${head}content-length: 6\r\n\r\n`)
        for (const letter of 'slowly') {
          await sleep(150)
          socket.write(letter)
        }
      },
      { timeoutMs: 600 },
    )
    expect(exchange.ending.kind).toBe('complete')
    expect(bodyText(exchange)).toBe('slowly')
  })

  test('not where this process was stopped when the answer came', async () => {
    const exchange = await ending(
      (socket) => {
        socket.write(whole)
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
      },
      { timeoutMs: 200 },
    )
    expect(exchange.ending.kind).toBe('complete')
  })

  test('where it never ends', async () => {
    const exchange = await ending(
      async (socket) => {
        socket.write(`${head}transfer-encoding: chunked\r\n\r\n`)
        while (!socket.destroyed) {
          socket.write('1\r\n.\r\n')
          await sleep(5)
        }
      },
      { timeoutMs: 250 },
    )
    expect(exchange.ending.kind).toBe('timeout')
    expect(exchange.ending.atMs).toBeGreaterThanOrEqual(2_490)
  })
})

test('we leave on purpose after so many events, and the other side is told', async () => {
  const closed = Promise.withResolvers<void>()
  const exchange = await ending(
    async (socket) => {
      socket.on('close', () => closed.resolve())
      socket.write(`${streamHead}transfer-encoding: chunked\r\n\r\n`)
      while (!socket.destroyed) {
        socket.write(`${event.length.toString(16)}\r\n${event}\r\n`)
        await sleep(2)
      }
    },
    { leaveAfterEvents: 3 },
  )
  expect(exchange.ending.kind).toBe('aborted')
  expect(exchange.events.length).toBeGreaterThanOrEqual(3)
  await closed.promise
})

test('an answer is known of before it has ended', async () => {
  const rest = Promise.withResolvers<void>()
  const { url } = await rawServer(async (socket) => {
    socket.write(`${head}content-length: 5\r\n\r\n`)
    await rest.promise
    socket.write('hello')
  })
  await withTransport(async (transport) => {
    const { answered, exchange } = transport.send(outgoing(url))
    await answered
    rest.resolve()
    expect(bodyText(await exchange)).toBe('hello')
  })
})
