import { setTimeout as sleep } from 'node:timers/promises'
import type { Exchange } from '../../../contract/index.ts'
import { createNetworkTransport } from '../../client/index.ts'
import { networkOf } from '../profile/index.ts'
import type { ClientIdentity } from '../run-setup.ts'
import { buildWireRequest } from '../session/requests/wire-request.ts'
import type { SendProbe } from './classify-answer.ts'

/** Maximum duration of an answer, as a multiple of the longest silence of the target. */
const maxTimeouts = 2

/** Sends the requests of a preflight, one try each, within the time of a run. */
export class ProbeClient {
  requests = 0
  readonly #setup: ClientIdentity
  readonly #signal: AbortSignal | undefined
  readonly #transport: ReturnType<typeof createNetworkTransport>
  readonly #endsAt: number

  constructor(setup: ClientIdentity, signal: AbortSignal | undefined) {
    const { profile } = setup
    this.#setup = setup
    this.#signal = signal
    this.#transport = createNetworkTransport(networkOf(profile), profile.limits)
    this.#endsAt = Date.now() + profile.limits.runMs
  }

  async ask(...[spec, address]: Parameters<SendProbe>): Promise<Exchange> {
    const { profile } = this.#setup
    const { timeoutMs } = profile.limits
    const there = { ...this.#setup, profile: { ...profile, ...address } }
    this.requests += 1
    const place = `preflight/${this.requests}`
    // One byte at a time is no silence, and no answer either.
    const late = AbortSignal.timeout(Math.min(timeoutMs * maxTimeouts, this.#leftMs()))
    const { exchange } = this.#transport.send({
      id: place,
      labels: { scenario: 'preflight', ordinal: this.requests, attempt: 0, role: 'liveness' },
      ...buildWireRequest(spec, there, place),
      timeoutMs: Math.min(timeoutMs, this.#leftMs()),
      signal: this.#signal ? AbortSignal.any([this.#signal, late]) : late,
    })
    const answer = await exchange
    this.#signal?.throwIfAborted()
    return answer
  }

  async pause(ms: number): Promise<void> {
    const options = this.#signal ? { signal: this.#signal } : {}
    await sleep(Math.min(ms, this.#leftMs()), undefined, options).catch((error: unknown) => {
      this.#signal?.throwIfAborted()
      throw error
    })
  }

  async close(): Promise<void> {
    await this.#transport.close()
  }

  #leftMs(): number {
    return Math.max(0, this.#endsAt - Date.now())
  }
}
