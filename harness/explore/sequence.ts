import {
  GenerationsSpentError,
  InconclusiveError,
  RunEndedError,
} from '../conformance/session/errors.ts'
import {
  drawChat,
  drawFrom,
  type Evidence,
  type ExplorationContext,
  type Knowledge,
  type Operation,
  type Pick,
  type Planned,
  StateViolation,
} from './command.ts'
import { lastRefusals, repeatableTurns } from './commands/generate.ts'
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
    // A budget that is spent says nothing about the target.
    return error instanceof GenerationsSpentError ? 'done' : 'unclear'
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

/** An operation that makes sense in a state; undefined if there is none within the budget. */
export function draw(
  model: Model,
  label: string,
  { pick, budget }: { readonly pick: Pick; readonly budget: Budget },
): Operation | undefined {
  // Each repeated by its weight; the selection of requirements changes nothing, so that `--failed` finds the same.
  const candidates = Object.entries(commands).flatMap(([name, command]) => {
    const { weight, generations = 0 } = command
    const times = budget.allows(generations) ? weight : 0
    return Array.from({ length: times }, () => ({ name, command, generations }))
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

/** Operations that are not drawn at random: after an operation, and at the end of a sequence. */

/** Reads that detect a change: after the first operation of its kind, and some later ones; the sweep does the rest. */
export function readsAfter(
  { command, label, chat }: Operation,
  model: Model,
  { knowledge, pick }: { readonly knowledge: Knowledge; readonly pick: Pick },
): readonly Planned[] {
  const subject = command === 'create chat' ? label : chat
  const { reads, shownBy = [] } = commands[command] ?? {}
  if (reads || model.chat(subject) === undefined) return []
  const isKnown = knowledge.isAble(`read after ${command}`)
  knowledge.prove(`read after ${command}`)
  if (isKnown && pick(4) > 0) return []
  return [
    { command: 'read chat', chat: subject },
    { command: 'read favorites' },
    ...shownBy.map((read) => (read.command === 'list chats' ? read : { ...read, chat: subject })),
  ]
}

/** Writes at the end of a sequence, after as many other operations as possible. */
export function lastWrites(
  model: Model,
  pick: Pick,
  isPaid: (generations: number) => boolean,
): readonly Planned[] {
  const turns = repeatableTurns(model)
  const again = turns.filter(({ isRepeated }) => isRepeated)
  // The oldest possible key, which a target forgets first.
  const oldest = (pick(2) === 0 && again.length > 0 ? again : turns).slice(0, 1)
  const variant = 'same form'
  return [
    ...oldest.map(({ chat, label: turn }) => ({ command: 'repeat key', chat, turn, variant })),
    ...lastRefusals(model),
  ].filter(({ command }) => isPaid(commands[command]?.generations ?? 0))
}

/** Reads the whole state in every way, at the end of a sequence. */
export function sweep(
  model: Model,
  { pick, useOfDeleted }: { readonly pick: Pick; readonly useOfDeleted: () => string | undefined },
): readonly Planned[] {
  // A sequence has few chats, so only small pages split their list.
  const limitOfList = () => drawFrom([2, 2, 3, 3, 5, 20], pick)
  const limit = () => drawFrom([2, 3, 5, 10, 20, 50], pick)
  const { living, deleted } = model
  return [
    ...living.flatMap(({ label: chat }) => [
      { command: 'read chat', chat },
      { command: 'read history', chat },
      ...(model.turnsOf(chat).length > 1
        ? [{ command: 'read history', chat, limit: limit() }]
        : []),
    ]),
    ...deleted.flatMap(({ label: chat }) => [
      { command: 'use deleted chat', chat, variant: useOfDeleted() },
      { command: 'use deleted chat', chat, variant: 'history' },
    ]),
    { command: 'read favorites' },
    ...living
      .filter(({ name }) => name !== undefined)
      .map(({ label: chat }) => ({ command: 'list chats', chat, variant: 'search of one' })),
    ...listsOf(['all', 'search', 'without favorites'], limitOfList),
  ]
}

/** Lists of chats, whole and in pages. */
function listsOf(variants: readonly string[], limit: () => number | undefined): readonly Planned[] {
  const command = 'list chats'
  return variants.flatMap((variant) => [
    { command, variant },
    { command, variant, limit: limit() },
  ])
}

/** Number of chats that a list in pages of two shows on three pages. */
const pagedChats = 5

/** Renames and deletes the most used chat, then reads the lists; last, because it hides earlier effects. */
export function lastDeletion(model: Model): readonly Planned[] {
  const [busiest] = model.busiestFirst
  if (busiest === undefined) return []
  const { label: chat } = busiest
  const missing = Math.max(0, pagedChats + 1 - model.living.length)
  return [
    { command: 'rename', chat },
    { command: 'read chat', chat },
    { command: 'read history', chat },
    ...Array<Planned>(missing).fill({ command: 'create chat' }),
    { command: 'delete chat', chat },
    { command: 'use deleted chat', chat, variant: 'history' },
    ...listsOf(['all', 'search'], () => 2),
  ]
}
