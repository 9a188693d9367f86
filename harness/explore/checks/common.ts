import { type Exchange, type RequirementId, succeeded } from '../../../contract/index.ts'
import { statusText } from '../../conformance/scenario/read.ts'
import { InconclusiveError } from '../../conformance/session/errors.ts'
import { demand, type Operation } from '../command.ts'
import type { ExplorationContext } from '../context.ts'
import { type ChatState, chatNamed } from '../model.ts'

/** Role of a request that should be refused. */
export const negative = { role: 'negative' } as const

/** The chat of an operation that applies. */
export function requireChat(context: ExplorationContext, { chat: label }: Operation): ChatState {
  const chat = chatNamed(context.model, label)
  if (chat === undefined) throw new InconclusiveError('the chat of the operation is unknown')
  return chat
}

interface Acceptance {
  /** Ability that a refusal would contradict. */
  readonly ability: string
  readonly requirement: RequirementId
  /** The request, for a sentence. */
  readonly what: string
  /** Tests if a refusal is about the state of the target. */
  readonly isOfState?: () => boolean | Promise<boolean>
}

/** Tests if a request was accepted. @throws StateViolation if it was before, and has to be still. */
export async function isAccepted(
  { knowledge }: ExplorationContext,
  answer: Exchange,
  { ability, requirement, what, isOfState = () => true }: Acceptance,
): Promise<boolean> {
  if (succeeded(answer)) return true
  const isBroken = knowledge.isAble(ability) && (await isOfState())
  demand(!isBroken, requirement, `${what} was answered ${statusText(answer)}`, answer)
  return false
}

interface PageLimit {
  readonly ability: string
  readonly requirement: RequirementId
  readonly count: (page: Exchange) => number
  /** Says what a page shows, for a sentence. */
  readonly describe: (count: number) => string
}

/** A page shows no more elements than it was asked for, once a page was seen to keep to its limit. */
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

/**
 * Tests if the plainest generation is still accepted in a fresh chat: an exhausted quota refuses
 * every request and says nothing about the state.
 */
export async function stillGenerates(
  { v3, session }: ExplorationContext,
  stream: boolean,
): Promise<boolean> {
  const chat = await v3.createChat({ role: 'control' })
  const body = v3.generateBody(chat, `Name a color for ${session.nonce()}.`, { stream })
  return succeeded(await v3.generate(body, { role: 'control' }))
}

/** The context of a read that only tells which requirement is broken: no part of the sequence. */
export function asControl(context: ExplorationContext): ExplorationContext {
  return { ...context, record: (exchange) => exchange }
}

/**
 * Property of a chat that operations other than its own do not set. Which operations change it is open. A run
 * learns it at first sight, and holds a loss against the target only if it was seen to keep the property before.
 */
type Property = keyof ChatState['sinceRead']

/** Kinds of operation that set a property, so that nothing has to be learned of them. */
const setting: Readonly<Record<Property, readonly string[]>> = {
  name: ['create', 'rename'],
  favorite: [
    'create',
    ...['add favorite', 'add favorite again', 'remove favorite', 'remove favorite again'],
  ],
}

/** Kinds after which a chat may have another name, of which the document says nothing. */
const titling: readonly string[] = ['generate', 'race', 'generate name']

/** Tests if each kind of operation since a property was read was seen to keep it. */
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

/** Learns what has changed a property that was expected to stay; true if it may not have changed. */
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

/** The operations that followed the last one that sets the property. */
export function kindsSinceSet(property: Property, kinds: readonly string[]): readonly string[] {
  const last = kinds.findLastIndex((kind) => setting[property].includes(kind))
  return kinds.slice(last + 1)
}
