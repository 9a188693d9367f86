/** Chooses the next waiter, by index. */
export type ChooseWaiter = (waiting: number) => number

/** Holders with `isFirst` are admitted before all others, who wait until these have left. */
export interface Priority {
  readonly isFirst: boolean
}

interface Waiter extends Priority {
  /** Returning after lending its slot: admitted before new holders. */
  readonly isBack: boolean
  readonly resolve: () => void
}

const firstWaiter: ChooseWaiter = () => 0

/** Maximum number of holders that lend their slot, for each slot after the first. */
const awayPerSlot = 4

/** Admits at most `slots` holders at a time, in the order of arrival unless `pick` chooses. */
export function createSemaphore(slots: number, pick: ChooseWaiter = firstWaiter) {
  let free = slots
  let firstInside = 0
  let away = 0
  const waiting: Waiter[] = []

  function admit(): void {
    while (free > 0 && waiting.length > 0) {
      const back = waiting.filter(({ isBack }) => isBack)
      const first = waiting.filter(({ isFirst }) => isFirst)
      const begun = back.length > 0 ? back : first
      if (begun.length === 0 && firstInside > 0) return
      const eligible = begun.length > 0 ? begun : waiting
      const next = eligible[pick(eligible.length)]
      if (next === undefined) return
      waiting.splice(waiting.indexOf(next), 1)
      free -= 1
      if (next.isFirst) firstInside += 1
      next.resolve()
    }
  }

  async function enter({ isFirst, isBack }: Omit<Waiter, 'resolve'>): Promise<() => void> {
    await new Promise<void>((resolve) => {
      waiting.push({ isFirst, isBack, resolve })
      // Admits only after all concurrent calls, so that the choice is among all of them.
      setImmediate(admit)
    })
    let held = true
    return () => {
      if (held) free += 1
      if (held && isFirst) firstInside -= 1
      held = false
      admit()
    }
  }

  return {
    acquire: ({ isFirst }: Priority = { isFirst: false }) => enter({ isFirst, isBack: false }),
    /**
     * Releases a slot for a while; the result acquires one again. Undefined if the holder keeps it: with a
     * single slot, for holders with `isFirst`, and if too many slots are lent.
     */
    leave(release: () => void, { isFirst }: Priority) {
      if (isFirst || away >= awayPerSlot * (slots - 1)) return undefined
      away += 1
      release()
      return async () => {
        const again = await enter({ isFirst, isBack: true })
        away -= 1
        return again
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
  { acquire, leave }: ReturnType<typeof createSemaphore>,
  priority: Priority = { isFirst: false },
): Promise<Slot> {
  let release = await acquire(priority)
  let isReleased = false
  let borrowers = 0
  let comeBack: (() => Promise<() => void>) | undefined
  let taking: Promise<void> | undefined

  async function takeAgain(enter: () => Promise<() => void>): Promise<void> {
    comeBack = undefined
    release = await enter()
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
      // Overlapping requests of one scenario may wait at the same time.
      if (borrowers === 1 && taking === undefined) comeBack = leave(release, priority)
      try {
        return await wait()
      } finally {
        borrowers -= 1
        if (borrowers === 0 && comeBack !== undefined) taking ??= takeAgain(comeBack)
        await taking
      }
    },
  }
}
