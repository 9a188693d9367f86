/** A generation from planned steps, within the token budget and with token counts. */
import { countTurn } from './tokens.ts'
import type { Generation, ModelRequest, Step } from './types.ts'

export interface Plan {
  readonly steps: readonly Step[]
  readonly finish: Generation['finish']
}

export function generationOf(
  plan: Plan,
  request: ModelRequest,
  pace: Generation['pace'],
): Generation {
  const { steps, finish } = withinBudget(plan, request)
  return {
    steps,
    finish,
    failure:
      finish === 'failed' ? { code: 'server_error', message: 'The generation failed' } : null,
    tokens: count(request, steps),
    pace,
  }
}

export function spoken<Head extends { type: Step['type'] }>(
  head: Head,
  fragments: readonly string[],
) {
  return { ...head, fragments, complete: true }
}

function withinBudget({ steps, finish }: Plan, { maxTokens }: ModelRequest): Plan {
  let left = maxTokens
  const kept: Step[] = []
  for (const step of steps) {
    const length = step.fragments.length
    if (length > left) {
      if (left > 0)
        kept.push({ ...step, fragments: step.fragments.slice(0, left), complete: false })
      return { steps: kept, finish: 'length' }
    }
    kept.push(step)
    left -= length
  }
  return { steps: kept, finish }
}

function count(request: ModelRequest, steps: readonly Step[]): Generation['tokens'] {
  const sum = (of: readonly Step[]) =>
    of.reduce((total, { fragments }) => total + fragments.length, 0)
  return {
    input: request.turns.reduce((total, turn) => total + countTurn(turn), 0),
    output: sum(steps),
    reasoning: sum(steps.filter(({ type }) => type === 'reasoning')),
  }
}
