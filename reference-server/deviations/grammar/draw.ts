/** Faults drawn from a grammar by seed: an operation, an effect, and one or two conditions. */
import type { OperationId } from '../../../contract/operations.ts'
import { pick, seededDraw } from '../../runtime/random.ts'
import type { Patch } from '../../services.ts'
import { type Condition, conditionsOf, type FaultyOperation } from './conditions.ts'
import type { Effect } from './effect.ts'
import { effectsOf } from './effects.ts'
import { inject } from './injection.ts'

export interface GeneratedFault {
  /** `generated-7-12`: the seed and the number of the draw; draws are the same on every machine. */
  readonly name: string
  readonly summary: string
  readonly operation: OperationId
  readonly family: Effect['family']
  /** Names of the conditions, one or two. */
  readonly conditions: readonly string[]
  readonly patch: Patch
  /** Requests so far that met its conditions. */
  reached(): number
}

/** The nth fault of a seed. */
export function generatedFault(seed: number, at: number): GeneratedFault {
  const draw = seededDraw(seed, 'generated', String(at))
  const all = combinations()
  // Effects first: an operation with many conditions would have most of the faults otherwise.
  const [operation, effect] = pick(draw, all)
  const own: readonly Condition[] = conditionsOf[operation]
  const allowed = own.filter((condition) => isAllowed(effect, condition))
  const conditions: Condition[] = own.filter(({ name }) => name === effect.needs)
  const needed = conditions.length
  const count = draw() < 0.5 ? 1 : 2
  for (let tries = 0; tries < 50 && conditions.length < count + needed; tries += 1) {
    const chosen = allowed[Math.floor(draw() * allowed.length)]
    if (chosen && conditions.every((other) => dimensionOf(other) !== dimensionOf(chosen))) {
      conditions.push(chosen)
    }
  }
  const names = conditions.map(({ name }) => name)
  let reached = 0
  const onReached = () => {
    reached += 1
  }
  return {
    name: `generated-${seed}-${at}`,
    summary: `${operation}: ${effect.name} (${names.join('; ')})`,
    operation,
    family: effect.family,
    conditions: names.filter((condition) => condition !== effect.needs),
    patch: inject(operation, conditions, effect, onReached),
    reached: () => reached,
  }
}

type Place = readonly [FaultyOperation, Effect]

function combinations(): readonly [Place, ...Place[]] {
  const operations = Object.keys(effectsOf) as FaultyOperation[]
  const [first, ...rest] = operations.flatMap((operation) =>
    effectsOf[operation].map((effect): Place => [operation, effect]),
  )
  if (first === undefined) throw new Error('the grammar has no effects')
  return [first, ...rest]
}

function isAllowed(effect: Effect, { name }: Condition): boolean {
  return !(effect.not ?? []).some((start) => name.startsWith(start))
}

function dimensionOf({ name }: Condition): string {
  return name.split(':')[0] ?? name
}
