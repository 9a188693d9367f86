/** A hurried wait takes at least the settling time divided by this. */
const hurriedPart = 40

export type Settling = ReturnType<typeof createSettling>

/** Waits of one scenario for changes to become visible. */
export function createSettling({ settleMs }: { readonly settleMs: number }) {
  let isHurried = false
  let isVain = false
  /** The longest wait after which a change was visible. */
  let latestMs = 0
  let sawOlderState = false
  const hurriedMs = () =>
    Math.min(settleMs, Math.max(Math.floor(settleMs / hurriedPart), 2 * latestMs))

  return {
    get ms(): number {
      return isHurried ? hurriedMs() : settleMs
    },
    /** A change was not visible at once, or not any more. */
    get isLate(): boolean {
      return latestMs > 0 || sawOlderState
    },
    /** True once a wait ended without the change, if changes have not been late before. */
    get mayHurry(): boolean {
      return isVain && hurriedMs() < settleMs
    },
    /** Records the end of a wait, with or without the change. */
    note(waitedMs: number, isVisible: boolean): void {
      if (isVisible) latestMs = Math.max(latestMs, waitedMs)
      else isVain = true
    },
    noteOlderState(): void {
      sawOlderState = true
    },
    /** Changes are late: waits are no longer shortened. */
    noteLate(): void {
      latestMs = settleMs
    },
    /** Shortens waits during `work`: a change that it misses must be checked again without the hurry. */
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
