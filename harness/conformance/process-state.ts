const signals = ['SIGINT', 'SIGTERM'] as const
const lastResorts = ['uncaughtException', 'unhandledRejection'] as const
type ProcessEvent = (typeof signals)[number] | (typeof lastResorts)[number]

/**
 * vitest takes the process for its own: it ends it on a signal, forbids `process.exit`, swallows
 * what nobody catches and sets an exit code. Whoever runs us finds the process as it was.
 */
export function keepProcess(): {
  /** An interrupted run of ours still reports what it found. */
  signals(): void
  all(): void
} {
  const listeners = new Map(
    [...signals, ...lastResorts].map((event) => [event, process.rawListeners(event)]),
  )
  const { exit, exitCode } = process

  function restore(event: ProcessEvent): void {
    for (const listener of process.rawListeners(event)) {
      if (!listeners.get(event)?.includes(listener)) process.off(event, listener as () => void)
    }
  }

  return {
    signals: () => signals.forEach(restore),
    all() {
      signals.forEach(restore)
      lastResorts.forEach(restore)
      process.exit = exit
      process.exitCode = exitCode
    },
  }
}
