/** Controls in a fresh v2 chat: an exhausted quota refuses every request and says nothing about the state. */
import { bodyJson, type Exchange, isObject, isUuid, succeeded } from '../../../contract/index.ts'
import { answerText } from '../../conformance/scenario/read.ts'
import { demand } from '../command.ts'
import type { ExplorationContext } from '../context.ts'
import type { V2Chat, V2Message } from '../model.ts'

const control = { role: 'control' } as const

/** Tests if the plainest message is still stored in a fresh chat. */
export async function stillStores(context: ExplorationContext): Promise<boolean> {
  return (await storeAlone(context, plainQuestion(context))) !== undefined
}

/** Tests if the plainest message of a fresh chat is still answered. */
export async function stillReplies(context: ExplorationContext): Promise<boolean> {
  const stored = await storeAlone(context, plainQuestion(context))
  if (stored === undefined) return false
  return (await replyTo(context, stored)) !== undefined
}

/** Tests if the model recalls a fact over a chain of this length in a fresh chat; false if a shorter one failed. */
export async function looksBack(
  context: ExplorationContext,
  chain: readonly V2Message[],
): Promise<boolean> {
  const { knowledge } = context
  const size = chain.reduce((sum, { replies }) => sum + 1 + replies, 0)
  for (let shorter = 1; shorter <= size; shorter += 1) {
    if (knowledge.choiceOf(`v2 context of ${shorter}`) === false) return false
  }
  const isKnown = await knowsChain(context, chain)
  if (!isKnown) knowledge.learn(`v2 context of ${size}`, false)
  return isKnown
}

/** Tests if the model knows a fact at the end of a similar chain in a fresh chat. */
async function knowsChain(
  context: ExplorationContext,
  chain: readonly V2Message[],
): Promise<boolean> {
  const fact = context.session.nonce()
  let last: StoredMessage | undefined
  for (const message of chain) {
    const content = message.fact === undefined ? plainQuestion(context) : statementOf(context, fact)
    last = await storeAlone(context, content, last)
    if (last === undefined) return false
    if (message.replies > 0) await replyTo(context, last)
  }
  const question = await storeAlone(context, context.session.context.setup.profile.recall.ask, last)
  if (question === undefined) return false
  return (await replyTo(context, question))?.includes(fact) === true
}

/** A fact in the words of the target profile. */
export function statementOf({ session }: ExplorationContext, fact: string): string {
  return session.context.setup.profile.recall.tell.replaceAll('{nonce}', fact)
}

interface StoredMessage {
  readonly chat: string
  readonly id: string
}

/** Stores a message after another one, or in a fresh chat. */
async function storeAlone(
  { v2 }: ExplorationContext,
  content: string,
  parent?: StoredMessage,
): Promise<StoredMessage | undefined> {
  const chat = parent?.chat ?? (await v2.chat())
  const body = v2.messageBody(chat, content, parent === undefined ? {} : { parent_id: parent.id })
  const stored = await v2.message(body, control)
  const id = idOf(stored)
  return id === undefined ? undefined : { chat, id }
}

async function replyTo(
  { v2 }: ExplorationContext,
  { chat, id }: StoredMessage,
): Promise<string | undefined> {
  const answered = await v2.generate(v2.generateBody(chat, id), control)
  return succeeded(answered) ? answerText(answered) : undefined
}

/** The id of a stored message, whose response must match what was sent (section 2.3). */
export function findStoredId(chat: V2Chat, content: string, stored: Exchange): string | undefined {
  const body = bodyJson(stored)
  const id = idOf(stored)
  if (!isObject(body) || id === undefined) return undefined
  const { chat_id: shownChat, content: shownContent } = body
  const isOfChat =
    typeof shownChat !== 'string' || shownChat.toLowerCase() === chat.id.toLowerCase()
  demand(isOfChat, 'V2-MSG-03', 'a stored message is shown with the id of another chat', stored)
  const isSame = typeof shownContent !== 'string' || shownContent === content
  demand(isSame, 'V2-MSG-06', 'a stored message is shown with another content', stored)
  return id
}

function idOf(stored: Exchange): string | undefined {
  const body = bodyJson(stored)
  const id = isObject(body) ? body['id'] : undefined
  return succeeded(stored) && isUuid(id) ? id : undefined
}

function plainQuestion({ session }: ExplorationContext): string {
  return `Name a color for ${session.nonce()}.`
}
