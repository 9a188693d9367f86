const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const lastResorts = ['uncaughtException', 'unhandledRejection'] as const
type ProcessEvent = (typeof signals)[number] | (typeof lastResorts)[number]

/**
 * vitest takes the process for its own: it ends it on a signal, forbids `process.exit`, swallows
 * what nobody catches and sets an exit code. Whoever runs us finds the process as it was.
 */
export function saveProcessState(): {
  /** A run that is interrupted, or that a slip of ours meets, still reports what it found. */
  listeners(): void
  /** vitest reports what nobody catches only if no one else listens; the result listens again. */
  detachListeners(): () => void
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

  function restoreAll(): void {
    for (const event of [...signals, ...lastResorts]) restore(event)
  }

  return {
    listeners: restoreAll,
    detachListeners() {
      const own = lastResorts.flatMap((event) =>
        (listeners.get(event) ?? []).map((listener) => ({
          event,
          listener: listener as () => void,
        })),
      )
      for (const { event, listener } of own) process.off(event, listener)
      return () => {
        for (const { event, listener } of own) process.on(event, listener)
      }
    },
    all() {
      restoreAll()
      process.exit = exit
      process.exitCode = exitCode
    },
  }
}
