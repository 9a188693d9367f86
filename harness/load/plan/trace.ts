/** One line of a recorded workload. */
export interface TraceLine {
  /** Nanoseconds after the first line. */
  readonly atNs: number
  /** Entry of the mix; undefined draws one. */
  readonly transaction: string | undefined
  readonly promptWords: number | undefined
  readonly answerTokens: number | undefined
  readonly session: number | undefined
}
