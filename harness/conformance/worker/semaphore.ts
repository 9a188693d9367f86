/** Lets at most `slots` holders in at a time, in the order of asking. */
export function createSemaphore(slots: number) {
  let free = slots
  const waiting: (() => void)[] = []

  function release(): void {
    const next = waiting.shift()
    if (next) next()
    else free += 1
  }

  return {
    async acquire(): Promise<() => void> {
      if (free > 0) free -= 1
      else await new Promise<void>((resolve) => waiting.push(resolve))
      let held = true
      return () => {
        if (held) release()
        held = false
      }
    },
  }
}
