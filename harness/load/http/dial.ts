import { connect as connectTcp, isIP, type OnReadOpts, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls, createSecureContext } from 'node:tls'
import { openTunnel, portOf, proxyAuthorization } from '../../client/network/proxy.ts'
import {
  directNetwork,
  type NetworkOptions,
  resolvedAddress,
  tlsOptions,
} from '../../client/network/sockets.ts'

interface DialOptions {
  /** Protocols to offer in the TLS handshake (RFC 7301), the preferred one first. */
  readonly alpn: readonly string[]
  /** Direct reads; without them, the socket emits `data`. */
  readonly read?: DirectRead
}

/** Reads of a socket into one piece of memory. */
interface DirectRead {
  readonly memory: Uint8Array
  /** Returns true to continue reading. */
  readonly onBytes: (bytes: number) => boolean
}

interface DialSink {
  /** The socket can be written to. */
  ready(socket: Socket): void
  /** The socket is closed, or failed to connect; called once, and last. `reached`: the peer saw it. */
  closed(error: Error | undefined, reached: boolean): void
}

/** Opens a connection to a target, including proxy and TLS handshake. Returns a function that closes it. */
export function dial(route: Route, options: DialOptions, sink: DialSink): () => void {
  const { proxy, secure, address } = route
  // The types lack `onread` for TLS, which Node supports (documentation of tls.connect).
  const { read } = options
  const onread = read && { buffer: read.memory, callback: read.onBytes }
  const direct: { readonly onread?: OnReadOpts } = onread === undefined ? {} : { onread }
  if (proxy === null) {
    const socket = secure
      ? connectTls({ ...tlsOptionsOf(route, options), ...direct })
      : connectTcp({ ...address, ...direct })
    return attach(socket, secure, sink)
  }
  if (route.forward !== null) {
    const to = { host: proxy.hostname.replace(/^\[|\]$/g, ''), port: portOf(proxy) }
    return attach(connectTcp({ ...to, ...direct }), false, sink)
  }
  return tunnel(route, options, sink)
}

function tunnel(route: Route, options: DialOptions, sink: DialSink): () => void {
  let hangUp: (() => void) | undefined
  let left = false
  openTunnel(route.proxy?.href ?? '', new URL(route.origin)).then(
    (socket) => {
      if (left) {
        socket.once('close', () => sink.closed(undefined, true)).destroy()
        return
      }
      const inner = route.secure ? connectTls({ ...tlsOptionsOf(route, options), socket }) : socket
      // TLS does not treat the end of the tunnel as its own end.
      if (inner !== socket) socket.once('close', () => inner.destroy())
      if (options.read !== undefined) readThrough(inner, options.read)
      hangUp = attach(inner, route.secure, sink)
      if (!route.secure) queueMicrotask(() => sink.ready(inner))
    },
    (error: unknown) =>
      sink.closed(error instanceof Error ? error : new Error(String(error)), false),
  )
  return () => {
    left = true
    hangUp?.()
  }
}

function attach(socket: Socket, secure: boolean, sink: DialSink): () => void {
  let failure: Error | undefined
  let connected = !socket.connecting
  socket.setNoDelay(true)
  socket.once('connect', () => {
    connected = true
  })
  socket.once(secure ? 'secureConnect' : 'connect', () => sink.ready(socket))
  socket.on('error', (error: Error) => {
    failure = error
  })
  // The kernel of the peer may have accepted an attempt that was abandoned without an error.
  socket.once('close', () => sink.closed(failure, connected || failure === undefined))
  return () => void socket.destroy()
}

/** Node has no `onread` for TLS over an existing socket. */
function readThrough(socket: Socket, { memory, onBytes }: DirectRead): void {
  socket.on('data', (bytes: Buffer) => {
    for (let from = 0; from < bytes.length; from += memory.length) {
      const part = bytes.subarray(from, from + memory.length)
      memory.set(part)
      onBytes(part.length)
    }
  })
}

function tlsOptionsOf({ address, tls }: Route, { alpn }: DialOptions): ConnectionOptions {
  return { ...address, ...tls, ALPNProtocols: [...alpn] }
}

export type Route = ReturnType<typeof routeOf>

/** A request in absolute form (RFC 9112, section 3.2.2). */
export interface Forward {
  readonly authorization: string | undefined
}

/**
 * Route of a worker's connections to the target; built once, because certificates are read for it.
 * @throws Node's error if a certificate or a key is invalid
 */
export function routeOf(baseUrl: string, network: NetworkOptions = directNetwork) {
  const url = new URL(baseUrl)
  const { protocol, hostname, origin } = url
  const secure = protocol === 'https:'
  const name = hostname.replace(/^\[|\]$/g, '')
  const port = portOf(url)
  const proxy = network.proxy === null ? null : new URL(network.proxy)
  const isForwarded = proxy?.protocol === 'http:' && !secure
  const forward: Forward | null = isForwarded ? { authorization: proxyAuthorization(proxy) } : null
  return {
    secure,
    /** Address to connect to; behind a proxy, that of the CONNECT request. */
    address: { host: resolvedAddress(network, hostname, port) ?? name, port },
    tls: secure ? tlsOf(network, name) : {},
    httpVersion: network.httpVersion,
    /** Base address of the target: scheme and authority only. */
    origin,
    proxy,
    /** Settings of requests that a proxy forwards; null for a direct connection or a tunnel. */
    forward,
  }
}

function tlsOf(network: NetworkOptions, name: string): ConnectionOptions {
  const { rejectUnauthorized, ...context } = tlsOptions(network)
  return {
    // An address has no name in the handshake (RFC 6066, section 3).
    ...(isIP(name) === 0 ? { servername: name } : {}),
    ...(Object.keys(context).length === 0 ? {} : { secureContext: createSecureContext(context) }),
    rejectUnauthorized,
  }
}
