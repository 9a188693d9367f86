import type { Exchange } from '../../contract/index.ts'
import { negative } from './checks/common.ts'
import type { ExplorationContext } from './context.ts'

type Call = (context: ExplorationContext, chat: string) => Promise<Exchange>

/** Calls on a chat that should be refused. */
const calls: Readonly<Record<string, Call>> = {
  history: ({ v3 }, chat) => v3.history(chat, {}, negative),
  read: ({ chats }, chat) => chats.get(chat, negative),
  rename: ({ chats, session, word }, chat) =>
    chats.rename(chat, `${word} ${session.name()}`, negative),
  favorite: ({ chats }, chat) => chats.addFavorite(chat, negative),
  unfavorite: ({ chats }, chat) => chats.removeFavorite(chat, negative),
  delete: ({ chats }, chat) => chats.remove(chat, negative),
  generate: (context, chat) => generate(context, chat, false),
  stream: (context, chat) => generate(context, chat, true),
}

export const v3Calls = Object.keys(calls)

export function callV3(context: ExplorationContext, chat: string, call: string): Promise<Exchange> {
  const send = calls[call]
  if (send === undefined) throw new Error(`there is no call ${call}`)
  return send(context, chat)
}

function generate({ v3, session }: ExplorationContext, chat: string, stream: boolean) {
  const input = `Name a colour for ${session.nonce()}.`
  return v3.generate(v3.generateBody(chat, input, { stream }), negative)
}
