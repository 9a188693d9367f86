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
  readonly row: RequirementId
  /** The request, for a sentence. */
  readonly what: string
  /** Tests if a refusal is about the state of the target. */
  readonly isOfState?: () => boolean | Promise<boolean>
}

/** Tests if a request was accepted. @throws StateViolation if it was before, and has to be still. */
export async function isAccepted(
  { knowledge }: ExplorationContext,
  answer: Exchange,
  { ability, row, what, isOfState = () => true }: Acceptance,
): Promise<boolean> {
  if (succeeded(answer)) return true
  const isBroken = knowledge.isAble(ability) && (await isOfState())
  demand(!isBroken, row, `${what} was answered ${statusText(answer)}`, answer)
  return false
}

interface PageLimit {
  readonly ability: string
  readonly row: RequirementId
  readonly count: (page: Exchange) => number
  /** Says what a page shows, for a sentence. */
  readonly describe: (count: number) => string
}

/** A page shows no more elements than it was asked for, once a page was seen to keep to its limit. */
export function expectLimit(
  { knowledge }: ExplorationContext,
  pages: readonly Exchange[],
  limit: number | undefined,
  { ability, row, count, describe }: PageLimit,
): void {
  if (limit === undefined) return
  for (const page of pages) {
    const rows = count(page)
    if (rows <= limit) knowledge.prove(ability)
    else
      demand(!knowledge.isAble(ability), row, `a page with limit ${limit} ${describe(rows)}`, page)
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
  const body = v3.generateBody(chat, `Name a colour for ${session.nonce()}.`, { stream })
  return succeeded(await v3.generate(body, { role: 'control' }))
}

/** The context of a read that only tells which requirement is broken: no part of the sequence. */
export function asControl(context: ExplorationContext): ExplorationContext {
  return { ...context, record: (exchange) => exchange }
}
