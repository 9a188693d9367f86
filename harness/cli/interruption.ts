const signals = ['SIGINT', 'SIGTERM'] as const

/** One Ctrl-C may come twice: from the terminal, and from npx, which passes signals on. */
const samePressMs = 500

/**
 * Aborted with the reason by the first signal, so that what was found is still written; a second one
 * ends the process at once.
 */
export function watchInterrupts(reason: Error): AbortSignal {
  const interruption = new AbortController()
  let firstAt = 0
  for (const signal of signals) {
    process.on(signal, () => {
      if (!interruption.signal.aborted) {
        firstAt = performance.now()
        interruption.abort(reason)
        return
      }
      if (performance.now() - firstAt < samePressMs) return
      process.removeAllListeners(signal)
      process.kill(process.pid, signal)
    })
  }
  return interruption.signal
}
