import { InconclusiveError, RunEndedError } from '../conformance/session/errors.ts'
import type { Session } from '../conformance/session/session.ts'
import {
  drawChat,
  drawFrom,
  type Evidence,
  type ExplorationContext,
  type Operation,
  type Pick,
  StateViolation,
} from './command.ts'
import { applies, commands } from './commands/index.ts'
import type { Model } from './model.ts'

/**
 * Carries out an operation: `skipped` if it makes no sense in this state, `unclear` without a usable answer.
 * @throws errors that end the run: budget spent, target gone, interrupt.
 */
export async function perform(
  context: ExplorationContext,
  operation: Operation,
): Promise<'done' | 'skipped' | 'unclear' | StateViolation> {
  const command = commands[operation.command]
  if (command === undefined || !applies(context.model, operation)) return 'skipped'
  try {
    await command.run(context, operation)
    return 'done'
  } catch (error) {
    if (error instanceof StateViolation) return error
    if (!(error instanceof InconclusiveError) || error instanceof RunEndedError) throw error
    if (operation.chat !== undefined) context.model.forget(operation.chat)
    return 'unclear'
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
    if (step === 'skipped') continue
    done.push(operation)
    if (!(step instanceof StateViolation)) continue
    const evidence = [...context.recorded, ...step.evidence.map(({ id }) => ({ id }))]
    const exchanges = [...new Map(evidence.map((one) => [one.id, one])).values()]
    return { violation: step, operations: done, exchanges }
  }
  return { violation: undefined, operations: done, exchanges: context.recorded }
}

/** Operations of a sequence, which ends with a sweep of all reads; the next one begins with fresh chats. */
const sequenceLength = 60
/** Share of the generations for operations that are drawn; the rest is for the ends of sequences. */
const drawnShare = 0.8
/** Number of generations that a sequence may borrow from later ones, for its draws and at its end. */
const advances = { drawn: 6, end: 9 } as const

/** Operations and generations of a run, spread over its sequences. */
export type Budget = ReturnType<typeof createBudget>

export function createBudget(operations: number, maxGenerations: number) {
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
  // Commands whose requirements are judged in the run, each repeated by its weight.
  const candidates = Object.entries(commands).flatMap(([name, command]) => {
    const { weight, generations = 0, needs = [] } = command
    const isUsable = needs.every((id) => session.isJudged(id)) && budget.allows(generations)
    return Array.from({ length: isUsable ? weight : 0 }, () => ({ name, command, generations }))
  })
  for (let tries = 0; tries < 50; tries += 1) {
    const chosen = drawFrom(candidates, pick)
    if (chosen === undefined) continue
    const { command, name, generations } = chosen
    const chat = command.draw ? undefined : drawChat(command.chats?.(model) ?? [], pick)
    const usual = chat && { ...chat, variant: drawFrom(command.variants ?? [], pick) }
    const draft = command.draw?.(model, pick) ?? usual
    if (draft === undefined) continue
    budget.spend(generations)
    return { command: name, label, ...draft }
  }
  return undefined
}

/** Draws each element of a list once, in random order, before any is repeated. */
export function createDeck<T>(list: readonly T[], pick: Pick): () => T | undefined {
  let rest: readonly T[] = []
  return () => {
    const from = rest.length === 0 ? list : rest
    const at = pick(from.length)
    rest = from.toSpliced(at, 1)
    return from[at]
  }
}
