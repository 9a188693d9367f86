import { InconclusiveError } from '../../conformance/session/errors.ts'
import type { Operation, StateViolation } from '../command.ts'
import { commands } from '../commands/index.ts'
import type { Replay } from '../sequence.ts'
import {
  beginnings,
  kindsOf,
  mergedChats,
  nameOf,
  partsOf,
  simplerOperations,
  withoutOrphans,
} from './parts.ts'

/** A reproduced violation with the shortest sequence that was found for it. */
export type Shrunk = Replay & { readonly violation: NonNullable<Replay['violation']> }

export interface ShrinkOptions {
  readonly violation: StateViolation
  /** Carries a sequence out in fresh chats. */
  readonly replay: (operations: readonly Operation[]) => Promise<Replay>
  /** Maximum number of operations in total. */
  readonly maxOperations: number
  /** Maximum number of generations that they may cost. */
  readonly maxGenerations: number
}

/**
 * The shortest sequence found that breaks the requirement again: starts with the operations on the resources
 * of the violating one, then removes smaller and smaller parts, then replaces operations by simpler ones.
 * Undefined if the violation is not reproduced.
 * @throws errors that end the run before the violation is reproduced
 */
export async function shrink(
  operations: readonly Operation[],
  { violation: sought, replay, maxOperations, maxGenerations }: ShrinkOptions,
): Promise<Shrunk | undefined> {
  /** `best`: the sequence with the fewest requests, because a simpler operation may need more of them. */
  const found: { best?: Shrunk; current?: Shrunk } = {}
  const spent = { operations: 0, generations: 0 }
  const tried = new Set<string>()

  async function attempt(attempted: readonly Operation[]): Promise<boolean> {
    const candidate = withoutOrphans(attempted, operations)
    if (candidate.at(-1) !== attempted.at(-1)) return false
    const name = nameOf(candidate)
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

  /** Continues from each success with the remaining parts, so that none is tried twice. */
  async function dropAny(parts: typeof partsOf): Promise<boolean> {
    const from = found.current
    for (const part of parts(from?.operations ?? [])) {
      const all = found.current?.operations ?? []
      const rest = all.filter((one, at) => at === all.length - 1 || !part.has(one))
      if (rest.length < all.length) await attempt(rest)
    }
    return found.current !== from
  }

  /** Attempts sequences up to the first success. */
  async function attemptAny(sequences: Iterable<readonly Operation[]>): Promise<boolean> {
    for (const sequence of sequences) if (await attempt(sequence)) return true
    return false
  }

  try {
    // A violation that is not shown each time may need a second try.
    for (const start of [...beginnings(operations, sought), operations, operations]) {
      tried.delete(nameOf(start))
      if (await attempt(start)) break
    }
    if (found.current !== undefined) await dropAny(kindsOf)
    while (
      found.current !== undefined &&
      ((await attemptAny(mergedChats(found.current.operations))) ||
        (await dropAny(partsOf)) ||
        (await attemptAny(simplified(found.current.operations))))
    ) {
      // After each success, the shorter or simpler sequence is shrunk again.
    }
  } catch (error) {
    if (found.best === undefined || !(error instanceof InconclusiveError)) throw error
  }
  return found.best
}

/** The sequence with one operation replaced by a simpler one. */
function simplified(all: readonly Operation[]): readonly (readonly Operation[])[] {
  return all.flatMap((operation, at) =>
    simplerOperations(operation).map((simpler) => all.toSpliced(at, 1, ...simpler)),
  )
}
