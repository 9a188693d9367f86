/** Shorter and simpler sequences that may show the same violation. */
import type { Operation, StateViolation } from '../command.ts'
import { commands } from '../commands/index.ts'

/** The sequences on the chat of the last operation in place of another one, created where the first of both is. */
export function mergedChats(all: readonly Operation[]): readonly (readonly Operation[])[] {
  const into = all.at(-1)?.chat
  const others = new Set(all.flatMap(({ chat }) => (chat === undefined ? [] : [chat])))
  others.delete(into ?? '')
  return [...(into === undefined ? [] : others)].map((other) => {
    const creations = all.filter(({ label }) => label === other || label === into)
    const creation = creations.find(({ label }) => label === into)
    return all.flatMap((operation) => {
      if (operation === creations[0] && creation !== undefined) return [creation]
      if (creations.includes(operation)) return []
      return [operation.chat === other ? { ...operation, chat: into } : operation]
    })
  })
}

/** The operations without those on resources that only an operation of `all` creates. */
export function withoutOrphans(
  operations: readonly Operation[],
  all: readonly Operation[],
): readonly Operation[] {
  const missing = new Set(all.map(({ label }) => label))
  for (const { label } of operations) missing.delete(label)
  return operations.filter(
    ({ chat, turn }) => !(missing.has(chat ?? '') || missing.has(turn ?? '')),
  )
}

/** Starting points of the search, the shortest first: operations on the resources of the violation. */
export function beginnings(
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

/** Operations that may replace one. */
export function simplerOperations(operation: Operation): readonly (readonly Operation[])[] {
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

export function nameOf(operations: readonly Operation[]): string {
  return operations
    .map(({ command, label, chat, variant, limit }) =>
      [command, label, chat, variant, limit].join(' '),
    )
    .join()
}

/** Parts to leave out, large ones first: those of a kind, halves, single ones. */
export function partsOf(operations: readonly Operation[]): readonly ReadonlySet<Operation>[] {
  const chunks: Set<Operation>[] = []
  for (let size = Math.ceil(operations.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = operations.length - size; from > -size; from -= size) {
      chunks.push(new Set(operations.slice(Math.max(0, from), from + size)))
    }
  }
  return [...kindsOf(operations), ...chunks]
}

/** All reads, all of one command, all of one chat. */
export function kindsOf(operations: readonly Operation[]): readonly ReadonlySet<Operation>[] {
  const chats = new Set(operations.flatMap(({ chat }) => (chat === undefined ? [] : [chat])))
  const names = new Set(operations.map(({ command }) => command))
  const last = operations.at(-1)
  const where = (test: (operation: Operation) => boolean) => new Set(operations.filter(test))
  return [
    where(({ command }) => commands[command]?.reads === true),
    ...[...names]
      .filter((one) => one !== 'create chat')
      .map((one) => where(({ command }) => command === one)),
    ...[...chats]
      .filter((one) => one !== last?.chat)
      .map((one) => where(({ chat, turn, label }) => [chat, turn, label].includes(one))),
  ].filter((part) => part.size > 0)
}

/**
 * The operations that share a chat with the last one or with the violation, and those that created these
 * chats; `reach` is the number of times that further chats which these operations touch are added.
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
    // The chat of the turn is included from the start.
    const followed = operations.filter((operation) =>
      step === 0 ? subjects.has(operation.label) : touches(operation, subjects),
    )
    for (const { chat, turn, label } of followed) {
      for (const one of [chat, turn, label]) if (one !== undefined) subjects.add(one)
    }
  }
  return operations.filter((operation) => operation === last || touches(operation, subjects))
}
