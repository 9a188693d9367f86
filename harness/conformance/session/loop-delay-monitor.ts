import { performance } from 'node:perf_hooks'

const stepMs = 10

/**
 * Measures the delay of this thread's timers while something that it times is under way. Data that
 * arrived meanwhile was read that much later, together with the data after it.
 */
export function createLoopDelayMonitor() {
  const open = new Set<{ latest: number }>()
  let timer: NodeJS.Timeout | undefined
  let due = 0

  function note(): void {
    const late = performance.now() - due
    for (const watch of open) watch.latest = Math.max(watch.latest, late)
  }

  function tick(): void {
    note()
    due = performance.now() + stepMs
    timer = setTimeout(tick, stepMs)
    timer.unref()
  }

  return {
    /** Begins to look; the result ends it and gives the longest delay, in milliseconds. */
    begin(): () => number {
      const watch = { latest: 0 }
      if (open.size === 0) {
        due = performance.now() + stepMs
        timer = setTimeout(tick, stepMs)
        timer.unref()
      }
      open.add(watch)
      return () => {
        note()
        open.delete(watch)
        if (open.size === 0) clearTimeout(timer)
        return Math.round(watch.latest)
      }
    },
  }
}
