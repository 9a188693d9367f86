/** Holders of a rank are admitted after those of all lower ranks have left; Infinity is not a rank. */
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

/** The slot of one holder of a semaphore, which others may use while the holder waits. */
export type Slot = Awaited<ReturnType<ReturnType<typeof createSemaphore>['acquire']>>

const unranked: Priority = { rank: Infinity }

/** Maximum number of holders that lend their slot, for each slot after the first. */
const awayPerSlot = 4

/** Opens once, when all that have joined have arrived. */
function createBarrier() {
  const { promise: opened, resolve } = Promise.withResolvers<void>()
  const coming = new Set<symbol>()
  let isOpen = false
  return {
    opened,
    get isOpen(): boolean {
      return isOpen
    },
    /** Returns the arrival, which has an effect once. */
    join(): () => void {
      const one = Symbol('one')
      coming.add(one)
      return () => {
        coming.delete(one)
        if (coming.size > 0) return
        isOpen = true
        resolve()
      }
    },
  }
}

/** Admits at most `slots` holders at a time; `pick` chooses the next one of those that arrived, by index. */
export function createSemaphore(
  slots: number,
  pick: (waiting: readonly Priority[]) => number = longFirst,
) {
  let free = slots
  const ranksInside: number[] = []
  let away = 0
  const barrier = createBarrier()
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

  function enter(holder: Omit<Waiter, 'resolve'>): Promise<void> {
    return new Promise<void>((resolve) => {
      waiting.push({ ...holder, resolve })
      // Admits only after all concurrent calls, so that the choice is among all of them.
      setImmediate(admit)
    })
  }

  async function acquire(priority: Priority = unranked) {
    const { rank } = priority
    const arrive = barrier.join()
    await enter({ ...priority, isBack: false })
    let isInside = true
    let isReleased = false
    let isAway = false
    let borrowers = 0
    let comingBack: Promise<void> | undefined

    function leave(): void {
      if (!isInside) return
      isInside = false
      free += 1
      ranksInside.splice(ranksInside.indexOf(rank), 1)
      admit()
    }

    async function comeBack(): Promise<void> {
      isAway = false
      await enter({ rank, isBack: true })
      away -= 1
      isInside = true
      comingBack = undefined
      if (isReleased) leave()
    }

    async function lendWhile<T>(wait: () => Promise<T>, mayLeave: boolean): Promise<T> {
      borrowers += 1
      if (isInside && mayLeave) {
        away += 1
        isAway = true
        leave()
      }
      try {
        return await wait()
      } finally {
        borrowers -= 1
        if (borrowers === 0 && isAway) comingBack = comeBack()
        await comingBack
      }
    }

    return {
      /** Has an effect once. */
      release(): void {
        isReleased = true
        arrive()
        leave()
      },
      /**
       * Gives the slot to others while `wait` runs, and takes one again afterwards. The holder keeps it with a
       * single slot, if it has a rank, and if too many slots are lent.
       */
      lend<T>(wait: () => Promise<T>): Promise<T> {
        // Overlapping requests of one scenario may wait at the same time.
        const isFirst = borrowers === 0
        return lendWhile(wait, isFirst && rank === Infinity && away < awayPerSlot * (slots - 1))
      },
      /** Gives the slot to others until each has left or waits for the same; at once if they have before. */
      async waitForOthers(): Promise<void> {
        arrive()
        if (!barrier.isOpen) await lendWhile(() => barrier.opened, true)
      },
    }
  }

  return { acquire }
}
