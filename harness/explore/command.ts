import type { Exchange, RequirementId } from '../../contract/index.ts'
import { chatRoutes } from '../conformance/scenario/routes/chats.ts'
import { v2Routes } from '../conformance/scenario/routes/v2.ts'
import { v3Routes } from '../conformance/scenario/routes/v3.ts'
import { InconclusiveError } from '../conformance/session/errors.ts'
import type { Session } from '../conformance/session/session.ts'
import { Model } from './model.ts'

/** One operation as data, so that a sequence of them can be replayed and shrunk. */
export interface Operation {
  readonly command: string
  /** Unique in its sequence; names what the operation creates. */
  readonly label: string
  /** Label of its chat. */
  readonly chat?: string | undefined
  /** Label of the turn that it repeats or continues. */
  readonly turn?: string | undefined
  readonly variant?: string | undefined
  readonly limit?: number | undefined
}

/** An operation before it is carried out, when it gets its label. */
export type Planned = Omit<Operation, 'label'>

export type Draft = Omit<Planned, 'command'>

/** Draws a number from 0 to `below`, excluding `below`. */
export type Pick = (below: number) => number

interface Labeled {
  readonly label: string
}

export interface Command {
  /** Relative frequency. */
  readonly weight: number
  /** Number of generations that it costs; none by default. */
  readonly generations?: number
  /** True if it only reads and does not change the state of the model. */
  readonly reads?: boolean
  /** Requirements that it can find broken. */
  readonly expects?: readonly RequirementId[]
  /** The chats that it can use in a state. */
  readonly chats?: (model: Model) => readonly Labeled[]
  /** Variants, frequent ones listed more than once. */
  readonly variants?: readonly (string | undefined)[]
  /** Reads that show its effect on a chat, in addition to those of the chat itself and of the favorites. */
  readonly shownBy?: readonly Planned[]
  /** One of its chats in one of its variants by default; undefined if the state has nothing to apply it to. */
  draw?(model: Model, pick: Pick): Draft | undefined
  /** Tests if it makes sense in a shrunk sequence: by default, if its chat is one of `chats`. */
  applies?(model: Model, operation: Operation): boolean
  /** Simpler operations that may show the same, the simplest first; none by default. */
  simpler?(operation: Operation): readonly (Operation | readonly Operation[])[]
  run(context: ExplorationContext, operation: Operation): Promise<void>
}

/** Commands by their names. */
export type Commands = Readonly<Record<string, Command>>

/** Breach of a requirement by the target, in words. */
export class StateViolation extends Error {
  override readonly name = 'StateViolation'
  readonly requirement: RequirementId
  readonly evidence: readonly Exchange[]
  /** Labels of the chats involved, in addition to the chat of the operation. */
  readonly about: readonly string[]

  constructor(
    requirement: RequirementId,
    why: string,
    evidence: readonly Exchange[],
    about: readonly Labeled[] = [],
  ) {
    super(why)
    this.requirement = requirement
    this.evidence = evidence
    this.about = about.map(({ label }) => label)
  }
}

/** @throws StateViolation if the condition does not hold. */
export function demand(
  condition: boolean,
  requirement: RequirementId,
  why: string,
  ...evidence: readonly Exchange[]
): void {
  if (!condition) throw new StateViolation(requirement, why, evidence)
}

/** An element of a list; undefined if it is empty. */
export function drawFrom<T>(list: readonly T[], pick: Pick): T | undefined {
  return list.length === 0 ? undefined : list[pick(list.length)]
}

/** A chat of a list, the first ones more often, so that they get long series of operations. */
export function drawChat(
  chats: readonly Labeled[],
  pick: Pick,
): { readonly chat: string } | undefined {
  const chosen = drawFrom(pick(2) === 0 ? chats.slice(0, 2) : chats, pick)
  return chosen && { chat: chosen.label }
}

export interface Evidence {
  readonly id: string
}

/** The target and the model of it, as commands use them. */
export type ExplorationContext = ReturnType<typeof createExplorationContext>

/** A fresh context of the same target: an empty model, and the knowledge of the target so far. */
export function createExplorationContext(session: Session, knowledge: Knowledge) {
  const model = new Model()
  const chats = chatRoutes(session)
  const created = new Map<string, string>()
  const recorded: Evidence[] = []
  /** Deletes its remaining chats, so that the next sequence begins without them; the journal keeps the others. */
  const dispose = async () => {
    for (const [label, id] of created) {
      created.delete(label)
      if (model.chat(label)?.deleted) continue
      await chats.remove(id, { role: 'cleanup' }).catch((error: unknown) => {
        if (!(error instanceof InconclusiveError)) throw error
      })
    }
  }
  session.onCleanup(dispose)
  return {
    model,
    knowledge,
    session,
    v3: v3Routes(session),
    chats,
    v2: v2Routes(session),
    /** First word of the name of every chat of this sequence. */
    word: session.nonce(),
    addChat(chat: Parameters<Model['add']>[0]): void {
      created.set(chat.label, chat.id)
      model.add(chat)
    },
    /** Records a request that belongs to the sequence, for the report of a violation. */
    record(exchange: Exchange): Exchange {
      recorded.push({ id: exchange.id })
      return exchange
    },
    /** The recorded requests in order, without their bodies: contexts live as long as the run, and bodies must not. */
    recorded,
    dispose,
  }
}

/**
 * Knowledge of a run about its target. An ability is an operation that worked in the plain case; a choice is
 * its answer to a point that the document leaves open. Only behavior that was seen once is expected again:
 * the scenarios of the suites test what a target never does.
 */
export function createKnowledge() {
  const choices = new Map<string, boolean>()
  return {
    /** Tests if the target was able to do something, or chose it at an open point. */
    isAble: (ability: string): boolean => choices.get(ability) === true,
    /** Records that the target is able to do something. */
    prove: (ability: string) => void choices.set(ability, true),
    /** Records the choice of the target at an open point, the first time only. */
    learn(point: string, choice: boolean): void {
      if (!choices.has(point)) choices.set(point, choice)
    },
  }
}

export type Knowledge = ReturnType<typeof createKnowledge>
