/** Faults drawn from a grammar by seed, or named: an operation, an effect, and one or two conditions. */
import { operations } from '../../../contract/operations.ts'
import { pick, seededDraw } from '../../runtime/random.ts'
import type { Patch } from '../../services.ts'
import { type FaultyOperation, knowledgeRoutes } from '../patches/requests.ts'
import { statedSeams } from '../sentences/effects.ts'
import { statedCondition } from '../sentences/words.ts'
import { answerEffects } from './answer-effects.ts'
import { conditionsOf, contradict, dimensionOf } from './conditions.ts'
import type { Effect, Family } from './edits.ts'
import type { Circumstance } from './history.ts'
import { inject } from './injection.ts'
import { listEffects } from './list-effects.ts'
import type { Condition } from './members.ts'
import { requestEffects } from './request-effects.ts'
import { knowledgeEffects, storageEffects } from './storage-effects.ts'

export interface GeneratedFault {
  /** `v3.generate: max_tokens is ignored (stream: true)`. */
  readonly name: string
  readonly operation: FaultyOperation
  readonly family: Family
  /** Names of the conditions, without the one that the effect always needs. */
  readonly conditions: readonly string[]
  readonly patch: Patch
  /** Number of requests so far that it affected. */
  reached(): number
  /** Tests if a request meets its conditions. */
  isMetBy(circumstance: Circumstance): boolean
  /** True if it admits requests with a wrong key. */
  readonly isOfKeys: boolean
}

const allOperations: readonly FaultyOperation[] = [
  ...(Object.keys(operations) as FaultyOperation[]),
  ...(Object.keys(knowledgeRoutes) as (keyof typeof knowledgeRoutes)[]),
]

/** `GET /models/{model}` is not in the document. */
export const faultyOperations = allOperations.filter((id) => id !== 'openai.model')

/** The nth fault of a seed: the same on every machine. */
export function generatedFault(seed: number, at: number): GeneratedFault {
  const draw = seededDraw(seed, 'generated', String(at))
  // Operations are weighted by their number of conditions, and families equally.
  const operation = pick(draw, places())
  const families = Map.groupBy(effectsOf(operation), ({ family }) => family)
  const effect = pick(draw, pick(draw, [...families.values()]))
  const allowed = conditionsOf(operation).filter((condition) => isAllowed(effect, condition))
  const count = draw() < 0.5 ? 1 : 2
  const conditions: Condition[] = []
  for (let tries = 0; tries < 50 && conditions.length < count; tries += 1) {
    if (allowed.length === 0) break
    const chosen = pick(draw, allowed)
    if (!conditions.some(({ name }) => contradict(name, chosen.name))) {
      conditions.push(chosen)
    }
  }
  return faultOf(operation, effect, conditions)
}

/** Operations to draw from: of the knowledge bases, only the search has effects other than those of keys. */
function places(): readonly FaultyOperation[] {
  return faultyOperations
    .filter((id) => id in operations || id === 'knowledge.search')
    .flatMap((operation) => conditionsOf(operation).map(() => operation))
}

/** The fault with a name; undefined if the grammar has none. */
export function generatedFaultNamed(name: string): GeneratedFault | undefined {
  const [, id = '', clause = '', list = ''] = /^([\w.]+): (.+?)(?: \(([^()]+)\))?$/.exec(name) ?? []
  const operation = allOperations.find((one) => one === id)
  if (operation === undefined) return undefined
  const effect =
    effectsOf(operation).find((one) => one.name === clause) ?? statedEffect(operation, clause)
  const conditions = list
    .split('; ')
    .filter((one) => one !== '')
    .map((one) => conditionsOf(operation).find(isNamed(one)) ?? statedCondition(one))
  const found = conditions.filter((condition) => condition !== undefined)
  if (effect === undefined || found.length < conditions.length) return undefined
  return faultOf(operation, effect, found)
}

/** An effect with a value of its own, which is never drawn. */
function statedEffect(operation: FaultyOperation, name: string): Effect | undefined {
  const seams = statedSeams(operation, name)
  return seams && { family: 'mangle', name, ...seams }
}

function faultOf(
  operation: FaultyOperation,
  effect: Effect,
  conditions: readonly Condition[],
): GeneratedFault {
  const names = conditions.map(({ name }) => name).sort()
  const needed = conditionsOf(operation).filter(isNamed(effect.needs ?? ''))
  const all = [...needed, ...conditions]
  let reached = 0
  const onReached = () => {
    reached += 1
  }
  return {
    name: `${operation}: ${effect.name}${names.length === 0 ? '' : ` (${names.join('; ')})`}`,
    operation,
    family: effect.family,
    conditions: names,
    patch: inject(operation, all, effect, onReached),
    reached: () => reached,
    isMetBy: (circumstance) =>
      circumstance.operation === operation && all.every(({ holds }) => holds(circumstance)),
    isOfKeys: effect.admits !== undefined,
  }
}

export function effectsOf(operation: FaultyOperation): readonly Effect[] {
  const cached = made.get(operation)
  if (cached !== undefined) return cached
  const effects = [
    ...requestEffects(operation),
    ...answerEffects(operation),
    ...listEffects(operation),
    ...storageEffects(operation),
    ...(operation === 'knowledge.search' ? knowledgeEffects : []),
  ].filter(({ needs }) => needs === undefined || conditionsOf(operation).some(isNamed(needs)))
  made.set(operation, effects)
  return effects
}

const made = new Map<FaultyOperation, readonly Effect[]>()

function isNamed(sought: string) {
  return ({ name }: Condition): boolean => name === sought
}

/** A specific value of stop can be combined with `stop: given`, but with no other value. */
function isAllowed({ not = [], needs = '', only }: Effect, { name }: Condition): boolean {
  const isSame = dimensionOf(needs) === dimensionOf(name)
  if (isSame && (!needs.endsWith(': given') || /: (not )?given$/.test(name))) return false
  if (!isSame && contradict(needs, name)) return false
  if (only !== undefined && !only.some((start) => name.startsWith(start))) return false
  return !not.some((start) => name.startsWith(start))
}
