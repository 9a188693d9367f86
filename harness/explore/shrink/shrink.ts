import { isEarlyEnd } from '../../conformance/exploration.ts'
import type { Operation, StateViolation } from '../command.ts'
import type { Replay } from '../sequence.ts'
import {
  beginnings,
  generationsOf,
  kindsOf,
  mergeChats,
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
  options: ShrinkOptions,
): Promise<Shrunk | undefined> {
  const shrinker = new Shrinker(operations, options)
  try {
    await shrinker.reproduce()
    await shrinker.shorten()
  } catch (error) {
    if (shrinker.best === undefined || !isEarlyEnd(error)) throw error
  }
  return shrinker.best
}

class Shrinker {
  /** The sequence with the fewest requests: a simpler operation may need more of them. */
  best: Shrunk | undefined
  #current: Shrunk | undefined
  #spentOperations = 0
  #spentGenerations = 0
  readonly #tried = new Set<string>()
  readonly #operations: readonly Operation[]
  readonly #options: ShrinkOptions

  constructor(operations: readonly Operation[], options: ShrinkOptions) {
    this.#operations = operations
    this.#options = options
  }

  /** Finds a starting sequence. */
  async reproduce(): Promise<void> {
    const operations = this.#operations
    // A violation that is not shown each time may need a second try.
    for (const start of [
      ...beginnings(operations, this.#options.violation),
      operations,
      operations,
    ]) {
      if (this.#current !== undefined) return
      this.#tried.delete(nameOf(start))
      await this.#attempt(start)
    }
  }

  async shorten(): Promise<void> {
    if (this.#current !== undefined) await this.#dropAny(this.#current, kindsOf)
    while (
      this.#current !== undefined &&
      ((await this.#mergeAny(this.#current)) ||
        (await this.#dropAny(this.#current, partsOf)) ||
        (await this.#simplifyAny(this.#current)))
    ) {
      // After each success, the shorter or simpler sequence is shrunk again.
    }
  }

  async #attempt(attempted: readonly Operation[]): Promise<boolean> {
    const candidate = withoutOrphans(attempted, this.#operations)
    if (candidate.at(-1) !== attempted.at(-1)) return false
    const name = nameOf(candidate)
    if (candidate.length === 0 || this.#tried.has(name) || !this.#isPayable(candidate)) return false
    this.#tried.add(name)
    this.#spentOperations += candidate.length
    this.#spentGenerations += generationsOf(candidate)
    const replayed = await this.#options.replay(candidate)
    const { violation } = replayed
    if (violation === undefined || !this.#isSame(replayed)) return false
    const { best } = this
    this.#current = { ...replayed, violation }
    if (best === undefined || replayed.exchanges.length <= best.exchanges.length) {
      this.best = this.#current
    }
    return true
  }

  #isPayable(candidate: readonly Operation[]): boolean {
    const { maxOperations, maxGenerations } = this.#options
    return (
      this.#spentOperations + candidate.length <= maxOperations &&
      this.#spentGenerations + generationsOf(candidate) <= maxGenerations
    )
  }

  /** The same cause may break another requirement if less is known about the state. */
  #isSame({ violation, operations }: Replay): boolean {
    const lastLabels = [this.#operations.at(-1)?.label, this.#current?.operations.at(-1)?.label]
    return (
      violation?.requirement === this.#options.violation.requirement ||
      lastLabels.includes(operations.at(-1)?.label)
    )
  }

  /** Continues from each success with the remaining parts, so that none is tried twice. */
  async #dropAny(from: Shrunk, parts: typeof partsOf): Promise<boolean> {
    for (const part of parts(from.operations)) {
      const { operations: all } = this.#current ?? from
      const rest = all.filter((one, at) => at === all.length - 1 || !part.has(one))
      if (rest.length < all.length) await this.#attempt(rest)
    }
    return this.#current !== from
  }

  async #mergeAny({ operations: all }: Shrunk): Promise<boolean> {
    const into = all.at(-1)?.chat
    if (into === undefined) return false
    const others = new Set(all.flatMap(({ chat }) => (chat === undefined ? [] : [chat])))
    others.delete(into)
    for (const other of others) if (await this.#attempt(mergeChats(all, other, into))) return true
    return false
  }

  async #simplifyAny({ operations: all }: Shrunk): Promise<boolean> {
    for (const [at, operation] of all.entries()) {
      for (const simpler of simplerOperations(operation)) {
        if (await this.#attempt(all.toSpliced(at, 1, ...simpler))) return true
      }
    }
    return false
  }
}
