/** Registry of unfinished work: runs, with or without a listening client, and requests. */

export interface Runs {
  readonly size: number
  /** Tracks the work until it settles; its signal, made when it is read, is aborted by `abort`. */
  track<Result>(
    work: (running: { readonly signal: AbortSignal }) => Promise<Result>,
  ): Promise<Result>
  /** Resolves when no work is left. */
  idle(): Promise<void>
  abort(): void
}

export function runRegistry(): Runs {
  const running = new Map<AbortController, Promise<unknown>>()
  return {
    get size() {
      return running.size
    },
    track(work) {
      const controller = new AbortController()
      const done = work(controller).finally(() => running.delete(controller))
      running.set(controller, done)
      // A caller that awaits the run receives its failure; without a caller, it must not end the process.
      done.catch(() => {})
      return done
    },
    async idle() {
      while (running.size > 0) await Promise.allSettled(running.values())
    },
    abort() {
      for (const controller of running.keys()) controller.abort()
    },
  }
}
