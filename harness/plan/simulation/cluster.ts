import type { ServiceModel } from '../service-model.ts'
import { Replica } from './replica.ts'
import type { Requests } from './requests.ts'

export type Balance = 'round-robin' | 'least-connections'

/** Replicas behind a load balancer that learns of each request and its end immediately. */
export class Cluster {
  readonly #replicas: readonly Replica[]
  readonly #balance: Balance
  readonly #nextEventMs: number[]
  #last = -1

  constructor(model: ServiceModel, replicas: number, balance: Balance, requests: Requests) {
    this.#replicas = Array.from({ length: replicas }, () => new Replica(model, requests))
    this.#nextEventMs = this.#replicas.map(() => Number.POSITIVE_INFINITY)
    this.#balance = balance
  }

  /** Passes a request on; false if it is refused. */
  arrive(id: number, ms: number): boolean {
    this.runUntil(ms)
    const at = this.#choose(ms)
    this.#last = at
    const isAccepted = this.#replicas[at]?.arrive(id, ms) ?? false
    this.#update(at)
    return isAccepted
  }

  /** Runs every event before a time, in order. */
  runUntil(ms: number): void {
    while (this.nextEventMs < ms) this.runNextEvent()
  }

  /** Infinite when all are idle. */
  get nextEventMs(): number {
    return this.#nextEventMs[this.#earliest] ?? Number.POSITIVE_INFINITY
  }

  runNextEvent(): void {
    const at = this.#earliest
    this.#replicas[at]?.advance(Number.POSITIVE_INFINITY)
    this.#update(at)
  }

  get #earliest(): number {
    let earliest = 0
    for (let at = 1; at < this.#nextEventMs.length; at++) {
      if ((this.#nextEventMs[at] ?? 0) < (this.#nextEventMs[earliest] ?? 0)) earliest = at
    }
    return earliest
  }

  #update(at: number): void {
    this.#nextEventMs[at] = this.#replicas[at]?.nextEventMs ?? Number.POSITIVE_INFINITY
  }

  /** Picks a replica; ties of least connections are broken in turn. */
  #choose(ms: number): number {
    const { length } = this.#replicas
    const next = (this.#last + 1) % length
    if (this.#balance === 'round-robin' || length === 1) return next
    let best = next
    let minInFlight = Number.POSITIVE_INFINITY
    for (let step = 0; step < length; step++) {
      const at = (next + step) % length
      const inFlight = this.#replicas[at]?.inFlightAt(ms) ?? 0
      if (inFlight < minInFlight) {
        best = at
        minInFlight = inFlight
      }
    }
    return best
  }
}
