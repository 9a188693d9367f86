/**
 * Thrown by a scenario (or for it) when it can say nothing about the rows that it has not judged
 * yet: they become inconclusive, and chatgen is not at fault.
 */
export class InconclusiveError extends Error {
  override readonly name: string = 'InconclusiveError'
  readonly exchanges: readonly string[]

  constructor(reason: string, exchanges: readonly string[] = []) {
    super(reason)
    this.exchanges = exchanges
  }
}

export class BudgetSpentError extends InconclusiveError {
  override readonly name = 'BudgetSpentError'

  constructor(requests: number) {
    super(`the budget of ${requests} requests (--max-requests) is spent`)
  }
}

export class CircuitOpenError extends InconclusiveError {
  override readonly name = 'CircuitOpenError'

  constructor(reason: string) {
    super(`the target no longer answers: ${reason}`)
  }
}

/**
 * Thrown by a scenario that needs a member of the profile which is not there: the rows that nothing
 * else shows are unproven, and the message says what would prove them.
 */
export class UndeclaredError extends Error {
  override readonly name = 'UndeclaredError'

  constructor(member: string) {
    super(`set ${member} in the target profile to test this`)
  }
}
