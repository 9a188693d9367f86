import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, getCACertificates, type SecureContextOptions } from 'node:tls'
import { openTunnel, portOf } from './proxy.ts'

/** Protocols that ALPN offers (RFC 7301); unused without TLS. */
type Offer = 'http/1.1' | 'h2' | 'both'

/** Timeout of a connection attempt, TLS handshake included, in milliseconds. */
const connectTimeoutMs = 10_000
/** Silence after which the system probes a connection, so that a NAT keeps it. */
const keepAliveMs = 60_000

/** Opens connections that are ready for their first byte: the proxy and the TLS handshake are done. */
export function createSocketOpener(network: NetworkOptions) {
  const tls = tlsOptions(network)
  /** Last TLS session of each origin, to resume (RFC 8446, section 2.2). */
  const sessions = new Map<string, Buffer>()

  /** @throws the error of the system, of TLS, a ProxyError, or NO_HTTP2 if the server chose HTTP/1.1. */
  return async (url: URL, offer: Offer): Promise<Socket> => {
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
    const socket = await createSocketOpener({ ...network, insecure: true })(secure, 'both')
    socket.destroy()
    return true
  } catch {
    return false
  }
}

/**
 * Network access to a target: HTTP version, TLS, proxy and addresses. Check, init, cleanup and load
 * share it; it survives a structured clone.
 */
export interface NetworkOptions {
  /**
   * `auto`: over TLS the server chooses by ALPN, with HTTP/2 offered first; without TLS HTTP/1.1.
   * `http2` without TLS is HTTP/2 with prior knowledge (RFC 9113, section 3.3).
   */
  readonly httpVersion: 'auto' | 'http1' | 'http2'
  /** PEM text of certificate authorities to trust in addition to Node's own; null for none. */
  readonly ca: string | null
  /** True: certificates of the target are not verified. */
  readonly insecure: boolean
  /** PEM texts of the client certificate and its key; null for none. */
  readonly clientCertificate: { readonly cert: string; readonly key: string } | null
  /** URL of the HTTP proxy, with its credentials; null for a direct connection. */
  readonly proxy: string | null
  /** Addresses to connect to instead of those from DNS. */
  readonly resolve: readonly Resolution[]
}

export interface Resolution {
  readonly host: string
  readonly port: number
  /** IPv4 or IPv6 address, without brackets. */
  readonly address: string
}

/** A direct connection that trusts Node's authorities. */
export const directNetwork: NetworkOptions = {
  httpVersion: 'auto',
  ca: null,
  insecure: false,
  clientCertificate: null,
  proxy: null,
  resolve: [],
}

/** The TLS options of every connection to the target, for `tls.connect`. */
export function tlsOptions(
  network: NetworkOptions,
): SecureContextOptions & { rejectUnauthorized: boolean } {
  const { ca, insecure, clientCertificate } = network
  return {
    // `ca` replaces Node's own authorities, so these are included.
    ...(ca === null ? {} : { ca: [...getCACertificates('default'), ca] }),
    ...(clientCertificate ?? {}),
    // NODE_TLS_REJECT_UNAUTHORIZED would decide otherwise, and no report would say so.
    rejectUnauthorized: !insecure,
  }
}

/** The address that `resolve` names for a host and port; undefined if it names none. */
export function resolvedAddress(
  { resolve }: NetworkOptions,
  host: string,
  port: number,
): string | undefined {
  const name = host.toLowerCase()
  return resolve.find((entry) => entry.host.toLowerCase() === name && entry.port === port)?.address
}
