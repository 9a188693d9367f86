import { eraseStatus } from './io.ts'

/** Ctrl-C, `kill`, and a terminal that is closed. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** One Ctrl-C may arrive twice: from the terminal, and from npx, which forwards signals. */
const samePressMs = 500

/**
 * Signal that is aborted by the first of these signals, so that partial results are still written; a
 * second one kills the process.
 */
export function watchInterrupts(reason: Error): AbortSignal {
  const interruption = new AbortController()
  let firstAt = 0
  for (const signal of signals) {
    const early = process.rawListeners(signal)
    process.on(signal, () => {
      if (!interruption.signal.aborted) {
        firstAt = performance.now()
        interruption.abort(reason)
        return
      }
      if (performance.now() - firstAt < samePressMs) return
      process.removeAllListeners(signal)
      eraseStatus()
      process.kill(process.pid, signal)
    })
    // Removes those of bin/chatgen.cjs, which exit at once. There is always a listener.
    for (const listener of early) process.off(signal, listener as () => void)
  }
  return interruption.signal
}
