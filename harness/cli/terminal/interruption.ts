const signals = ['SIGINT', 'SIGTERM'] as const

/** One Ctrl-C may come twice: from the terminal, and from npx, which passes signals on. */
const samePressMs = 500

const showCursor = '\u001b[?25h'

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
      // A spinner has hidden it, and no longer comes to show it again.
      if (process.stderr.isTTY) process.stderr.write(showCursor)
      process.kill(process.pid, signal)
    })
  }
  return interruption.signal
}
