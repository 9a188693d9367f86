/** Part of the time that is waited for in a hurry, at least. */
const hurriedPart = 40

export type Settling = ReturnType<typeof createSettling>

/** Patience of one scenario with changes that are to become visible. */
export function createSettling({ settleMs }: { readonly settleMs: number }) {
  let isHurried = false
  let isVain = false
  /** The longest wait after which a change was visible. */
  let latestMs = 0
  const hurriedMs = () =>
    Math.min(settleMs, Math.max(Math.floor(settleMs / hurriedPart), 2 * latestMs))

  return {
    get ms(): number {
      return isHurried ? hurriedMs() : settleMs
    },
    /** True once a wait has ended in vain, if changes have not been late. */
    get mayHurry(): boolean {
      return isVain && hurriedMs() < settleMs
    },
    /** Notes the end of a wait: with the change, or in vain. */
    note(waitedMs: number, isVisible: boolean): void {
      if (isVisible) latestMs = Math.max(latestMs, waitedMs)
      else isVain = true
    },
    /** Changes are late: nothing is to be hurried. */
    noteLate(): void {
      latestMs = settleMs
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
