/** Part of the time that is waited for in a hurry. */
const hurriedPart = 8

export type Settling = ReturnType<typeof createSettling>

/** How long one scenario waits for a change to become visible. */
export function createSettling({ settleMs }: { readonly settleMs: number }) {
  const hurriedMs = Math.floor(settleMs / hurriedPart)
  let isHurried = false
  let isVain = false
  let isLate = false

  return {
    get ms(): number {
      return isHurried ? hurriedMs : settleMs
    },
    /** True once a wait has ended in vain, and as long as no change has been late. */
    get mayHurry(): boolean {
      return isVain && !isLate
    },
    /** Notes the end of a wait: with the change, or in vain. */
    note(waitedMs: number, isVisible: boolean): void {
      if (!isVisible) isVain = true
      else if (waitedMs > hurriedMs) isLate = true
    },
    /** A change is late: nothing is to be hurried. */
    noteLate(): void {
      isLate = true
    },
    /** Waits less meanwhile: what does not become visible then is to be seen again without. */
    async hurry<T>(work: () => Promise<T>): Promise<T> {
      if (isLate) return work()
      isHurried = true
      try {
        return await work()
      } finally {
        isHurried = false
      }
    },
  }
}
