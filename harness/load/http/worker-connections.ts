import { TLSSocket } from 'node:tls'
import type { RunClock } from '../clock.ts'
import { shareOf } from '../plan/plan.ts'
import { endpointTargets, type LoadEndpoint, type LoadTarget } from '../target.ts'
import type { ChannelPool } from './channel.ts'
import { dial, type Route, routeOf } from './dial.ts'
import { Http1ConnectionPool } from './http1/connection-pool.ts'

/**
 * Agrees with the target on a version of HTTP: that of the options, or the one that the target chooses by
 * ALPN (RFC 7301); HTTP/1.1 without TLS. If the target cannot be reached, the run reports the outcome of each
 * request.
 */
export async function negotiateChannelPool(route: Route, signal: AbortSignal) {
  const isAsked = route.httpVersion === 'auto' && route.secure
  const { version, connections } = isAsked
    ? await chosenVersion(route, signal)
    : { version: route.httpVersion === 'http2' ? 'http2' : 'http1', connections: 0 }
  // Loaded on demand: Node takes 20 ms to compile its HTTP/2.
  const Pool =
    version === 'http2'
      ? (await import('./http2/connection-pool.ts')).Http2ConnectionPool
      : Http1ConnectionPool
  return {
    /** Creates the connections of a thread. */
    open: (clock: RunClock, keepAlive: boolean, maxConnections?: number): ChannelPool =>
      new Pool(route, clock, keepAlive, maxConnections),
    /** Number of connections that the agreement took. */
    connections,
  }
}

const negotiationTimeoutMs = 10_000

/** Resolves when the connection is closed again. */
function chosenVersion(
  route: Route,
  signal: AbortSignal,
): Promise<{ version: ChannelPool['httpVersion']; connections: number }> {
  return new Promise((resolve) => {
    let version: ChannelPool['httpVersion'] = 'http1'
    const hangUp = dial(
      route,
      { alpn: ['h2', 'http/1.1'] },
      {
        ready: (socket) => {
          if (socket instanceof TLSSocket && socket.alpnProtocol === 'h2') version = 'http2'
          hangUp()
        },
        closed: (_error, reached) => {
          clearTimeout(limit)
          signal.removeEventListener('abort', hangUp)
          resolve({ version, connections: reached ? 1 : 0 })
        },
      },
    )
    const limit = setTimeout(hangUp, negotiationTimeoutMs)
    if (signal.aborted) hangUp()
    else signal.addEventListener('abort', hangUp, { once: true })
  })
}

/**
 * The connections of one worker to all endpoints, with each of which it agrees on a version of HTTP. Setup, run
 * and cleanup use separate connections, so that the load begins without warm ones; those of one phase are closed
 * before the next begins.
 */
export async function workerConnections(
  { target, maxConnections }: { target: LoadTarget; maxConnections?: number },
  signal: AbortSignal,
) {
  const openings = await Promise.all(
    endpointTargets(target).map(async (endpoint) => ({
      target: endpoint,
      ...(await negotiateChannelPool(routeOf(endpoint.baseUrl, endpoint.network), signal)),
    })),
  )
  let endpoints: readonly LoadEndpoint[] = []
  let closed = openings.reduce((sum, { connections }) => sum + connections, 0)
  /** Number of connections so far. */
  const opened = () => endpoints.reduce((sum, { channels }) => sum + channels.opened, closed)
  return {
    opened,
    /** Begins a phase; the one before must be closed. */
    open(clock: RunClock, keepAlive: boolean): readonly LoadEndpoint[] {
      endpoints = openings.map(({ target, open }, index) => {
        const max = maxConnections && shareOf(maxConnections, { index, of: openings.length })
        return { target, channels: open(clock, keepAlive, max) }
      })
      return endpoints
    },
    /** Resolves when the sockets of the phase are closed. */
    async close(): Promise<void> {
      await Promise.all(endpoints.map(({ channels }) => channels.close()))
      closed = opened()
      endpoints = []
    },
  }
}
