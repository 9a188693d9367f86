import type { Exchange, RequirementId } from '../../contract/index.ts'
import type { ExplorationContext } from './context.ts'
import type { Model } from './model.ts'

/** One operation as data, so that a sequence of them can be replayed and shortened. */
export interface Operation {
  readonly command: string
  /** Unique in its sequence; names what the operation creates. */
  readonly label: string
  /** Label of the chat that it is about. */
  readonly chat?: string
  /** Label of the turn that it repeats or continues. */
  readonly turn?: string
  readonly variant?: string
  readonly limit?: number
}

export type Draft = Omit<Operation, 'command' | 'label'>

/** Sequences are about chats of one version, so that enough happens to each chat. */
export type SequenceKind = 'v2' | 'v3'

/** A number from 0 up to, and without, what it is given. */
export type Pick = (below: number) => number

export interface Command {
  readonly name: string
  /** Relative frequency. */
  readonly weight: number
  /** Generations that it costs. */
  readonly generations: number
  /** Sequences that it is drawn for; those of v3 chats where it is left out. */
  readonly kind?: SequenceKind
  /** True where it only reads: it changes nothing that the model knows of. */
  readonly reads?: boolean
  /** Rows without which it is left out: what it needs is not declared or not selected. */
  readonly needs?: readonly RequirementId[]
  /** Undefined where the state has nothing to apply it to. */
  draw(model: Model, pick: Pick): Draft | undefined
  /** Tests if an operation still makes sense in a sequence that was shortened. */
  applies(model: Model, operation: Operation): boolean
  /** Simpler operations that may show the same, the simplest first; none by default. */
  simpler?(operation: Operation): readonly (Operation | readonly Operation[])[]
  run(context: ExplorationContext, operation: Operation): Promise<void>
}

/** Breach of a requirement by the target, in words. */
export class StateViolation extends Error {
  override readonly name = 'StateViolation'
  readonly row: RequirementId
  readonly evidence: readonly Exchange[]
  /** Labels of the chats and files that it is about, beside the chat of the operation. */
  readonly about: readonly string[]

  constructor(
    row: RequirementId,
    why: string,
    evidence: readonly Exchange[],
    about: readonly string[] = [],
  ) {
    super(why)
    this.row = row
    this.evidence = evidence
    this.about = about
  }
}

/** @throws StateViolation where the condition does not hold. */
export function demand(
  condition: boolean,
  row: RequirementId,
  why: string,
  ...evidence: readonly Exchange[]
): void {
  if (!condition) throw new StateViolation(row, why, evidence)
}

/** An element of a list; undefined where it is empty. */
export function drawFrom<T>(list: readonly T[], pick: Pick): T | undefined {
  return list.length === 0 ? undefined : list[pick(list.length)]
}

/** A chat of a list, its first ones more often: what takes many operations happens to them. */
export function drawChat(
  chats: readonly { readonly label: string }[],
  pick: Pick,
): { readonly chat: string } | undefined {
  const chosen = drawFrom(pick(2) === 0 ? chats.slice(0, 2) : chats, pick)
  return chosen && { chat: chosen.label }
}
