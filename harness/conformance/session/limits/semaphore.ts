/** Which of so many that wait goes next, from 0. */
export type ChooseWaiter = (waiting: number) => number

const firstWaiter: ChooseWaiter = () => 0

/** Lets at most `slots` holders in at a time, in the order of asking unless `pick` chooses. */
export function createSemaphore(slots: number, pick: ChooseWaiter = firstWaiter) {
  let free = slots
  const waiting: (() => void)[] = []

  function admit(): void {
    while (free > 0 && waiting.length > 0) {
      free -= 1
      const [next] = waiting.splice(pick(waiting.length), 1)
      next?.()
    }
  }

  return {
    async acquire(): Promise<() => void> {
      await new Promise<void>((resolve) => {
        waiting.push(resolve)
        // Those who ask at the same time wait for each other, so that the choice is among all.
        setImmediate(admit)
      })
      let held = true
      return () => {
        if (held) free += 1
        held = false
        admit()
      }
    },
  }
}
