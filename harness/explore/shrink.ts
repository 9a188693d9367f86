import type { RequirementId } from '../../contract/index.ts'
import type { Operation } from './command.ts'
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

  const attempt = async (candidate: readonly Operation[]): Promise<boolean> => {
    const name = candidate.map(({ label }) => label).join()
    if (candidate.length === 0 || tried.has(name) || spent + candidate.length > maxOperations) {
      return false
    }
    tried.add(name)
    spent += candidate.length
    const replayed = await replay(candidate)
    const { violation } = replayed
    if (violation?.row !== row) return false
    if (best === undefined || replayed.operations.length <= best.operations.length) {
      best = { ...replayed, violation }
    }
    return true
  }

  const starts = [
    related(operations, 1),
    related(operations, 2),
    related(operations, 4),
    operations,
    operations,
  ]
  for (const start of starts) {
    if (best !== undefined) break
    tried.delete(start.map(({ label }) => label).join())
    await attempt(start)
  }
  for (let size = Math.ceil(length() / 2); best !== undefined && size >= 1; ) {
    if (await dropOne(size)) continue
    if (size === 1) break
    size = Math.ceil(size / 2)
  }
  return best

  function length(): number {
    return best?.operations.length ?? 0
  }

  /** Leaves out one part of that size; the last operation shows the violation, and stays. */
  async function dropOne(size: number): Promise<boolean> {
    const current = best?.operations ?? []
    for (let from = Math.max(0, current.length - 1 - size); ; from = Math.max(0, from - size)) {
      const rest = current.filter(
        (_, at) => at < from || at >= from + size || at === current.length - 1,
      )
      if (rest.length < current.length && (await attempt(rest))) return true
      if (from === 0) return false
    }
  }
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
