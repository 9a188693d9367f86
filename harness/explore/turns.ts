import { type Exchange, succeeded } from '../../contract/index.ts'
import { answerParts, finalResponse, isDeclined, statusText } from '../conformance/scenario/read.ts'
import { inputText } from '../conformance/scenario/routes/v3.ts'
import { negative, requireChat, stillGenerates } from './checks.ts'
import { demand, type Operation } from './command.ts'
import type { ExplorationContext } from './context.ts'
import { addTurn, touchChat, turnsOf } from './model.ts'

type Call = (context: ExplorationContext, chat: string) => Promise<Exchange>

/** Calls on a deleted chat. */
const calls: Readonly<Record<string, Call>> = {
  history: ({ v3 }, chat) => v3.history(chat, {}, negative),
  rename: ({ chats, session, word }, chat) =>
    chats.rename(chat, `${word} ${session.name()}`, negative),
  favorite: ({ chats }, chat) => chats.addFavorite(chat, negative),
  delete: ({ chats }, chat) => chats.remove(chat, negative),
  generate: (context, chat) => generate(context, chat, false),
  stream: (context, chat) => generate(context, chat, true),
}

export function callV3(context: ExplorationContext, chat: string, call: string): Promise<Exchange> {
  const send = calls[call]
  if (send === undefined) throw new Error(`there is no call ${call}`)
  return send(context, chat)
}

function generate({ v3, session }: ExplorationContext, chat: string, stream: boolean) {
  const input = `Name a color for ${session.nonce()}.`
  return v3.generate(v3.generateBody(chat, input, { stream }), negative)
}

/** Sends a user turn and adds what the history must show of it to the model. */
export async function takeTurn(
  context: ExplorationContext,
  operation: Operation,
  parent?: string,
): Promise<void> {
  const { v3, session, knowledge } = context
  const { id, label: chat } = requireChat(context, operation)
  const { body, marks, stream, ofItems } = bodyOf(context, id, operation.variant, parent)
  const key = session.uuid()
  const reply = context.record(await v3.generate(body, { key }))
  const accepted = succeeded(reply) && !isDeclined(reply)
  const ability = stream ? 'stream' : 'generate'
  const isPlain = turnsOf(context.model, chat).length === 0
  context.model = addTurn(touchChat(context.model, chat, 'generate'), {
    ...{ label: operation.label, chat, key, body, marks },
    isAccepted: accepted,
    answer: accepted ? answerParts(reply) : [],
    responseId: accepted ? responseIdOf(reply) : undefined,
  })
  const proven = `${ability}${ofItems ? ' of items' : ''}${parent === undefined ? '' : ' with parent_id'}`
  if (accepted) {
    if (isPlain) knowledge.prove(ability)
    knowledge.prove(proven)
    return
  }
  if (!knowledge.isAble(proven) || !(await stillGenerates(context, stream))) return
  const requirement =
    parent !== undefined || !isPlain ? 'V3-GEN-11' : stream ? 'V3-SSE-01' : 'V3-GEN-01'
  demand(false, requirement, `a further generation was answered ${statusText(reply)}`, reply)
}

/** A question in one of the forms, and the words that identify its input items. */
export function bodyOf(
  { v3, session }: ExplorationContext,
  chatId: string,
  form = 'json',
  parent?: string,
) {
  const stream = form.startsWith('stream')
  const ofItems = form.endsWith('items')
  const marks = ofItems ? [session.nonce(), session.nonce()] : [session.nonce()]
  const texts = marks.map((mark) => `Name a color for ${mark}.`)
  const input = ofItems ? texts.map((text) => inputText(text)) : texts[0]
  const more = parent === undefined ? {} : { parent_id: parent }
  return { body: v3.generateBody(chatId, input, { stream, ...more }), marks, stream, ofItems }
}

function responseIdOf(reply: Exchange): string | undefined {
  const id = finalResponse(reply)?.['id']
  return typeof id === 'string' ? id : undefined
}
