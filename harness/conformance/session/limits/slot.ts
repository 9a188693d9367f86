import type { createSemaphore, Priority } from './semaphore.ts'

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
