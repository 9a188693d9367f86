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
  /** Generations that these may cost. */
  readonly maxGenerations: number
}

/**
 * The shortest sequence found that breaks the row again: first what the violating operation is about,
 * then ever smaller parts left out, then simpler operations in place of others. Undefined where the
 * violation does not happen again.
 * @throws what ends the run before the violation happened again
 */
export async function shrink(
  operations: readonly Operation[],
  { violation: sought, replay, maxOperations, maxGenerations }: ShrinkOptions,
): Promise<Shrunk | undefined> {
  let spentOperations = 0
  let spentGenerations = 0
  let current: Shrunk | undefined
  /** The one with the fewest requests: a simpler operation may take more of them. */
  let best: Shrunk | undefined
  const tried = new Set<string>()
  const last = operations.at(-1)

  const attempt = async (attempted: readonly Operation[]): Promise<boolean> => {
    const candidate = withoutOrphans(attempted, operations)
    if (candidate.at(-1) !== attempted.at(-1)) return false
    const name = nameOf(candidate)
    const isPayable =
      spentOperations + candidate.length <= maxOperations &&
      spentGenerations + generationsOf(candidate) <= maxGenerations
    if (candidate.length === 0 || tried.has(name) || !isPayable) return false
    tried.add(name)
    spentOperations += candidate.length
    spentGenerations += generationsOf(candidate)
    const replayed = await replay(candidate)
    const { violation } = replayed
    // The same cause may show in another row where less is known of the state.
    const label = replayed.operations.at(-1)?.label
    const lastLabels = [last?.label, current?.operations.at(-1)?.label]
    const isSame = violation?.row === sought.row || lastLabels.includes(label)
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
    if (current !== undefined) await dropAny(current, kindsOf)
    while (
      current !== undefined &&
      ((await mergeAny(current)) ||
        (await dropAny(current, partsOf)) ||
        (await simplifyAny(current)))
    ) {
      // Each success is a shorter or simpler sequence, of which the same is tried again.
    }
  } catch (error) {
    if (best === undefined || !isEarlyEnd(error)) throw error
  }
  return best

  /** Goes on from each success with the parts that are left, and so tries none twice. */
  async function dropAny(from: Shrunk, parts: typeof partsOf): Promise<boolean> {
    for (const part of parts(from.operations)) {
      const { operations: all } = current ?? from
      const rest = all.filter((one, at) => at === all.length - 1 || !part.has(one))
      if (rest.length < all.length) await attempt(rest)
    }
    return current !== from
  }

  async function mergeAny({ operations: all }: Shrunk): Promise<boolean> {
    const into = all.at(-1)?.chat
    if (into === undefined) return false
    const others = new Set(all.flatMap(({ chat }) => (chat === undefined ? [] : [chat])))
    others.delete(into)
    for (const other of others) if (await attempt(mergeChats(all, other, into))) return true
    return false
  }

  async function simplifyAny({ operations: all }: Shrunk): Promise<boolean> {
    for (const [at, operation] of all.entries()) {
      for (const simpler of simplerOperations(operation)) {
        if (await attempt(all.toSpliced(at, 1, ...simpler))) return true
      }
    }
    return false
  }
}

/** The same operations on one chat in place of two, which is created where the first one was. */
function mergeChats(
  operations: readonly Operation[],
  other: string,
  into: string,
): readonly Operation[] {
  const creations = operations.filter(({ label }) => label === other || label === into)
  const creation = creations.find(({ label }) => label === into)
  return operations.flatMap((operation) => {
    if (operation === creations[0] && creation !== undefined) return [creation]
    if (creations.includes(operation)) return []
    return [operation.chat === other ? { ...operation, chat: into } : operation]
  })
}

/** The operations without those on something that only an operation of `all` would create. */
function withoutOrphans(
  operations: readonly Operation[],
  all: readonly Operation[],
): readonly Operation[] {
  const missing = new Set(all.map(({ label }) => label))
  for (const { label } of operations) missing.delete(label)
  return operations.filter(
    ({ chat, turn }) => !(missing.has(chat ?? '') || missing.has(turn ?? '')),
  )
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
  const [plainest] = last.limit === undefined ? simplerOperations(last) : []
  const own = others.filter((operation) => touches(operation, subjects))
  return [
    ...(own.length > 0 ? [[...own, ...(plainest ?? [last])]] : []),
    ...[1, 2].map((reach) => related(operations, about, reach)),
  ]
}

function touches({ chat, turn, label }: Operation, subjects: ReadonlySet<string>): boolean {
  return [chat, turn, label].some((one) => one !== undefined && subjects.has(one))
}

/** Operations that may take the place of one. */
function simplerOperations(operation: Operation): readonly (readonly Operation[])[] {
  const { limit, ...whole } = operation
  return [
    // A list in one page takes fewer requests, and smaller pages fewer elements.
    ...(limit === undefined ? [] : [whole]),
    ...[2, 3].flatMap((fewer) =>
      limit === undefined || limit <= fewer ? [] : [{ ...whole, limit: fewer }],
    ),
    ...(commandNamed(operation.command)?.simpler?.(operation) ?? []),
  ].map((simpler) => [simpler].flat())
}

function generationsOf(operations: readonly Operation[]): number {
  return operations.reduce((sum, { command }) => sum + (commandNamed(command)?.generations ?? 0), 0)
}

function nameOf(operations: readonly Operation[]): string {
  return operations
    .map(({ command, label, chat, variant, limit }) =>
      [command, label, chat, variant, limit].join(' '),
    )
    .join()
}

/** Parts to leave out, large ones first: those of a kind, halves, single ones. */
function partsOf(operations: readonly Operation[]): readonly ReadonlySet<Operation>[] {
  const chunks: Set<Operation>[] = []
  for (let size = Math.ceil(operations.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = operations.length - size; from > -size; from -= size) {
      chunks.push(new Set(operations.slice(Math.max(0, from), from + size)))
    }
  }
  return [...kindsOf(operations), ...chunks]
}

/** All reads, all of one command, all of one chat. */
function kindsOf(operations: readonly Operation[]): readonly ReadonlySet<Operation>[] {
  const chats = new Set(operations.flatMap(({ chat }) => (chat === undefined ? [] : [chat])))
  const names = new Set(operations.map(({ command }) => command))
  const last = operations.at(-1)
  const where = (test: (operation: Operation) => boolean) => new Set(operations.filter(test))
  return [
    where(({ command }) => commandNamed(command)?.reads === true),
    ...[...names]
      .filter((one) => one !== 'create chat')
      .map((one) => where(({ command }) => command === one)),
    ...[...chats]
      .filter((one) => one !== last?.chat)
      .map((one) => where(({ chat, turn, label }) => [chat, turn, label].includes(one))),
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
