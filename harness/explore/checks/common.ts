import { succeeded } from '../../../contract/index.ts'
import { InconclusiveError } from '../../conformance/session/errors.ts'
import type { Operation } from '../command.ts'
import type { ExplorationContext } from '../context.ts'
import { type ChatState, chatNamed } from '../model.ts'

/** The chat of an operation, which `applies` has found. */
export function requireLiving(context: ExplorationContext, operation: Operation): ChatState {
  const chat = chatNamed(context.model, operation.chat)
  if (chat === undefined) throw new InconclusiveError('the chat of the operation is unknown')
  return chat
}

/**
 * Tests if the plainest generation is still accepted in a fresh chat: an exhausted quota refuses
 * every request and says nothing about the state.
 */
export async function stillGenerates(
  context: ExplorationContext,
  stream: boolean,
): Promise<boolean> {
  const { v3, session } = context
  const chat = await v3.createChat({ role: 'control' })
  const body = v3.generateBody(chat, `Name a colour for ${session.nonce()}.`, { stream })
  return succeeded(await v3.generate(body, { role: 'control' }))
}

/** The context of a read that only tells which requirement is broken: no part of the sequence. */
export function asControl(context: ExplorationContext): ExplorationContext {
  return { ...context, record: (exchange) => exchange }
}
