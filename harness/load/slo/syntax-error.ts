/** An SLO expression that cannot be read: points at the place and says what may stand there. */
export class SloSyntaxError extends Error {
  override readonly name = 'SloSyntaxError'
  readonly expression: string
  /** Index of the character at which it goes wrong; the length where something is missing. */
  readonly at: number
  /** What may stand there. */
  readonly allowed: string

  constructor(expression: string, at: number, allowed: string) {
    super(`${allowed}\n  ${expression}\n  ${' '.repeat(at)}^`)
    this.expression = expression
    this.at = at
    this.allowed = allowed
  }
}
