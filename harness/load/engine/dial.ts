import { connect as connectTcp, type OnReadOpts, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import { openTunnel, portOf } from '../../client/index.ts'
import type { Route } from './route.ts'

export interface DialOptions {
  /** Protocols to offer in the TLS handshake (RFC 7301), the preferred one first. */
  readonly alpn: readonly string[]
  /** Reads into this memory instead of emitting `data`. */
  readonly onread?: OnReadOpts
}

export interface DialSink {
  /** The socket that will lead to the target; at once, but behind a proxy. */
  socket(socket: Socket): void
  /** It may be written to. */
  ready(socket: Socket): void
  /** It is closed, or never came to be; called once, and last. */
  gone(error: Error | undefined): void
}

/** Opens a connection to a target, past the proxy and the TLS handshake. Gives what ends it. */
export function dial(route: Route, options: DialOptions, sink: DialSink): () => void {
  const { proxy, secure, host, port } = route
  const { onread } = options
  if (proxy === null) {
    return attach(
      secure
        ? connectTls(tlsOptionsOf(route, options))
        : connectTcp({ host, port, ...(onread === undefined ? {} : { onread }) }),
      secure,
      sink,
    )
  }
  if (route.forward !== null && proxy.protocol === 'http:') {
    const to = { host: proxy.hostname.replace(/^\[|\]$/g, ''), port: portOf(proxy) }
    return attach(connectTcp({ ...to, ...(onread === undefined ? {} : { onread }) }), false, sink)
  }
  return tunnel(route, options, sink)
}

function tunnel(route: Route, options: DialOptions, sink: DialSink): () => void {
  let hangUp: (() => void) | undefined
  let left = false
  openTunnel(route.proxy?.href ?? '', new URL(route.origin)).then(
    (socket) => {
      if (left) {
        socket.destroy()
        sink.gone(undefined)
        return
      }
      const secured = connectTls({ ...tlsOptionsOf(route, options), socket })
      // An end of the tunnel that TLS does not see as one of its own.
      socket.once('close', () => secured.destroy())
      hangUp = attach(secured, true, sink)
    },
    (error: unknown) => sink.gone(error instanceof Error ? error : new Error(String(error))),
  )
  return () => {
    left = true
    hangUp?.()
  }
}

function attach(socket: Socket, secure: boolean, sink: DialSink): () => void {
  let failure: Error | undefined
  socket.setNoDelay(true)
  socket.once(secure ? 'secureConnect' : 'connect', () => sink.ready(socket))
  socket.on('error', (error: Error) => {
    failure = error
  })
  socket.once('close', () => sink.gone(failure))
  sink.socket(socket)
  return () => void socket.destroy()
}

/** The types do not know that `onread` goes for TLS, too (Node's documentation of tls.connect). */
function tlsOptionsOf(
  { host, port, servername, tls }: Route,
  { alpn, onread }: DialOptions,
): ConnectionOptions & { readonly onread?: OnReadOpts } {
  return {
    host,
    port,
    ...(servername === undefined ? {} : { servername }),
    ...tls,
    ALPNProtocols: [...alpn],
    ...(onread === undefined ? {} : { onread }),
  }
}
