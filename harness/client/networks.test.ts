import { createServer } from 'node:http'
import { describe, expect, test } from 'vitest'
import { bodyText } from '../../contract/index.ts'
import {
  ended,
  portOf,
  startForwardProxy,
  startRawServer,
} from './test-support/listen-on-loopback.ts'
import { sendRequest } from './test-support/send.ts'
import {
  authority,
  certificate,
  type FrontOptions,
  type Handler,
  startTlsServer,
} from './test-support/tls-front.ts'

const hello: Handler = (_, response) => response.end('hello')
const trusting = { ca: authority() }

async function secure(options: FrontOptions = {}, handle = hello) {
  return ended(await startTlsServer(handle, options))
}

describe('a certificate', () => {
  test('of an authority that is named is trusted', async () => {
    const { url } = await secure()
    expect(bodyText(await sendRequest(url, {}, trusting))).toBe('hello')
  })

  test('of any kind goes where it is not verified', async () => {
    const { url } = await secure(certificate('expired'))
    expect(bodyText(await sendRequest(url, {}, { insecure: true }))).toBe('hello')
  })

  test.each([
    ['server', {}, 'is signed by an unknown authority'],
    ['self-signed', {}, 'is self-signed'],
    ['expired', trusting, 'has expired'],
    ['other-host', trusting, 'is for another host (elsewhere.test) and not for 127.0.0.1'],
  ] as const)('%s is refused with a sentence', async (name, network, sentence) => {
    const { url, port } = await secure(certificate(name))
    const { ending, response } = await sendRequest(url, {}, network)
    expect(response).toBeNull()
    const error = 'error' in ending ? ending.error : ''
    expect(error).toContain(sentence)
    if (name !== 'other-host') expect(error).toContain(`127.0.0.1:${port}`)
    expect(error).toContain('--insecure')
    expect(error).not.toMatch(/openssl|routines|\n/i)
  })

  test('of the client is shown to a server that wants one', async () => {
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

test('https on a port without TLS is told as that', async () => {
  const port = await portOf(createServer((_, response) => response.end()))
  const { ending } = await sendRequest(`https://127.0.0.1:${port}`)
  expect(ending).toMatchObject({
    kind: 'unreachable',
    error: `https://127.0.0.1:${port} does not speak TLS; try http://127.0.0.1:${port}`,
  })
})

test('an address that is named is connected to, under the name of the host', async () => {
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

  test.each(['auto', 'http1', 'http2'] as const)(
    'opens a tunnel to a target on TLS (%s)',
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

  test('is asked for the whole address of a target without TLS', async () => {
    const target = await portOf(createServer(({ url }, response) => response.end(url)))
    const proxy = ended(await startForwardProxy())
    const url = `${unnamed(target, 'http')}/a?b=c`
    const exchange = await sendRequest(url, {}, { proxy: proxy.url })
    expect(bodyText(exchange)).toBe('/a?b=c')
    expect(exchange.request.url).toBe(url)
    expect(proxy.requests).toEqual([`GET ${url}`])
  })

  test('gets its own credentials, and the exchange does not', async () => {
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

  test.each(['http', 'https'])('that wants credentials is named, to %s', async (scheme) => {
    const proxy = ended(await startForwardProxy({ credential: 'Basic other' }))
    const { ending } = await sendRequest(unnamed(1, scheme), {}, { proxy: proxy.url })
    expect(ending).toMatchObject({
      kind: 'unreachable',
      code: 'PROXY_AUTH',
      error: `the proxy 127.0.0.1:${proxy.port} requires credentials, or rejects those it received (407)`,
    })
  })

  test('that refuses is named, and its password is not', async () => {
    const proxy = ended(await startForwardProxy({ refuse: 403 }))
    const through = `http://bob:secret@127.0.0.1:${proxy.port}`
    const { ending } = await sendRequest('https://chat.test', {}, { proxy: through })
    expect(ending).toMatchObject({
      kind: 'unreachable',
      code: 'PROXY_REFUSED',
      error: `the proxy 127.0.0.1:${proxy.port} refuses a connection to chat.test (403)`,
    })
  })

  test('that is not there is named', async () => {
    const closedProxy = await startRawServer(() => {})
    await closedProxy.close()
    for (const url of ['https://chat.test', 'http://chat.test']) {
      const { ending } = await sendRequest(url, {}, { proxy: closedProxy.url })
      expect(ending).toMatchObject({
        kind: 'unreachable',
        code: 'PROXY_UNREACHABLE',
        error: `the proxy ${new URL(closedProxy.url).host} cannot be reached: ECONNREFUSED`,
      })
    }
  })
})
