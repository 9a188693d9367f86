/** Shortens a sequence that shows a violation. */
import { InconclusiveError } from '../conformance/session/errors.ts'
import type { Operation, StateViolation } from './command.ts'
import { commands } from './commands/index.ts'
import type { Replay } from './sequence.ts'

/** A reproduced violation with the shortest sequence that was found for it. */
export type Shrunk = Replay & { readonly violation: NonNullable<Replay['violation']> }

export interface ShrinkOptions {
  readonly violation: StateViolation
  /** Carries a sequence out in fresh chats. */
  readonly replay: (operations: Sequence) => Promise<Replay>
  readonly maxOperations: number
  /** Maximum number of generations that they may cost. */
  readonly maxGenerations: number
}

type Sequence = readonly Operation[]

/**
 * The shortest sequence found that breaks the requirement again: starts with the operations on the resources
 * of the violating one, then tries edits that leave out smaller and smaller parts or simplify operations.
 * Undefined if the violation is not reproduced.
 * @throws errors that end the run before the violation is reproduced
 */
export async function shrink(
  operations: Sequence,
  { violation: sought, replay, maxOperations, maxGenerations }: ShrinkOptions,
): Promise<Shrunk | undefined> {
  /** `best`: the sequence with the fewest requests, because a simpler operation may need more of them. */
  const found: { best?: Shrunk; current?: Shrunk } = {}
  const spent = { operations: 0, generations: 0 }
  const tried = new Set<string>()

  async function attempt(attempted: Sequence): Promise<boolean> {
    const candidate = withoutOrphans(attempted, operations)
    if (candidate.at(-1) !== attempted.at(-1)) return false
    const name = JSON.stringify(candidate)
    const after = {
      operations: spent.operations + candidate.length,
      generations: candidate.reduce(
        (sum, { command }) => sum + (commands[command]?.generations ?? 0),
        spent.generations,
      ),
    }
    const isPayable = after.operations <= maxOperations && after.generations <= maxGenerations
    if (candidate.length === 0 || tried.has(name) || !isPayable) return false
    tried.add(name)
    Object.assign(spent, after)
    const replayed = await replay(candidate)
    const { violation } = replayed
    if (violation === undefined) return false
    // The same cause may break another requirement if less is known about the state.
    const lastLabels = [operations.at(-1)?.label, found.current?.operations.at(-1)?.label]
    const isSame =
      violation.requirement === sought.requirement ||
      lastLabels.includes(replayed.operations.at(-1)?.label)
    if (!isSame) return false
    found.current = { ...replayed, violation }
    if (found.best === undefined || replayed.exchanges.length <= found.best.exchanges.length)
      found.best = found.current
    return true
  }

  try {
    for (const reach of [0, 1, 2, Infinity, Infinity]) {
      // A violation that is not shown each time may need a second try.
      if (reach === Infinity) tried.clear()
      if (await attempt(related(operations, sought.about, reach))) break
    }
    // Each edit continues from the success of the one before.
    for (let before: Shrunk | undefined; found.current !== before; ) {
      before = found.current
      for (const edit of editsOf(before?.operations ?? []))
        await attempt(edit(found.current?.operations ?? []))
    }
  } catch (error) {
    if (found.best === undefined || !(error instanceof InconclusiveError)) throw error
  }
  return found.best
}

/** The operations without those on resources that only an operation of `all` creates. */
function withoutOrphans(operations: Sequence, all: Sequence): Sequence {
  const missing = new Set<string | undefined>(all.map(({ label }) => label))
  for (const { label } of operations) missing.delete(label)
  return operations.filter(({ chat, turn }) => !missing.has(chat) && !missing.has(turn))
}

/**
 * The operations that share a chat with the last one or with the violation; `reach` is the number of times that
 * further chats which these operations touch are added, without end for all operations.
 */
function related(operations: Sequence, about: readonly string[], reach: number): Sequence {
  if (reach === Infinity) return operations
  const last = operations.at(-1)
  const subjects = new Set([last?.chat, last?.turn, ...about])
  subjects.delete(undefined)
  const touches = (one: Operation) => namesIn(one).some((name) => subjects.has(name))
  for (let step = 0; step < reach; step += 1) {
    // The chat of the turn is included from the start.
    const isFollowed = step === 0 ? ({ label }: Operation) => subjects.has(label) : touches
    for (const name of operations.filter(isFollowed).flatMap(namesIn)) subjects.add(name)
  }
  return operations.filter((one) => one === last || touches(one))
}

/** Labels of the chat, the turn and the operation itself. */
function namesIn({ chat, turn, label }: Operation): readonly string[] {
  return [chat, turn, label].filter((one) => one !== undefined)
}

/** Edits that leave out operations, large parts first, move them to another chat, or make one simpler. */
function editsOf(all: Sequence): readonly ((operations: Sequence) => Sequence)[] {
  const last = all.at(-1)
  const chats = new Set(all.flatMap(({ chat }) => (chat === last?.chat ? [] : (chat ?? []))))
  const commandNames = new Set(all.map(({ command }) => command))
  commandNames.delete('create chat')
  const chunks: Sequence[] = []
  for (let size = Math.ceil(all.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = all.length - size; from > -size; from -= size)
      chunks.push(all.slice(Math.max(0, from), from + size))
  }
  const isLeftOut: readonly ((one: Operation) => boolean)[] = [
    ({ command }) => commands[command]?.reads === true,
    ...[...commandNames].map(
      (name) =>
        ({ command }: Operation) =>
          command === name,
    ),
    ...[...chats].map((chat) => (one: Operation) => namesIn(one).includes(chat)),
    ...chunks.map((chunk) => (one: Operation) => chunk.includes(one)),
  ]
  return [
    ...isLeftOut.map(
      (isOut) => (operations: Sequence) =>
        operations.filter((one, at) => at === operations.length - 1 || !isOut(one)),
    ),
    ...[...chats].map((chat) => (operations: Sequence) => merged(operations, chat, last?.chat)),
    ...all.flatMap((one) =>
      simplerOperations(one).map(
        (simpler) => (operations: Sequence) =>
          operations.flatMap((other) => (other === one ? simpler : [other])),
      ),
    ),
  ]
}

/** The operations on one chat carried out on another, which is created where the first of both is. */
function merged(all: Sequence, chat: string, into: string | undefined): Sequence {
  const creations = all.filter(({ label }) => label === chat || label === into)
  const creation = creations.find(({ label }) => label === into)
  if (creation === undefined) return all
  return all.flatMap((operation) => {
    if (creations.includes(operation)) return operation === creations[0] ? [creation] : []
    return [operation.chat === chat ? { ...operation, chat: into } : operation]
  })
}

/** Operations that may replace one. */
function simplerOperations(operation: Operation): readonly Sequence[] {
  const { limit, ...whole } = operation
  return [
    // A list in one page takes fewer requests, and smaller pages fewer elements.
    ...(limit === undefined ? [] : [whole]),
    ...[2, 3].flatMap((fewer) =>
      limit === undefined || limit <= fewer ? [] : [{ ...whole, limit: fewer }],
    ),
    ...(commands[operation.command]?.simpler?.(operation) ?? []),
  ].map((simpler) => [simpler].flat())
}
