import type { Exchange, RequirementId } from '../../contract/index.ts'
import { chatRoutes } from '../conformance/scenario/routes/chats.ts'
import { v2Routes } from '../conformance/scenario/routes/v2.ts'
import { type Chat, v3Routes } from '../conformance/scenario/routes/v3.ts'
import { InconclusiveError } from '../conformance/session/errors.ts'
import type { Session } from '../conformance/session/session.ts'
import { Model } from './model.ts'

/** One operation as data, so that a sequence of them can be replayed and shortened. */
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
  /** Requirements that it needs; it is left out if one of them is not judged in the run. */
  readonly needs?: readonly RequirementId[]
  /** Requirements that it can find broken, in addition to those that it needs. */
  readonly expects?: readonly RequirementId[]
  /** The chats that it can use in a state. */
  readonly chats?: (model: Model) => readonly Labeled[]
  /** Variants, frequent ones listed more than once. */
  readonly variants?: readonly (string | undefined)[]
  /** Reads that show its effect on a chat, in addition to those of the chat itself and of the favorites. */
  readonly shownBy?: readonly Planned[]
  /** One of its chats in one of its variants by default; undefined if the state has nothing to apply it to. */
  draw?(model: Model, pick: Pick): Draft | undefined
  /** Tests if it makes sense in a shortened sequence: by default, if its chat is one of `chats`. */
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

/** The target and the model of it, as commands use them. */
export interface ExplorationContext {
  readonly model: Model
  readonly knowledge: Knowledge
  readonly session: Session
  readonly v3: ReturnType<typeof v3Routes>
  readonly chats: ReturnType<typeof chatRoutes>
  readonly v2: ReturnType<typeof v2Routes>
  /** First word of the name of every chat of this sequence. */
  readonly word: string
  /** The chat with a label, in the form that the routes accept. */
  handle(label: string): Chat
  /** Adds a chat that was created. */
  addChat(label: string, chat: Chat): void
  /** Records a request that belongs to the sequence, for the report of a violation. */
  record(exchange: Exchange): Exchange
  /** The recorded requests in order, without their bodies: contexts live as long as the run, and bodies must not. */
  readonly recorded: readonly Evidence[]
  /** Deletes its remaining chats, so that the next sequence begins without them. */
  dispose(): Promise<void>
}

export interface Evidence {
  readonly id: string
}

/** A fresh context of the same target: an empty model, and the knowledge of the target so far. */
export function createExplorationContext(
  session: Session,
  knowledge: Knowledge,
): ExplorationContext {
  const handles = new Map<string, Chat>()
  const recorded: Evidence[] = []
  const context: ExplorationContext = {
    model: new Model(),
    knowledge,
    session,
    v3: v3Routes(session),
    chats: chatRoutes(session),
    v2: v2Routes(session),
    word: session.nonce(),
    recorded,
    record(exchange) {
      recorded.push({ id: exchange.id })
      return exchange
    },
    handle(label) {
      const chat = handles.get(label)
      if (chat === undefined) throw new InconclusiveError(`there is no chat ${label}`)
      return chat
    },
    addChat: (label, chat) => void handles.set(label, chat),
    async dispose() {
      for (const [label, { id }] of handles) {
        handles.delete(label)
        if (context.model.chat(label)?.deleted) continue
        await context.chats.remove(id, { role: 'cleanup' })
      }
    },
  }
  session.onCleanup(context.dispose)
  return context
}

/**
 * Knowledge of a run about its target. An ability is an operation that worked in the plain case; a choice is
 * its answer to a point that the document leaves open. Only behavior that was seen once is expected again:
 * the scenarios of the suites test what a target never does.
 */
export class Knowledge {
  readonly #known = new Map<string, boolean>()

  /** Tests if the target was able to do something, or chose it at an open point. */
  isAble(ability: string): boolean {
    return this.#known.get(ability) === true
  }

  /** Records that the target is able to do something. */
  prove(ability: string): void {
    this.#known.set(ability, true)
  }

  /** Records the choice of the target at an open point, the first time only. */
  learn(point: string, choice: boolean): void {
    if (!this.#known.has(point)) this.#known.set(point, choice)
  }
}
