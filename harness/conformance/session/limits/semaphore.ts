/** Picks the next of those that wait, from 0. */
export type ChooseWaiter = (waiting: number) => number

/** Holders that are first are let in before all others, who wait until they have left. */
export interface Priority {
  readonly isFirst: boolean
}

const firstWaiter: ChooseWaiter = () => 0

/** Lets at most `slots` holders in at a time, in the order of asking unless `pick` chooses. */
export function createSemaphore(slots: number, pick: ChooseWaiter = firstWaiter) {
  let free = slots
  let firstInside = 0
  const waiting: (Priority & { readonly resolve: () => void })[] = []

  function admit(): void {
    while (free > 0 && waiting.length > 0) {
      const first = waiting.filter(({ isFirst }) => isFirst)
      if (first.length === 0 && firstInside > 0) return
      const eligible = first.length > 0 ? first : waiting
      const next = eligible[pick(eligible.length)]
      if (next === undefined) return
      waiting.splice(waiting.indexOf(next), 1)
      free -= 1
      if (next.isFirst) firstInside += 1
      next.resolve()
    }
  }

  return {
    async acquire({ isFirst }: Priority = { isFirst: false }): Promise<() => void> {
      await new Promise<void>((resolve) => {
        waiting.push({ isFirst, resolve })
        // Those who ask at the same time wait for each other, so that the choice is among all.
        setImmediate(admit)
      })
      let held = true
      return () => {
        if (held) free += 1
        if (held && isFirst) firstInside -= 1
        held = false
        admit()
      }
    },
  }
}

/** The slot of one holder of a semaphore, which others may use while the holder waits. */
export interface Slot {
  release(): void
  /** Gives the slot to others while `wait` runs, and takes one again afterwards. */
  lend<T>(wait: () => Promise<T>): Promise<T>
}

export async function acquireSlot(
  { acquire }: Pick<ReturnType<typeof createSemaphore>, 'acquire'>,
  priority?: Priority,
): Promise<Slot> {
  let release = await acquire(priority)
  let isReleased = false
  let borrowers = 0
  let taking: Promise<void> | undefined

  async function takeAgain(): Promise<void> {
    release = await acquire(priority)
    taking = undefined
    if (isReleased) release()
  }

  return {
    release() {
      isReleased = true
      release()
    },
    async lend(wait) {
      borrowers += 1
      // Requests of one scenario that overlap may wait at the same time.
      if (borrowers === 1 && taking === undefined) release()
      try {
        return await wait()
      } finally {
        borrowers -= 1
        if (borrowers === 0) taking ??= takeAgain()
        await taking
      }
    },
  }
}
