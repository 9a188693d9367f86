/** A generation from planned steps, within the token budget and with token counts. */
import type { Generation, ModelRequest, Step, Turn } from './types.ts'

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

/** The text of all steps of a type; undefined if there is none. */
export function textOf(steps: readonly Step[], type: Step['type']): string | undefined {
  const own = steps.filter((step) => step.type === type)
  return own.length === 0 ? undefined : own.flatMap(({ fragments }) => fragments).join('')
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

const token = /\s*(?:[\p{L}\p{M}]{1,8}|\p{N}{1,4}|[^\s\p{L}\p{M}\p{N}])|\s+/gu

/** The joined tokens equal the text; no token splits a code point. */
export function splitTokens(text: string): string[] {
  return text.match(token) ?? []
}

export function countTokens(text: string): number {
  let count = 0
  token.lastIndex = 0
  while (token.test(text)) count += 1
  return count
}

const counted = new WeakMap<Turn, number>()

/** Text and role; cached per turn, because a long history is counted again for every run. */
export function countTurn(turn: Turn): number {
  const cached = counted.get(turn)
  if (cached !== undefined) return cached
  const count = countTokens(turn.text) + 1
  counted.set(turn, count)
  return count
}

/** Tokens of the text up to the first stop sequence, regardless of token boundaries. */
export function tokensBeforeStop(
  tokens: readonly string[],
  stop: readonly string[],
): readonly string[] {
  const sequences = stop.filter((sequence) => sequence !== '')
  if (sequences.length === 0) return tokens
  const text = tokens.join('')
  const found = sequences.map((sequence) => text.indexOf(sequence)).filter((index) => index >= 0)
  return found.length === 0 ? tokens : splitTokens(text.slice(0, Math.min(...found)))
}
