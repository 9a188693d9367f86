/** Part of the time that is waited for in a hurry. */
const hurriedPart = 8

export type Settling = ReturnType<typeof createSettling>

/** How long one scenario waits for a change to become visible. */
export function createSettling({ settleMs }: { readonly settleMs: number }) {
  let isHurried = false
  return {
    get ms(): number {
      return isHurried ? Math.floor(settleMs / hurriedPart) : settleMs
    },
    /** Waits less meanwhile: what does not become visible then is to be seen again without. */
    async hurry<T>(work: () => Promise<T>): Promise<T> {
      isHurried = true
      try {
        return await work()
      } finally {
        isHurried = false
      }
    },
  }
}
