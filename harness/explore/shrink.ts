import { isEarlyEnd } from '../conformance/exploration.ts'
import type { Operation, StateViolation } from './command.ts'
import { commandNamed } from './commands/index.ts'
import type { Replay } from './sequence.ts'

/** A violation that happened again, by the shortest sequence that was found for it. */
export type Shrunk = Replay & { readonly violation: NonNullable<Replay['violation']> }

export interface ShrinkOptions {
  /** The violation that has to happen again. */
  readonly violation: StateViolation
  /** Carries a sequence out in fresh chats. */
  readonly replay: (operations: readonly Operation[]) => Promise<Replay>
  /** Operations that may be carried out in all. */
  readonly maxOperations: number
}

/**
 * The shortest sequence found that breaks the row again: first what the violating operation is about,
 * then ever smaller parts left out, then simpler operations in place of others. Undefined where the
 * violation does not happen again.
 * @throws what ends the run before the violation happened again
 */
export async function shrink(
  operations: readonly Operation[],
  { violation: sought, replay, maxOperations }: ShrinkOptions,
): Promise<Shrunk | undefined> {
  let spent = 0
  let current: Shrunk | undefined
  /** The one with the fewest requests: a simpler operation may take more of them. */
  let best: Shrunk | undefined
  const tried = new Set<string>()
  const last = operations.at(-1)

  const attempt = async (candidate: readonly Operation[]): Promise<boolean> => {
    const name = nameOf(candidate)
    if (candidate.length === 0 || tried.has(name) || spent + candidate.length > maxOperations) {
      return false
    }
    tried.add(name)
    spent += candidate.length
    const replayed = await replay(candidate)
    const { violation } = replayed
    // The same cause may show in another row where less is known of the state.
    const isSame =
      violation?.row === sought.row || replayed.operations.at(-1)?.label === last?.label
    if (violation === undefined || !isSame) return false
    current = { ...replayed, violation }
    if (best === undefined || replayed.exchanges.length <= best.exchanges.length) best = current
    return true
  }

  try {
    // A race may need a second try.
    for (const start of [...beginnings(operations, sought), operations, operations]) {
      if (current !== undefined) break
      tried.delete(nameOf(start))
      await attempt(start)
    }
    while (
      current !== undefined &&
      ((await dropAny(current.operations)) || (await simplifyAny(current.operations)))
    ) {
      // Each success is a shorter or simpler sequence, of which the same is tried again.
    }
  } catch (error) {
    if (best === undefined || !isEarlyEnd(error)) throw error
  }
  return best

  async function dropAny(current: readonly Operation[]): Promise<boolean> {
    for (const part of partsOf(current)) {
      const rest = current.filter(
        (operation, at) => at === current.length - 1 || !part.has(operation),
      )
      if (rest.length < current.length && (await attempt(rest))) return true
    }
    return false
  }

  async function simplifyAny(current: readonly Operation[]): Promise<boolean> {
    for (const [at, operation] of current.entries()) {
      for (const simpler of simplerOperations(operation)) {
        if (await attempt(current.with(at, simpler))) return true
      }
    }
    return false
  }
}

/** Operations to begin with, the fewest first: those on what the violation is about. */
function beginnings(
  operations: readonly Operation[],
  { about }: StateViolation,
): readonly (readonly Operation[])[] {
  const last = operations.at(-1)
  if (last === undefined) return []
  const others = operations.slice(0, -1)
  const subjects = new Set(about)
  const plainest = commandNamed(last.command)?.simpler?.(last)[0] ?? last
  const own = others.filter((operation) => touches(operation, subjects))
  return [
    ...(own.length > 0 ? [[...own, plainest]] : []),
    ...[1, 2].map((reach) => related(operations, about, reach)),
  ]
}

function touches({ chat, turn, label }: Operation, subjects: ReadonlySet<string>): boolean {
  return [chat, turn, label].some((one) => one !== undefined && subjects.has(one))
}

function simplerOperations(operation: Operation): readonly Operation[] {
  const { limit, ...whole } = operation
  return [
    // A list in one page takes fewer requests, and smaller pages fewer elements.
    ...(limit === undefined ? [] : [whole]),
    ...[2, 3].flatMap((fewer) =>
      limit === undefined || limit <= fewer ? [] : [{ ...whole, limit: fewer }],
    ),
    ...(commandNamed(operation.command)?.simpler?.(operation) ?? []),
  ]
}

function nameOf(operations: readonly Operation[]): string {
  return operations
    .map(({ command, label, variant = '', limit = 0 }) => `${command} ${label} ${variant} ${limit}`)
    .join()
}

/** Parts to leave out, large ones first: all reads, all of one command, all of one chat, halves, single ones. */
function partsOf(operations: readonly Operation[]): readonly ReadonlySet<Operation>[] {
  const chats = new Set(operations.flatMap(({ chat }) => (chat === undefined ? [] : [chat])))
  const names = new Set(operations.map(({ command }) => command))
  const last = operations.at(-1)
  const where = (test: (operation: Operation) => boolean) => new Set(operations.filter(test))
  const chunks: Set<Operation>[] = []
  for (let size = Math.ceil(operations.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = operations.length - size; from > -size; from -= size) {
      chunks.push(new Set(operations.slice(Math.max(0, from), from + size)))
    }
  }
  return [
    where(({ command }) => commandNamed(command)?.reads === true),
    ...[...chats]
      .filter((one) => one !== last?.chat)
      .map((one) => where(({ chat, turn, label }) => [chat, turn, label].includes(one))),
    ...[...names]
      .filter((one) => one !== 'create chat')
      .map((one) => where(({ command }) => command === one)),
    ...chunks,
  ].filter((part) => part.size > 0)
}

/**
 * The operations that share a chat with the last one or with what the violation is about, and those
 * that created these; `reach` says how often chats that these touch are followed in turn.
 */
function related(
  operations: readonly Operation[],
  about: readonly string[],
  reach: number,
): readonly Operation[] {
  const last = operations.at(-1)
  const subjects = new Set([last?.chat, last?.turn, ...about].filter((one) => one !== undefined))
  if (subjects.size === 0) return operations
  for (let step = 0; step < reach; step += 1) {
    // The chat of a file that it is about is followed at once.
    const followed = operations.filter((operation) =>
      step === 0 ? subjects.has(operation.label) : touches(operation, subjects),
    )
    for (const { chat, turn, label } of followed) {
      for (const one of [chat, turn, label]) if (one !== undefined) subjects.add(one)
    }
  }
  return operations.filter((operation) => operation === last || touches(operation, subjects))
}
