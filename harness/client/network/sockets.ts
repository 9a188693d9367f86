import { type ClientRequest, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { buildConnector } from 'undici'
import { type NetworkOptions, resolvedAddress, tlsOptions } from './options.ts'

/** Protocols that ALPN offers (RFC 7301); says nothing of a connection without TLS. */
export type Offer = 'http/1.1' | 'h2' | 'both'

export interface SocketOpener {
  /**
   * A connection to the origin of the URL that is ready for its first byte, past the proxy and the
   * TLS handshake.
   * @throws the error of the system, of TLS, a ProxyError or a NoHttp2Error.
   */
  open(url: URL, offer: Offer): Promise<Socket>
}

/** Longest time for a connection to be made, in milliseconds, the TLS handshake included. */
const connectTimeoutMs = 10_000

export function createSocketOpener(network: NetworkOptions): SocketOpener {
  const common = { ...tlsOptions(network), timeout: connectTimeoutMs }
  const connectors = {
    'http/1.1': buildConnector({ ...common, allowH2: false }),
    both: buildConnector({ ...common, allowH2: true, preferH2: true }),
  }

  return {
    async open(url, offer) {
      const { protocol } = url
      const hostname = url.hostname.replace(/^\[|\]$/g, '')
      const port = portOf(url)
      const address = resolvedAddress(network, url.hostname, port) ?? hostname
      const tunnel = network.proxy === null ? undefined : await openTunnel(network.proxy, url)
      if (tunnel !== undefined && protocol === 'http:') return tunnel
      const socket = await connected(connectors[offer === 'http/1.1' ? offer : 'both'], {
        protocol,
        hostname: address,
        host: url.host,
        port: String(port),
        ...(tunnel === undefined ? {} : { httpSocket: tunnel }),
      })
      if (offer === 'h2' && socket instanceof TLSSocket && socket.alpnProtocol !== 'h2') {
        socket.destroy()
        throw new NoHttp2Error()
      }
      return socket
    },
  }
}

/** The server was offered HTTP/2 and chose HTTP/1.1. */
export class NoHttp2Error extends Error {
  override readonly name = 'NoHttp2Error'
  readonly code = 'NO_HTTP2'

  constructor() {
    super('the server does not offer HTTP/2')
  }
}

/** The proxy on the way made no connection to the target. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError'
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }

  static unreachable({ host }: URL, cause: Error): ProxyError {
    const message = `the proxy ${host} cannot be reached: ${reasonOf(cause)}`
    return new ProxyError('PROXY_UNREACHABLE', message, { cause })
  }

  static credentials({ host }: URL): ProxyError {
    return new ProxyError(
      'PROXY_AUTH',
      `the proxy ${host} requires credentials, or rejects those it received (407)`,
    )
  }
}

export function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
}

/** Value of Proxy-Authorization (RFC 9110, section 11.7.2) for the credentials of a proxy URL. */
export function proxyAuthorization({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return `Basic ${Buffer.from(pair).toString('base64')}`
}

function connected(
  connect: buildConnector.connector,
  options: buildConnector.Options,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    connect(options, (error, socket) => {
      if (error === null) resolve(socket)
      else reject(error)
    })
  })
}

/** CONNECT (RFC 9110, section 9.3.6). */
export function openTunnel(proxyUrl: string, target: URL): Promise<Socket> {
  const proxy = new URL(proxyUrl)
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const fail = (code: string, what: string) =>
    reject(new ProxyError(code, `the proxy ${proxy.host} ${what}`))
  const tunnel = connectRequest(proxy, `${target.hostname}:${portOf(target)}`)
  tunnel.on('connect', (answer, socket: Socket, head) => {
    const status = answer.statusCode ?? 0
    if (status >= 200 && status < 300) {
      if (head.length > 0) socket.unshift(head)
      resolve(socket)
      return
    }
    socket.destroy()
    if (status === 407) reject(ProxyError.credentials(proxy))
    else fail('PROXY_REFUSED', `refuses a connection to ${target.host} (${status})`)
  })
  tunnel.on('response', (answer) => {
    answer.destroy()
    fail('PROXY_REFUSED', `refuses a connection to ${target.host} (${answer.statusCode})`)
  })
  tunnel.on('timeout', () => {
    tunnel.destroy()
    fail('PROXY_TIMEOUT', `does not answer within ${connectTimeoutMs / 1000} s`)
  })
  tunnel.on('error', (error) => reject(ProxyError.unreachable(proxy, error)))
  tunnel.end()
  return promise
}

function connectRequest(proxy: URL, authority: string): ClientRequest {
  const authorization = proxyAuthorization(proxy)
  const options = {
    method: 'CONNECT',
    host: proxy.hostname.replace(/^\[|\]$/g, ''),
    port: portOf(proxy),
    path: authority,
    headers: {
      host: authority,
      ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }),
    },
    agent: false as const,
    timeout: connectTimeoutMs,
  }
  return proxy.protocol === 'https:' ? requestHttps(options) : requestHttp(options)
}

function reasonOf(error: Error): string {
  const [first] = error instanceof AggregateError ? error.errors : []
  if (first instanceof Error) return reasonOf(first)
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}

/** True where a TLS handshake succeeds on the port of the URL, whoever the certificate is for. */
export async function speaksTls(network: NetworkOptions, url: URL): Promise<boolean> {
  const secure = new URL(url)
  secure.protocol = 'https:'
  // A default port belongs to the scheme, and the question is about the port.
  secure.port = String(portOf(url))
  try {
    const opener = createSocketOpener({ ...network, insecure: true })
    const socket = await opener.open(secure, 'both')
    socket.destroy()
    return true
  } catch {
    return false
  }
}
