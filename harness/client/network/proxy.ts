/** HTTP proxy: CONNECT, credentials and failures. */
import { request as requestHttps } from 'node:https'
import type { Socket } from 'node:net'
import { codeOf, rootOf } from './failures.ts'

// An import would load all that the module loads lazily, such as Node's own copy of undici: 40 ms.
const { request: requestHttp } = process.getBuiltinModule('node:http')

/** Longest time for the response of a proxy, in milliseconds. */
const connectTimeoutMs = 10_000

/** CONNECT (RFC 9110, section 9.3.6). */
export function openTunnel(proxyUrl: string, target: URL): Promise<Socket> {
  const proxy = new URL(proxyUrl)
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const fail = (code: string, what: string) =>
    reject(new ProxyError(code, `the proxy ${proxy.host} ${what}`))
  const authority = `${target.hostname}:${portOf(target)}`
  const authorization = proxyAuthorization(proxy)
  const open = proxy.protocol === 'https:' ? requestHttps : requestHttp
  const tunnel = open({
    method: 'CONNECT',
    host: proxy.hostname.replace(/^\[|\]$/g, ''),
    port: portOf(proxy),
    path: authority,
    headers: { host: authority, ...(authorization && { 'proxy-authorization': authorization }) },
    agent: false,
    timeout: connectTimeoutMs,
  })
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

/** The proxy made no connection to the target. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError'
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }

  static unreachable({ host }: URL, cause: Error): ProxyError {
    const root = rootOf(cause)
    const message = `the proxy ${host} cannot be reached: ${codeOf(root) ?? root.message}`
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
