import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { bodyBytes, bodyText, type Exchange, type Header } from '../../contract/index.ts'
import { maxTimerMs } from '../../contract/timer.ts'
import type { Outgoing } from './conversation.ts'
import { cutAt, goldenStream } from './test-support/golden-stream.ts'
import {
  ended,
  portOf,
  rawServer,
  startForwardProxy,
  startRawServer,
  writePieces,
} from './test-support/listen-on-loopback.ts'
import { outgoing, sendRequest, withTransport } from './test-support/send.ts'
import {
  authority,
  certificate,
  type FrontOptions,
  type Handler,
  startTlsServer,
} from './test-support/tls-front.ts'

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
    ['after interim responses', ['HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', whole]],
  ])('%s', async (_, pieces, end) => {
    const exchange = await ending(async (socket) => {
      await writePieces(socket, pieces)
      if (end === 'closes') socket.end()
    })
    expect(exchange.ending.kind).toBe('complete')
    expect(exchange.response?.status).toBe(200)
    expect(bodyText(exchange)).toBe('hello')
  })

  test('with the maximum timeout of a timer', async () => {
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

  test('by a reset in mid-stream, and keeps the events before', async () => {
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
  test('if the connection is refused', async () => {
    const server = await startRawServer(() => {})
    await server.close()
    const exchange = await sendRequest(server.url)
    expect(exchange.response).toBeNull()
    expect(exchange.ending).toMatchObject({ kind: 'unreachable', code: 'ECONNREFUSED' })
  })

  test.each<[string, (socket: Socket) => unknown, RegExp]>([
    ['the connection is reset before the headers', (socket) => socket.resetAndDestroy(), /./],
    ['the connection is closed before the headers', (socket) => socket.end(), /CONNECTION_CLOSED/],
    ['the response is not HTTP', (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'), /./],
  ])('if %s', async (_, script, code) => {
    const exchange = await ending(script)
    expect(exchange.response).toBeNull()
    expect(exchange.ending).toMatchObject({
      kind: 'unreachable',
      code: expect.stringMatching(code),
    })
  })
})

describe('an exchange times out', () => {
  test('if no headers come', async () => {
    const exchange = await ending(() => {}, { timeoutMs: 60 })
    expect(exchange.response).toBeNull()
    expect(exchange.ending.kind).toBe('timeout')
    expect(exchange.ending.atMs).toBeGreaterThanOrEqual(55)
  })

  test('if a stream falls silent, and keeps the events before', async () => {
    const exchange = await ending(
      (socket) => writePieces(socket, [`${streamHead}content-length: 99\r\n\r\n${event}`]),
      { timeoutMs: 1_000 },
    )
    expect(exchange.ending.kind).toBe('timeout')
    expect(exchange.events).toHaveLength(1)
  })

  test('unless bytes keep arriving within the timeout', async () => {
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

  test('unless the process was stopped while the response arrived', async () => {
    const exchange = await ending(
      (socket) => {
        socket.write(whole)
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
      },
      { timeoutMs: 200 },
    )
    expect(exchange.ending.kind).toBe('complete')
  })

  test('after ten times the timeout if the body never ends', async () => {
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

test('an exchange is aborted after leaveAfterEvents, and its connection is closed', async () => {
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

test('answered resolves before the response ends', async () => {
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

const serve = (...lines: readonly string[]) =>
  rawServer((socket) => socket.write(`${lines.join('\r\n')}\r\n\r\n`))

describe('headers', () => {
  test('of a response keep order and repeated names, in lower case', async () => {
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

  test('of a request are sent unchanged', async () => {
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
  'status %i is returned without following redirects or repeating the request',
  async (status) => {
    const fields = ['location: /elsewhere', 'retry-after: 0', 'content-length: 0']
    const server = await serve(`HTTP/1.1 ${status} So`, ...fields)
    const { response, ending } = await sendRequest(server.url)
    expect([response?.status, ending.kind]).toEqual([status, 'complete'])
    expect(server.heads).toHaveLength(1)
  },
)

test('a body is kept unchanged, and decoded into events only for an event stream', async () => {
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

test('each request opens its own connection after the server closed an idle one', async () => {
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
    socket.write(`${streamHead}content-length: ${golden.length}\r\n\r\n`)
    await writePieces(socket, cutAt(golden, [golden.indexOf('event: several')]))
  })
  const exchange = await sendRequest(server.url)
  expect(Buffer.from(bodyBytes(exchange)).equals(golden)).toBe(true)
  const times = exchange.response?.chunks.map(({ atMs }) => atMs) ?? []
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  expect(times).toEqual(expect.arrayContaining(exchange.events.map(({ atMs }) => atMs)))
})

const hello: Handler = (_, response) => response.end('hello')
const trusting = { ca: authority() }

async function secure(options: FrontOptions = {}, handle = hello) {
  return ended(await startTlsServer(handle, options))
}

describe('a certificate', () => {
  test('is trusted if its authority is configured', async () => {
    const { url } = await secure()
    expect(bodyText(await sendRequest(url, {}, trusting))).toBe('hello')
  })

  test('is not verified with insecure', async () => {
    const { url } = await secure(certificate('expired'))
    expect(bodyText(await sendRequest(url, {}, { insecure: true }))).toBe('hello')
  })

  test('is verified also if NODE_TLS_REJECT_UNAUTHORIZED is 0', async () => {
    onTestFinished(() => void vi.unstubAllEnvs())
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    const { url } = await secure(certificate('self-signed'))
    expect((await sendRequest(url)).response).toBeNull()
  })

  test.each([
    ['server', {}, 'is signed by an unknown authority'],
    ['self-signed', {}, 'is self-signed'],
    ['expired', trusting, 'has expired'],
    ['other-host', trusting, 'is for another host (elsewhere.test) and not for 127.0.0.1'],
  ] as const)('%s is rejected with an explanation', async (name, network, sentence) => {
    const { url, port } = await secure(certificate(name))
    const { ending, response } = await sendRequest(url, {}, network)
    expect(response).toBeNull()
    const error = 'error' in ending ? ending.error : ''
    expect(error).toContain(sentence)
    if (name !== 'other-host') expect(error).toContain(`127.0.0.1:${port}`)
    expect(error).toContain('--insecure')
    expect(error).not.toMatch(/openssl|routines|\n/i)
  })

  test('of the client is sent to a server that requires one', async () => {
    const options = { requestCert: true, rejectUnauthorized: true, ca: authority() }
    const { url } = await secure(options)
    const network = { ...trusting, clientCertificate: certificate('client') }
    expect(bodyText(await sendRequest(url, {}, network))).toBe('hello')
    const over1 = await sendRequest(url, {}, { ...network, httpVersion: 'http1' })
    expect(bodyText(over1)).toBe('hello')
    // The client may notice the end of the connection before the alert.
    const either = /requires a client|side closed/
    const sentences = { auto: /requires a client certificate/, http1: either }
    for (const httpVersion of ['auto', 'http1'] as const) {
      const { ending } = await sendRequest(url, {}, { ...trusting, httpVersion })
      const error = expect.stringMatching(sentences[httpVersion])
      expect(ending).toMatchObject({ kind: 'unreachable', error })
    }
  })
})

test('https on a port without TLS is reported with the http URL', async () => {
  const port = await portOf(createServer((_, response) => response.end()))
  const { ending } = await sendRequest(`https://127.0.0.1:${port}`)
  expect(ending).toMatchObject({
    kind: 'unreachable',
    error: `https://127.0.0.1:${port} does not speak TLS; try http://127.0.0.1:${port}`,
  })
})

test('an address of --resolve is used with the host name in the request', async () => {
  let host: string | undefined
  const front = await secure({}, (request, response) => {
    host = request.authority ?? request.headers.host
    response.end('hello')
  })
  const resolve = [{ host: 'chat.test', port: front.port, address: '127.0.0.1' }]
  const url = `https://chat.test:${front.port}`
  expect(bodyText(await sendRequest(url, {}, { ...trusting, resolve }))).toBe('hello')
  expect(host).toBe(`chat.test:${front.port}`)
  const elsewhere = `https://chat.test:${front.port + 1}`
  expect((await sendRequest(elsewhere, {}, { ...trusting, resolve })).response).toBeNull()
})

describe('a proxy', () => {
  const unnamed = (port: number, scheme = 'https') => `${scheme}://chat.test:${port}`
  const expectFailure = async (url: string, proxy: string, code: string, error: string) => {
    const { ending } = await sendRequest(url, {}, { proxy })
    expect(ending).toMatchObject({ kind: 'unreachable', code, error: `the proxy ${error}` })
  }

  test.each(['auto', 'http1', 'http2'] as const)(
    'opens a tunnel to a target with TLS (%s)',
    async (httpVersion) => {
      const front = await secure()
      const proxy = ended(await startForwardProxy())
      const network = { ...trusting, httpVersion, proxy: proxy.url }
      const exchange = await sendRequest(unnamed(front.port), {}, network)
      expect(bodyText(exchange)).toBe('hello')
      expect(exchange.protocol).toBe(httpVersion === 'http1' ? 'http/1.1' : 'h2')
      expect(proxy.requests).toEqual([`CONNECT chat.test:${front.port}`])
    },
  )

  test('receives the full URL for a target without TLS', async () => {
    const target = await portOf(createServer(({ url }, response) => response.end(url)))
    const proxy = ended(await startForwardProxy())
    const url = `${unnamed(target, 'http')}/a?b=c`
    const exchange = await sendRequest(url, {}, { proxy: proxy.url })
    expect(bodyText(exchange)).toBe('/a?b=c')
    expect(exchange.request.url).toBe(url)
    expect(proxy.requests).toEqual([`GET ${url}`])
  })

  test('gets its own credentials, which the exchange omits', async () => {
    const target = await portOf(createServer((_, response) => response.end('hello')))
    const front = await secure()
    const credential = `Basic ${Buffer.from('bob:pass word').toString('base64')}`
    const proxy = ended(await startForwardProxy({ credential }))
    const network = { ...trusting, proxy: `http://bob:pass%20word@127.0.0.1:${proxy.port}` }
    for (const url of [unnamed(target, 'http'), unnamed(front.port)]) {
      const exchange = await sendRequest(url, {}, network)
      expect(bodyText(exchange)).toBe('hello')
      expect(JSON.stringify(exchange)).not.toMatch(/proxy-auth|bob/i)
    }
    expect(proxy.credentials).toEqual([credential, credential])
  })

  test.each(['http', 'https'])(
    'that requires credentials is named in the error (%s)',
    async (scheme) => {
      const proxy = ended(await startForwardProxy({ credential: 'Basic other' }))
      const error = `127.0.0.1:${proxy.port} requires credentials, or rejects those it received (407)`
      await expectFailure(unnamed(1, scheme), proxy.url, 'PROXY_AUTH', error)
    },
  )

  test('that refuses is named in the error without its password', async () => {
    const proxy = ended(await startForwardProxy({ refuse: 403 }))
    const through = `http://bob:secret@127.0.0.1:${proxy.port}`
    const error = `127.0.0.1:${proxy.port} refuses a connection to chat.test (403)`
    await expectFailure('https://chat.test', through, 'PROXY_REFUSED', error)
  })

  test('that is unreachable is named in the error', async () => {
    const closedProxy = await startRawServer(() => {})
    await closedProxy.close()
    const error = `${new URL(closedProxy.url).host} cannot be reached: ECONNREFUSED`
    for (const url of ['https://chat.test', 'http://chat.test']) {
      await expectFailure(url, closedProxy.url, 'PROXY_UNREACHABLE', error)
    }
  })
})
