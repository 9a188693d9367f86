import { TLSSocket } from 'node:tls'
import type { RunClock } from '../clock.ts'
import type { ChannelPool } from './channel.ts'
import { dial } from './dial.ts'
import { Http1ConnectionPool } from './http1/connection-pool.ts'
import { Http2ConnectionPool } from './http2/connection-pool.ts'
import type { Route } from './route.ts'

/** Makes the connections of a thread, in the version of HTTP that was agreed on. */
export type CreateChannelPool = (
  clock: RunClock,
  keepAlive: boolean,
  maxConnections?: number,
) => ChannelPool

/**
 * Agrees with the target on a version of HTTP: what the options say, or else over TLS what it chooses
 * by ALPN (RFC 7301), and HTTP/1.1 without TLS. A target that cannot be asked is left to the run, which
 * tells what becomes of each request.
 */
export async function negotiateChannelPool(
  route: Route,
  signal: AbortSignal,
): Promise<CreateChannelPool> {
  const version =
    route.httpVersion === 'auto' ? await chosenVersion(route, signal) : route.httpVersion
  return (clock, keepAlive, maxConnections) =>
    version === 'http2'
      ? new Http2ConnectionPool(route, clock, keepAlive, maxConnections)
      : new Http1ConnectionPool(route, clock, keepAlive, maxConnections)
}

const negotiationTimeoutMs = 10_000

function chosenVersion(route: Route, signal: AbortSignal): Promise<'http1' | 'http2'> {
  if (!route.secure) return Promise.resolve('http1')
  return new Promise((resolve) => {
    let version: 'http1' | 'http2' = 'http1'
    const giveUp = () => {
      resolve(version)
      hangUp()
    }
    const hangUp = dial(
      route,
      { alpn: ['h2', 'http/1.1'] },
      {
        socket: () => {},
        ready: (socket) => {
          if (socket instanceof TLSSocket && socket.alpnProtocol === 'h2') version = 'http2'
          giveUp()
        },
        closed: () => {
          clearTimeout(limit)
          signal.removeEventListener('abort', giveUp)
          resolve(version)
        },
      },
    )
    const limit = setTimeout(giveUp, negotiationTimeoutMs)
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp, { once: true })
  })
}
