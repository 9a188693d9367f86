import { type Exchange, succeeded } from '../../../contract/index.ts'
import { poll } from '../../conformance/scenario/poll.ts'
import { answerJson, contains, statusText } from '../../conformance/scenario/read.ts'
import { requireChat } from '../checks/common.ts'
import { kindsSinceSet, learnKept } from '../checks/kept.ts'
import { type Command, demand } from '../command.ts'
import type { ExplorationContext } from '../context.ts'
import { type ChatState, livingChats, readProperty } from '../model.ts'

export const readChat: Command = {
  weight: 3,
  reads: true,
  expects: ['V3-CHAT-02', 'V3-CHAT-04', 'V3-CHAT-10', 'V3-CHAT-13'],
  chats: livingChats,
  async run(context, operation) {
    const chat = requireChat(context, operation)
    const { chats, knowledge, session } = context
    const handle = { ...context.handle(chat.label), name: chat.name ?? chat.id }
    const shows = (page: Exchange) => succeeded(page) && chats.mentions(page, handle)
    const showsName = (page: Exchange) =>
      chat.name === undefined || contains(answerJson(page), chat.name)
    const read = await poll(
      session,
      () => chats.get(chat.id, { role: 'probe' }),
      (page) => shows(page) && showsName(page),
    )
    context.record(read)
    const isAble = knowledge.isAble('read chat')
    if (shows(read)) {
      knowledge.prove('read chat')
      if (contains(answerJson(read), chat.id)) knowledge.prove('read chat by id')
    } else {
      // An answer without the id may be that of a chat with another name.
      const isTold = !succeeded(read) || knowledge.isAble('read chat by id')
      const why = `reading a chat was answered ${statusText(read)}, and shows no chat`
      demand(!(isAble && isTold), 'V3-CHAT-04', why, read)
      if (!isAble || !succeeded(read)) return
    }
    expectName(context, chat, showsName(read), read)
  },
}

/** The name is the one that was set last, unless an operation on the chat may have changed it. */
function expectName(
  context: ExplorationContext,
  chat: ChatState,
  isShown: boolean,
  read: Exchange,
): void {
  const { knowledge } = context
  const setName = (name: string | undefined) => {
    context.model = readProperty(context.model, chat, 'name', name)
  }
  if (chat.name === undefined) {
    setName(undefined)
    return
  }
  const kinds = chat.sinceRead.name
  const last = kinds.findLast((kind) => kind === 'create' || kind === 'rename')
  if (isShown) {
    if (last !== undefined) knowledge.prove(`name after ${last}`)
    for (const kind of kindsSinceSet('name', kinds)) knowledge.learn(`name kept by ${kind}`, true)
    setName(chat.name)
    return
  }
  const isKept = learnKept(context, 'name', chat)
  setName(undefined)
  if (!isKept || !knowledge.isAble(`name after ${last ?? 'create'}`)) return
  if (last === 'rename') {
    demand(false, 'V3-CHAT-10', 'the chat does not have the name that it was given last', read)
  }
  if (kinds.length > 0) {
    demand(false, 'V3-CHAT-02', 'the chat does not have the name that it was created with', read)
  }
  const why = 'the chat has another name, though nothing was done with it since it was read'
  demand(false, 'V3-CHAT-13', why, read)
}
