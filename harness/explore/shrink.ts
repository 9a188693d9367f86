import type { RequirementId } from '../../contract/index.ts'
import type { Operation } from './command.ts'
import { commandNamed } from './commands/index.ts'
import type { Replay } from './sequence.ts'

/** A violation that happened again, by the shortest sequence that was found for it. */
export type Shrunk = Replay & { readonly violation: NonNullable<Replay['violation']> }

export interface ShrinkOptions {
  /** The row that has to be broken again. */
  readonly row: RequirementId
  /** Carries a sequence out in fresh chats. */
  readonly replay: (operations: readonly Operation[]) => Promise<Replay>
  /** Operations that may be carried out in all. */
  readonly maxOperations: number
}

/**
 * The shortest sequence found that breaks the row again: first what the violating operation is about,
 * then ever smaller parts left out. Undefined where the violation does not happen again.
 */
export async function shrink(
  operations: readonly Operation[],
  { row, replay, maxOperations }: ShrinkOptions,
): Promise<Shrunk | undefined> {
  let spent = 0
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
    const isSame = violation?.row === row || replayed.operations.at(-1)?.label === last?.label
    if (violation === undefined || !isSame) return false
    if (best === undefined || replayed.operations.length <= best.operations.length) {
      best = { ...replayed, violation }
    }
    return true
  }

  // What the last operation is about comes first; a race may need a second try.
  const starts = [related(operations, 1), related(operations, 2), operations, operations]
  for (const start of starts) {
    if (best !== undefined) break
    tried.delete(nameOf(start))
    await attempt(start)
  }
  while (best !== undefined && (await dropAny(best.operations))) {
    // Each success is a shorter sequence, of which the same is tried again.
  }
  return best

  async function dropAny(current: readonly Operation[]): Promise<boolean> {
    const ending = current.at(-1)
    if (ending?.limit !== undefined) {
      // A list in one page takes fewer requests.
      const { limit: _, ...whole } = ending
      if (await attempt([...current.slice(0, -1), whole])) return true
    }
    for (const part of partsOf(current)) {
      const rest = current.filter(
        (operation, at) => at === current.length - 1 || !part.has(operation),
      )
      if (rest.length < current.length && (await attempt(rest))) return true
    }
    return false
  }
}

function nameOf(operations: readonly Operation[]): string {
  return operations.map(({ label, limit = 0 }) => `${label} ${limit}`).join()
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
 * The operations that share a chat with the last one, and those that created what they are about;
 * `reach` says how often chats that these touch are followed in turn.
 */
function related(operations: readonly Operation[], reach: number): readonly Operation[] {
  const last = operations.at(-1)
  if (last?.chat === undefined) return operations
  const chats = new Set([last.chat, ...(last.turn === undefined ? [] : [last.turn])])
  const touches = ({ chat, turn, label }: Operation) =>
    [chat, turn, label].some((one) => one !== undefined && chats.has(one))
  for (let step = 1; step < reach; step += 1) {
    for (const { chat, turn, label } of operations.filter(touches)) {
      for (const one of [chat, turn, label]) if (one !== undefined) chats.add(one)
    }
  }
  return operations.filter((operation) => operation === last || touches(operation))
}
