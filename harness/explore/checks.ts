import { type Exchange, type RequirementId, succeeded } from '../../contract/index.ts'
import { statusText } from '../conformance/scenario/read.ts'
import { InconclusiveError } from '../conformance/session/errors.ts'
import { demand, type ExplorationContext, type Operation } from './command.ts'
import type { ChatState, Property } from './model.ts'

/** Role of a request that should be refused. */
export const negative = { role: 'negative' } as const

/** The chat of an operation that makes sense in the state. */
export function requireChat(context: ExplorationContext, { chat: label }: Operation): ChatState {
  const chat = context.model.chat(label)
  if (chat === undefined) throw new InconclusiveError('the chat of the operation is unknown')
  return chat
}

/** Tests if a request was accepted. @throws StateViolation if it was accepted before and still has to be. */
export function isAccepted(
  { knowledge }: ExplorationContext,
  answer: Exchange,
  ability: string,
  requirement: RequirementId,
  what: string,
): boolean {
  if (succeeded(answer)) return true
  const why = `${what} was answered ${statusText(answer)}`
  demand(!knowledge.isAble(ability), requirement, why, answer)
  return false
}

/** Expects no more elements than the limit on each page, once a page was seen to respect its limit. */
export function expectLimit(
  { knowledge }: ExplorationContext,
  requirement: RequirementId,
  limit: number | undefined,
  pages: readonly Exchange[],
  count: (page: Exchange) => number,
  describe: (count: number) => string,
): void {
  if (limit === undefined) return
  const ability = `limit of ${requirement}`
  for (const page of pages) {
    const rows = count(page)
    const why = `a page with limit ${limit} ${describe(rows)}`
    if (rows <= limit) knowledge.prove(ability)
    else demand(!knowledge.isAble(ability), requirement, why, page)
  }
}

/** Context of a read that only determines which requirement is broken; it is not part of the sequence. */
export function asControl(context: ExplorationContext): ExplorationContext {
  return { ...context, model: context.model.copy(), record: (exchange) => exchange }
}

/**
 * Kinds of operation that set a property, so that their effect on it is known. Whether other operations change it is
 * open: a run learns this the first time, and reports a loss only if the target kept the property before.
 */
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
  { knowledge }: ExplorationContext,
  property: Property,
  chat: ChatState,
): boolean {
  return kindsSinceSet(property, chat).every(
    (kind) =>
      !(property === 'name' && titling.includes(kind)) &&
      knowledge.isAble(`${property} kept by ${kind}`),
  )
}

/** Learns from a read which operations keep a property; true if it has changed and must not have. */
export function isLost(
  context: ExplorationContext,
  property: Property,
  chat: ChatState,
  isKept: boolean,
): boolean {
  const wasSettled = isSettled(context, property, chat)
  for (const kind of kindsSinceSet(property, chat)) {
    context.knowledge.learn(`${property} kept by ${kind}`, isKept)
  }
  context.model.read(chat, property, isKept ? chat[property] : undefined)
  return wasSettled && !isKept
}

/** The operations after the last one that sets the property. */
function kindsSinceSet(property: Property, { sinceRead }: ChatState): readonly string[] {
  const kinds = sinceRead[property]
  const last = kinds.findLastIndex((kind) => setting[property].includes(kind))
  return kinds.slice(last + 1)
}
