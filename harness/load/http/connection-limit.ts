interface Waiting {
  readonly count: number
  /** Undefined once the wait has ended. */
  grant: (() => void) | undefined
}

/** Maximum wait for closed sockets, e.g. of a proxy that never answers CONNECT. */
const closeTimeoutMs = 2000

/**
 * Gate to the connections of one thread to one endpoint: counts the open ones and queues requests, in order,
 * while the limit allows no further one.
 */
export class ConnectionLimit {
  /** Connections so far, without attempts that failed. */
  opened = 0
  readonly #max: number
  readonly #countIdle: () => number
  #waiting: Waiting[] = []
  #open = 0
  #onNoneOpen: (() => void) | undefined

  /** @param countIdle number of open connections that may be used at once */
  constructor(max: number, countIdle: () => number) {
    this.#max = max
    this.#countIdle = countIdle
  }

  /** Number of further connections that may be opened now. */
  get room(): number {
    return this.#max - this.#open
  }

  /** Calls `grant` once `count` connections are idle or may be opened; returns a function that ends the wait. */
  wait(count: number, grant: () => void): () => void {
    if (count > this.#max)
      throw new RangeError(`${count} connections exceed the limit ${this.#max}`)
    const own: Waiting = { count, grant }
    this.#waiting.push(own)
    this.serve()
    return () => {
      own.grant = undefined
      this.serve()
    }
  }

  /** Grants the waits that the limit allows; called whenever a connection becomes idle. */
  serve(): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      const { count, grant } = first
      if (grant !== undefined && this.room < count && this.room + this.#countIdle() < count) return
      this.#waiting.shift()
      grant?.()
    }
  }

  /** Counts a connection; called before it is opened. */
  opening(): void {
    this.opened += 1
    this.#open += 1
  }

  /** Counts down; called when the socket of a connection is closed. `reached`: the peer saw it. */
  closed(reached: boolean): void {
    if (!reached) this.opened -= 1
    this.#open -= 1
    if (this.#open === 0) this.#onNoneOpen?.()
    this.serve()
  }

  /** Ends all waits; resolves when no connection is open. */
  async close(): Promise<void> {
    this.#waiting = []
    if (this.#open === 0) return
    await new Promise<void>((resolve) => {
      const timeout = setTimeout(resolve, closeTimeoutMs)
      this.#onNoneOpen = () => {
        clearTimeout(timeout)
        resolve()
      }
    })
  }
}
