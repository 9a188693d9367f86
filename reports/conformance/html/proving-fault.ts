/** A fault of the reference server and the rows that it turns red: a line of the kill matrix. */
export interface ProvingFault {
  readonly name: string
  readonly summary: string
  readonly breaks: readonly string[]
  /** Declared rows that it does not turn red. */
  readonly survived: readonly string[]
}
