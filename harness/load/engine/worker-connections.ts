import type { RunClock } from '../clock.ts'
import { type Share, shareOf } from '../concurrency.ts'
import { routeOf } from '../http/dial.ts'
import { type Negotiation, negotiateChannelPool } from '../http/negotiate.ts'
import { endpointTargets, type LoadEndpoint, type LoadTarget } from '../target.ts'

interface Opening extends Negotiation {
  readonly target: LoadTarget
}

/**
 * The connections of one worker to all endpoints. Setup, run and cleanup use separate connections, so that
 * the load begins without warm ones; those of one phase are closed before the next begins.
 */
export class WorkerConnections {
  readonly #openings: readonly Opening[]
  readonly #maxConnections: number | undefined
  #endpoints: readonly LoadEndpoint[] = []
  #closed: number

  /** Agrees with each endpoint on a version of HTTP. */
  static async negotiate(
    { target, maxConnections }: { target: LoadTarget; maxConnections?: number },
    signal: AbortSignal,
  ): Promise<WorkerConnections> {
    const openings = endpointTargets(target).map(async (endpoint) => ({
      target: endpoint,
      ...(await negotiateChannelPool(routeOf(endpoint.baseUrl, endpoint.network), signal)),
    }))
    return new WorkerConnections(await Promise.all(openings), maxConnections)
  }

  private constructor(openings: readonly Opening[], maxConnections: number | undefined) {
    this.#openings = openings
    this.#maxConnections = maxConnections
    this.#closed = openings.reduce((sum, { connections }) => sum + connections, 0)
  }

  /** Number of connections so far. */
  get opened(): number {
    return this.#endpoints.reduce((sum, { channels }) => sum + channels.opened, this.#closed)
  }

  /** Begins a phase; the one before must be closed. */
  open(clock: RunClock, keepAlive: boolean): readonly LoadEndpoint[] {
    this.#endpoints = this.#openings.map(({ target, open }, index) => {
      const share: Share = { index, of: this.#openings.length }
      const max = this.#maxConnections && shareOf(this.#maxConnections, share)
      return { target, channels: open(clock, keepAlive, max) }
    })
    return this.#endpoints
  }

  /** Resolves when the sockets of the phase are closed. */
  async close(): Promise<void> {
    await Promise.all(this.#endpoints.map(({ channels }) => channels.close()))
    this.#closed = this.opened
    this.#endpoints = []
  }
}
