import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { type NetworkOptions, resolvedAddress, tlsOptions } from './options.ts'
import { openTunnel, portOf } from './proxy.ts'

/** Protocols that ALPN offers (RFC 7301); unused without TLS. */
type Offer = 'http/1.1' | 'h2' | 'both'

/** Timeout of a connection attempt, TLS handshake included, in milliseconds. */
const connectTimeoutMs = 10_000
/** Silence after which the system probes a connection, so that a NAT keeps it. */
const keepAliveMs = 60_000

export function createSocketOpener(network: NetworkOptions) {
  const tls = tlsOptions(network)
  /** Last TLS session of each origin, to resume (RFC 8446, section 2.2). */
  const sessions = new Map<string, Buffer>()

  return {
    /**
     * A connection to the origin of the URL that is ready for its first byte: the proxy and the TLS handshake
     * are done.
     * @throws the error of the system, of TLS, a ProxyError, or NO_HTTP2 if the server chose HTTP/1.1.
     */
    async open(url: URL, offer: Offer): Promise<Socket> {
      const hostname = url.hostname.replace(/^\[|\]$/g, '')
      const port = portOf(url)
      const address = resolvedAddress(network, url.hostname, port) ?? hostname
      const tunnel = network.proxy === null ? undefined : await openTunnel(network.proxy, url)
      const options = { host: address, port }
      if (url.protocol === 'http:') {
        return tunnel ?? connected(connectTcp(options), 'connect')
      }
      const ALPNProtocols = offer === 'http/1.1' ? ['http/1.1'] : ['h2', 'http/1.1']
      const socket = connectTls({
        ...options,
        ...tls,
        ALPNProtocols,
        // An address has no name in the handshake (RFC 6066, section 3).
        ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
        ...(tunnel === undefined ? {} : { socket: tunnel }),
        session: sessions.get(url.origin),
      })
      socket.on('session', (session) => sessions.set(url.origin, session))
      await connected(socket, 'secureConnect')
      if (offer === 'h2' && socket.alpnProtocol !== 'h2') {
        socket.destroy()
        const message = 'the server does not offer HTTP/2'
        throw Object.assign(new Error(message), { code: 'NO_HTTP2' })
      }
      return socket
    },
  }
}

async function connected<S extends Socket>(
  socket: S,
  event: 'connect' | 'secureConnect',
): Promise<S> {
  // As options of tls.connect, Node 22 ignores them.
  socket.setNoDelay(true).setKeepAlive(true, keepAliveMs)
  const timeout = (cause?: unknown) =>
    Object.assign(new Error(`no connection within ${connectTimeoutMs / 1000} s`, { cause }), {
      code: 'UND_ERR_CONNECT_TIMEOUT',
    })
  const timer = setTimeout(() => socket.destroy(timeout()), connectTimeoutMs)
  try {
    await once(socket, event)
    // Until the protocol that uses the socket listens, an error must not end the process.
    return socket.on('error', () => {})
  } catch (error) {
    // Of a host with several addresses, each attempt may time out by itself.
    const attempts: readonly { code?: string }[] =
      error instanceof AggregateError ? error.errors : []
    throw attempts.some(({ code }) => code === 'ETIMEDOUT') ? timeout(error) : error
  } finally {
    clearTimeout(timer)
  }
}

/** True if a TLS handshake succeeds on the port of the URL, with any certificate. */
export async function speaksTls(network: NetworkOptions, url: URL): Promise<boolean> {
  const secure = new URL(url)
  secure.protocol = 'https:'
  // The default port changes with the scheme, but this port is tested.
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
