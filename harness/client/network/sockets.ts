import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { buildConnector } from 'undici'
import { type NetworkOptions, resolvedAddress, tlsOptions } from './options.ts'
import { openTunnel, portOf } from './proxy.ts'

/** Protocols that ALPN offers (RFC 7301); unused without TLS. */
type Offer = 'http/1.1' | 'h2' | 'both'

/** Timeout of a connection attempt, TLS handshake included, in milliseconds. */
const connectTimeoutMs = 10_000

export function createSocketOpener(network: NetworkOptions) {
  const common = { ...tlsOptions(network), timeout: connectTimeoutMs }
  let connectors: Promise<Record<'http/1.1' | 'both', buildConnector.connector>> | undefined
  const load = async () => {
    const { buildConnector } = await import('undici')
    return {
      'http/1.1': buildConnector({ ...common, allowH2: false }),
      both: buildConnector({ ...common, allowH2: true, preferH2: true }),
    }
  }

  return {
    /**
     * A connection to the origin of the URL that is ready for its first byte: the proxy and the TLS handshake
     * are done.
     * @throws the error of the system, of TLS, a ProxyError or a NoHttp2Error.
     */
    async open(url: URL, offer: Offer): Promise<Socket> {
      const { protocol } = url
      const hostname = url.hostname.replace(/^\[|\]$/g, '')
      const port = portOf(url)
      const address = resolvedAddress(network, url.hostname, port) ?? hostname
      const tunnel = network.proxy === null ? undefined : await openTunnel(network.proxy, url)
      if (tunnel !== undefined && protocol === 'http:') return tunnel
      if (protocol === 'http:') return connectedPlainly(address, port)
      // Loading undici takes 40 ms, which plain HTTP need not wait for.
      connectors ??= load()
      const connector = (await connectors)[offer === 'http/1.1' ? offer : 'both']
      const socket = await connected(connector, {
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

async function connectedPlainly(host: string, port: number): Promise<Socket> {
  const socket = connect({ host, port, noDelay: true, keepAlive: true })
  const timer = setTimeout(() => {
    const error = new Error(`no connection within ${connectTimeoutMs / 1000} s`)
    socket.destroy(Object.assign(error, { code: 'UND_ERR_CONNECT_TIMEOUT' }))
  }, connectTimeoutMs)
  try {
    await once(socket, 'connect')
    return socket
  } finally {
    clearTimeout(timer)
  }
}

/** The server was offered HTTP/2 and chose HTTP/1.1. */
class NoHttp2Error extends Error {
  override readonly name = 'NoHttp2Error'
  readonly code = 'NO_HTTP2'

  constructor() {
    super('the server does not offer HTTP/2')
  }
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
