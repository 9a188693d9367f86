/** Picks the next of those that wait, from 0. */
export type ChooseWaiter = (waiting: number) => number

/** Holders that are first are let in before all others, who wait until they have left. */
export interface Priority {
  readonly isFirst: boolean
}

interface Waiter extends Priority {
  /** Had a slot and gave it away: it goes on before others begin. */
  readonly isBack: boolean
  readonly resolve: () => void
}

const firstWaiter: ChooseWaiter = () => 0

/** Holders of each further slot that may be away at once. */
const awayPerSlot = 4

/** Lets at most `slots` holders in at a time, in the order of asking unless `pick` chooses. */
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
  }

  return {
    acquire: ({ isFirst }: Priority = { isFirst: false }) => enter({ isFirst, isBack: false }),
    /**
     * Gives a slot away for a while; what it returns takes one again. Undefined if the holder keeps it:
     * one slot is for one holder after the other, those who are first are alone, and too many are away.
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
      // Requests of one scenario that overlap may wait at the same time.
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
