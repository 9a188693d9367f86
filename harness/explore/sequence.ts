import { InconclusiveError, RunEndedError } from '../conformance/session/errors.ts'
import type { Session } from '../conformance/session/session.ts'
import {
  drawFrom,
  type Operation,
  type Pick,
  type SequenceKind,
  StateViolation,
} from './command.ts'
import { applies, commands, draftOf } from './commands/index.ts'
import { type Evidence, evidenceOf, type RecordedContext } from './context.ts'
import { forgetChat, type Model } from './model.ts'

/** Result of an operation: `skipped` if it makes no sense in this state, `unclear` without a usable answer. */
export type Step =
  | { readonly kind: 'done' | 'skipped' | 'unclear' }
  | { readonly kind: 'violated'; readonly violation: StateViolation }

/** @throws errors that end the run: budget spent, target gone, interrupt. */
export async function perform(context: RecordedContext, operation: Operation): Promise<Step> {
  const command = commands[operation.command]
  if (command === undefined || !applies(context.model, operation)) return { kind: 'skipped' }
  try {
    await command.run(context, operation)
    return { kind: 'done' }
  } catch (error) {
    if (error instanceof StateViolation) return { kind: 'violated', violation: error }
    if (!(error instanceof InconclusiveError) || error instanceof RunEndedError) throw error
    if (operation.chat !== undefined) context.model = forgetChat(context.model, operation.chat)
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
  context: RecordedContext,
  operations: readonly Operation[],
): Promise<Replay> {
  const done: Operation[] = []
  for (const operation of operations) {
    const step = await perform(context, operation)
    if (step.kind === 'skipped') continue
    done.push(operation)
    if (step.kind !== 'violated') continue
    const evidence = [...context.recorded, ...step.violation.evidence.map(evidenceOf)]
    const exchanges = [...new Map(evidence.map((one) => [one.id, one])).values()]
    return { violation: step.violation, operations: done, exchanges }
  }
  return { violation: undefined, operations: done, exchanges: context.recorded }
}

/** A sequence ends with a sweep of all reads, and the next one begins with fresh chats. */
const sequenceLengths = { v3: 60, v2: 25 } as const
/** Kinds of successive sequences, in a cycle. */
const cycle = ['v3', 'v2', 'v3'] as const satisfies readonly SequenceKind[]
/** Share of the generations of v3 sequences, if there are v2 sequences as well. */
const v3Share = 0.6
/** Share of the generations for operations that are drawn; the rest is for the ends of sequences. */
const drawnShare = 0.8
/** Number of generations that a sequence may borrow from later ones, for its draws and at its end. */
const advances = { drawn: 6, end: 9 } as const

export function kindOf(sequence: number): SequenceKind {
  return cycle[sequence % cycle.length] ?? 'v3'
}

interface Limits {
  readonly operations: number
  readonly maxGenerations: number
}

/** Operations and generations of a run, spread over its sequences of both kinds. */
export interface Budget {
  readonly operations: () => number
  /** Operations of the next sequence of a kind. */
  readonly size: (kind: SequenceKind) => number
  /** Tests if an operation with that number of generations may be drawn. */
  readonly allows: (kind: SequenceKind, generations: number) => boolean
  readonly spend: (kind: SequenceKind, generations: number) => void
  /** Spends generations at the end of a sequence; false if they are needed later on. */
  readonly payAtEnd: (kind: SequenceKind, generations: number) => boolean
}

export function createBudget({ operations, maxGenerations }: Limits, hasV2: boolean): Budget {
  const spent = { v3: { operations: 0, generations: 0 }, v2: { operations: 0, generations: 0 } }
  const total = () => spent.v3.operations + spent.v2.operations
  const length = cycle.reduce((sum, kind) => sum + sequenceLengths[kind], 0)
  const v2 = sequenceLengths.v2 / length
  const shares = hasV2
    ? { operations: { v3: 1 - v2, v2 }, v3: v3Share }
    : { operations: { v3: 1, v2: 1 }, v3: 1 }
  /** Generations that a kind may have used by now. */
  const due = (kind: SequenceKind, share: number, loan: number) => {
    const max = maxGenerations * (kind === 'v3' ? shares.v3 : 1 - shares.v3)
    const progress = spent[kind].operations / (operations * shares.operations[kind])
    return Math.min(share * max * progress + loan, maxGenerations)
  }
  const left = () => maxGenerations - spent.v3.generations - spent.v2.generations
  return {
    operations: total,
    size: (kind) => Math.min(sequenceLengths[kind], operations - total()),
    allows: (kind, generations) =>
      generations === 0 ||
      (generations <= left() && spent[kind].generations < due(kind, drawnShare, advances.drawn)),
    spend(kind, generations) {
      spent[kind].operations += 1
      spent[kind].generations += generations
    },
    payAtEnd(kind, generations) {
      if (generations === 0) return true
      const isDue = spent[kind].generations + generations <= due(kind, 1, advances.end)
      if (!isDue || generations > left()) return false
      spent[kind].generations += generations
      return true
    },
  }
}

/** Names of the commands for a kind of sequence whose requirements are judged in the run. */
export function candidatesFor(session: Session, sequence: SequenceKind): readonly string[] {
  return Object.entries(commands)
    .filter(
      ([, { kind = 'v3', needs = [] }]) =>
        kind === sequence && needs.every((requirement) => session.isJudged(requirement)),
    )
    .map(([name]) => name)
}

interface DrawFrom {
  readonly session: Session
  readonly pick: Pick
  readonly budget: Budget
  readonly kind: SequenceKind
}

/** An operation that makes sense in a state; undefined if there is none within the budget. */
export function draw(
  model: Model,
  label: string,
  { session, pick, budget, kind }: DrawFrom,
): Operation | undefined {
  const generationsOf = (name: string) => commands[name]?.generations ?? 0
  // Each command is repeated by its weight.
  const candidates = candidatesFor(session, kind)
    .filter((name) => budget.allows(kind, generationsOf(name)))
    .flatMap((name) => Array<string>(commands[name]?.weight ?? 0).fill(name))
  for (let tries = 0; tries < 50; tries += 1) {
    const command = drawFrom(candidates, pick)
    const draft = command === undefined ? undefined : draftOf(command, model, pick)
    if (command === undefined || draft === undefined) continue
    budget.spend(kind, generationsOf(command))
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
