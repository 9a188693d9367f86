/** Holders of a rank are admitted after those of all lower ranks have left; Infinity is no rank. */
export interface Priority {
  readonly rank: number
  /** The holder takes long, so that it begins before others of its rank. */
  readonly isLong?: boolean
}

/** The index of the next holder: the first that takes long, or the first. */
export function longFirst(waiting: readonly Priority[]): number {
  return Math.max(
    0,
    waiting.findIndex(({ isLong }) => isLong),
  )
}

interface Waiter extends Priority {
  /** Returning after lending its slot: admitted before new holders. */
  readonly isBack: boolean
  readonly resolve: () => void
}

const unranked: Priority = { rank: Infinity }

/** Maximum number of holders that lend their slot, for each slot after the first. */
const awayPerSlot = 4

/** Admits at most `slots` holders at a time; `pick` chooses the next one of those that arrived, by index. */
export function createSemaphore(
  slots: number,
  pick: (waiting: readonly Priority[]) => number = longFirst,
) {
  let free = slots
  const ranksInside: number[] = []
  let away = 0
  const waiting: Waiter[] = []

  function admit(): void {
    while (free > 0 && waiting.length > 0) {
      const back = waiting.filter(({ isBack }) => isBack)
      const lowest = Math.min(...waiting.map(({ rank }) => rank))
      if (back.length === 0 && ranksInside.some((rank) => rank < lowest)) return
      const eligible = back.length > 0 ? back : waiting.filter(({ rank }) => rank === lowest)
      const next = eligible[pick(eligible)]
      if (next === undefined) return
      waiting.splice(waiting.indexOf(next), 1)
      free -= 1
      ranksInside.push(next.rank)
      next.resolve()
    }
  }

  async function enter(holder: Omit<Waiter, 'resolve'>): Promise<() => void> {
    const { rank } = holder
    await new Promise<void>((resolve) => {
      waiting.push({ ...holder, resolve })
      // Admits only after all concurrent calls, so that the choice is among all of them.
      setImmediate(admit)
    })
    let held = true
    return () => {
      if (held) free += 1
      if (held) ranksInside.splice(ranksInside.indexOf(rank), 1)
      held = false
      admit()
    }
  }

  return {
    acquire: (priority: Priority = unranked) => enter({ ...priority, isBack: false }),
    /**
     * Releases a slot for a while; the result acquires one again. Undefined if the holder keeps it: with a
     * single slot, for holders with a rank, and if too many slots are lent.
     */
    leave(release: () => void, { rank }: Priority) {
      if (rank < Infinity || away >= awayPerSlot * (slots - 1)) return undefined
      away += 1
      release()
      return async () => {
        const again = await enter({ rank, isBack: true })
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
  priority: Priority = unranked,
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
