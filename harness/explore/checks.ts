import { type Exchange, type RequirementId, succeeded } from '../../contract/index.ts'
import { statusText } from '../conformance/scenario/read.ts'
import { InconclusiveError } from '../conformance/session/errors.ts'
import { demand, type ExplorationContext, type Operation } from './command.ts'
import { type ChatState, chatNamed } from './model.ts'

/** Role of a request that should be refused. */
export const negative = { role: 'negative' } as const

/** The chat of an operation that makes sense in the state. */
export function requireChat(context: ExplorationContext, { chat: label }: Operation): ChatState {
  const chat = chatNamed(context.model, label)
  if (chat === undefined) throw new InconclusiveError('the chat of the operation is unknown')
  return chat
}

interface Acceptance {
  /** Ability that a refusal contradicts. */
  readonly ability: string
  readonly requirement: RequirementId
  /** Name of the request in messages. */
  readonly what: string
}

/** Tests if a request was accepted. @throws StateViolation if it was accepted before and still has to be. */
export function isAccepted(
  { knowledge }: ExplorationContext,
  answer: Exchange,
  { ability, requirement, what }: Acceptance,
): boolean {
  if (succeeded(answer)) return true
  demand(
    !knowledge.isAble(ability),
    requirement,
    `${what} was answered ${statusText(answer)}`,
    answer,
  )
  return false
}

interface PageLimit {
  readonly ability: string
  readonly requirement: RequirementId
  readonly count: (page: Exchange) => number
  /** Describes the content of a page, for messages. */
  readonly describe: (count: number) => string
}

/** Expects no more elements than the limit on each page, once a page was seen to respect its limit. */
export function expectLimit(
  { knowledge }: ExplorationContext,
  pages: readonly Exchange[],
  limit: number | undefined,
  { ability, requirement, count, describe }: PageLimit,
): void {
  if (limit === undefined) return
  for (const page of pages) {
    const rows = count(page)
    if (rows <= limit) knowledge.prove(ability)
    else
      demand(
        !knowledge.isAble(ability),
        requirement,
        `a page with limit ${limit} ${describe(rows)}`,
        page,
      )
  }
}

/** Tests if the plainest generation is still accepted: an exhausted quota says nothing about the state. */
export async function stillGenerates(
  { v3, session }: ExplorationContext,
  stream: boolean,
): Promise<boolean> {
  const chat = await v3.createChat({ role: 'control' })
  const body = v3.generateBody(chat, `Name a color for ${session.nonce()}.`, { stream })
  return succeeded(await v3.generate(body, { role: 'control' }))
}

/** Context of a read that only determines which requirement is broken; it is not part of the sequence. */
export function asControl(context: ExplorationContext): ExplorationContext {
  return { ...context, record: (exchange) => exchange }
}

/**
 * Property of a chat that is set by its own operations. Whether other operations change it is open: a run learns
 * this the first time, and reports a loss only if the target kept the property before.
 */
type Property = keyof ChatState['sinceRead']

/** Kinds of operation that set a property, so that their effect on it is known. */
const setting: Readonly<Record<Property, readonly string[]>> = {
  name: ['create', 'rename'],
  favorite: [
    'create',
    ...['add favorite', 'add favorite again', 'remove favorite', 'remove favorite again'],
  ],
}

/** Kinds after which a chat may have another name; the document does not specify it. */
const titling: readonly string[] = ['generate']

/** Tests if every kind of operation since the last read of a property is known to keep it. */
export function isSettled(
  context: ExplorationContext,
  property: Property,
  { sinceRead }: ChatState,
): boolean {
  return kindsSinceSet(property, sinceRead[property]).every(
    (kind) =>
      !(property === 'name' && titling.includes(kind)) &&
      context.knowledge.choiceOf(`${property} kept by ${kind}`) === true,
  )
}

/** Learns which operations change a property that was expected to stay; true if it must not have changed. */
export function learnKept(
  context: ExplorationContext,
  property: Property,
  chat: ChatState,
): boolean {
  const isKnown = isSettled(context, property, chat)
  if (isKnown) return true
  for (const kind of kindsSinceSet(property, chat.sinceRead[property])) {
    context.knowledge.learn(`${property} kept by ${kind}`, false)
  }
  return false
}

/** The operations after the last one that sets the property. */
export function kindsSinceSet(property: Property, kinds: readonly string[]): readonly string[] {
  const last = kinds.findLastIndex((kind) => setting[property].includes(kind))
  return kinds.slice(last + 1)
}
