/**
 * Knowledge of a run about its target. An ability is an operation that was seen to work in the plain
 * case; a choice is its answer to a point that the document leaves open. Only what was seen once is
 * expected again: what a target never does is for the scenarios of the suites.
 */
export interface Knowledge {
  /** Notes that the target does something. */
  prove(ability: string): void
  isAble(ability: string): boolean
  /** Notes how the target settles an open point, at first sight. */
  learn(point: string, choice: boolean): void
  /** Undefined before first sight. */
  choiceOf(point: string): boolean | undefined
}

export function createKnowledge(): Knowledge {
  const abilities = new Set<string>()
  const choices = new Map<string, boolean>()
  return {
    prove: (ability) => void abilities.add(ability),
    isAble: (ability) => abilities.has(ability),
    learn(point, choice) {
      if (!choices.has(point)) choices.set(point, choice)
    },
    choiceOf: (point) => choices.get(point),
  }
}
