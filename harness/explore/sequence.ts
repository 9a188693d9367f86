import { InconclusiveError, RunEndedError } from '../conformance/session/errors.ts'
import type { Session } from '../conformance/session/session.ts'
import {
  drawFrom,
  type Evidence,
  type ExplorationContext,
  type Operation,
  type Pick,
  StateViolation,
} from './command.ts'
import { applies, commands, draftOf } from './commands/index.ts'
import type { Model } from './model.ts'

/** Result of an operation: `skipped` if it makes no sense in this state, `unclear` without a usable answer. */
export type Step =
  | { readonly kind: 'done' | 'skipped' | 'unclear' }
  | { readonly kind: 'violated'; readonly violation: StateViolation }

/** @throws errors that end the run: budget spent, target gone, interrupt. */
export async function perform(context: ExplorationContext, operation: Operation): Promise<Step> {
  const command = commands[operation.command]
  if (command === undefined || !applies(context.model, operation)) return { kind: 'skipped' }
  try {
    await command.run(context, operation)
    return { kind: 'done' }
  } catch (error) {
    if (error instanceof StateViolation) return { kind: 'violated', violation: error }
    if (!(error instanceof InconclusiveError) || error instanceof RunEndedError) throw error
    if (operation.chat !== undefined) context.model.forget(operation.chat)
    return { kind: 'unclear' }
  }
}

export interface Replay {
  /** Undefined if every operation ended as the model predicts. */
  readonly violation: StateViolation | undefined
  /** The operations that were carried out, up to the violation. */
  readonly operations: readonly Operation[]
  /** Requests of the operations, and those that show the violation. */
  readonly exchanges: readonly Evidence[]
}

/** Carries a sequence out in fresh chats, up to the first violation. */
export async function replay(
  context: ExplorationContext,
  operations: readonly Operation[],
): Promise<Replay> {
  const done: Operation[] = []
  for (const operation of operations) {
    const step = await perform(context, operation)
    if (step.kind === 'skipped') continue
    done.push(operation)
    if (step.kind !== 'violated') continue
    const evidence = [...context.recorded, ...step.violation.evidence.map(({ id }) => ({ id }))]
    const exchanges = [...new Map(evidence.map((one) => [one.id, one])).values()]
    return { violation: step.violation, operations: done, exchanges }
  }
  return { violation: undefined, operations: done, exchanges: context.recorded }
}

/** Operations of a sequence, which ends with a sweep of all reads; the next one begins with fresh chats. */
const sequenceLength = 60
/** Share of the generations for operations that are drawn; the rest is for the ends of sequences. */
const drawnShare = 0.8
/** Number of generations that a sequence may borrow from later ones, for its draws and at its end. */
const advances = { drawn: 6, end: 9 } as const

interface Limits {
  readonly operations: number
  readonly maxGenerations: number
}

/** Operations and generations of a run, spread over its sequences. */
export type Budget = ReturnType<typeof createBudget>

export function createBudget({ operations, maxGenerations }: Limits) {
  let spent = 0
  let generated = 0
  /** Generations that may have been used by now. */
  const due = (share: number, loan: number) =>
    Math.min((share * maxGenerations * spent) / operations + loan, maxGenerations)
  const left = () => maxGenerations - generated
  return {
    operations: () => spent,
    /** Operations of the next sequence. */
    size: () => Math.min(sequenceLength, operations - spent),
    /** Tests if an operation with that number of generations may be drawn. */
    allows: (generations: number) =>
      generations === 0 || (generations <= left() && generated < due(drawnShare, advances.drawn)),
    spend(generations: number): void {
      spent += 1
      generated += generations
    },
    /** Spends generations at the end of a sequence; false if they are needed later on. */
    payAtEnd(generations: number): boolean {
      if (generations === 0) return true
      if (generated + generations > due(1, advances.end) || generations > left()) return false
      generated += generations
      return true
    },
  }
}

/** Names of the commands whose requirements are judged in the run. */
function candidatesFor(session: Session): readonly string[] {
  return Object.entries(commands)
    .filter(([, { needs = [] }]) => needs.every((requirement) => session.isJudged(requirement)))
    .map(([name]) => name)
}

interface DrawFrom {
  readonly session: Session
  readonly pick: Pick
  readonly budget: Budget
}

/** An operation that makes sense in a state; undefined if there is none within the budget. */
export function draw(
  model: Model,
  label: string,
  { session, pick, budget }: DrawFrom,
): Operation | undefined {
  const generationsOf = (name: string) => commands[name]?.generations ?? 0
  // Each command is repeated by its weight.
  const candidates = candidatesFor(session)
    .filter((name) => budget.allows(generationsOf(name)))
    .flatMap((name) => Array<string>(commands[name]?.weight ?? 0).fill(name))
  for (let tries = 0; tries < 50; tries += 1) {
    const command = drawFrom(candidates, pick)
    const draft = command === undefined ? undefined : draftOf(command, model, pick)
    if (command === undefined || draft === undefined) continue
    budget.spend(generationsOf(command))
    return { command, label, ...draft }
  }
  return undefined
}

/** Draws each element of a list once, in random order, before any is repeated. */
export function createDeck<T>(list: readonly [T, ...T[]], pick: Pick): () => T {
  let rest: readonly T[] = []
  return () => {
    const from = rest.length === 0 ? list : rest
    const at = pick(from.length)
    rest = from.toSpliced(at, 1)
    return from[at] ?? list[0]
  }
}
