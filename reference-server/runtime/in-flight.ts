/** Count of requests that are being answered. */

export interface InFlight {
  track<Result>(work: Promise<Result>): Promise<Result>
  /** Resolves when there is none. */
  idle(): Promise<void>
}

export function inFlightCount(): InFlight {
  let count = 0
  let waiting: (() => void)[] = []
  return {
    async track(work) {
      count += 1
      try {
        return await work
      } finally {
        count -= 1
        if (count === 0) {
          for (const resolve of waiting) resolve()
          waiting = []
        }
      }
    },
    idle: () => (count === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  }
}
