/** Registry of unfinished work: runs, with or without a listening client, and requests. */

export type Runs = ReturnType<typeof runRegistry>

export function runRegistry() {
  const running = new Map<AbortController, Promise<unknown>>()
  return {
    get size() {
      return running.size
    },
    /** Tracks the work until it settles; its signal, made when it is read, is aborted by `abort`. */
    track<Result>(work: (running: Pick<AbortController, 'signal'>) => Promise<Result>) {
      const controller = new AbortController()
      const done = work(controller).finally(() => running.delete(controller))
      running.set(controller, done)
      // A caller that awaits the run receives its failure; without a caller, it must not end the process.
      done.catch(() => {})
      return done
    },
    /** Resolves when no work is left. */
    async idle() {
      while (running.size > 0) await Promise.allSettled(running.values())
    },
    abort() {
      for (const controller of running.keys()) controller.abort()
    },
  }
}
