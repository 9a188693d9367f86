import { type Exchange, succeeded } from '../../../contract/index.ts'
import { poll } from '../../conformance/scenario/poll.ts'
import { answerJson, contains, statusText } from '../../conformance/scenario/read.ts'
import type { ListWalk } from '../../conformance/scenario/routes/paging.ts'
import { isAccepted, isLost, requireChat } from '../checks.ts'
import { type Command, demand, type ExplorationContext, StateViolation } from '../command.ts'
import type { ChatState } from '../model.ts'

export const readChat: Command = {
  weight: 3,
  reads: true,
  expects: ['V3-CHAT-02', 'V3-CHAT-04', 'V3-CHAT-10', 'V3-CHAT-13'],
  chats: ({ living }) => living,
  async run(context, operation) {
    const chat = requireChat(context, operation)
    const { chats, knowledge, session } = context
    const handle = { id: chat.id, name: chat.name ?? chat.id }
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
      // An answer without the id may show the chat under another name.
      const isTold = !succeeded(read) || knowledge.isAble('read chat by id')
      const why = `reading a chat was answered ${statusText(read)}, and shows no chat`
      demand(!(isAble && isTold), 'V3-CHAT-04', why, read)
      if (!isAble || !succeeded(read)) return
    }
    if (chat.name === undefined) {
      context.model.read(chat, 'name', undefined)
      return
    }
    // The name that was set last is expected, unless an operation on the chat may have changed it.
    const kinds = chat.sinceRead.name
    const isShown = showsName(read)
    const last = kinds.findLast((kind) => kind === 'create' || kind === 'rename')
    if (isShown && last !== undefined) knowledge.prove(`name after ${last}`)
    const wasSet = knowledge.isAble(`name after ${last ?? 'create'}`)
    if (!isLost(context, 'name', chat, isShown) || !wasSet) return
    if (last === 'rename') {
      demand(false, 'V3-CHAT-10', 'the chat does not have its latest name', read)
    }
    if (kinds.length > 0) {
      demand(false, 'V3-CHAT-02', 'the chat does not have the name that it was created with', read)
    }
    // A turn may give its chat a name, also later; no chat takes the name of another one.
    const isOfOther = ({ label, name }: ChatState) =>
      label !== chat.label && name !== undefined && contains(answerJson(read), name)
    const { model } = context
    if (model.turnsOf(chat.label).length > 0 && !model.chats.some(isOfOther)) return
    const why =
      'the name of the chat changed, although nothing was done with the chat since it was last read'
    demand(false, 'V3-CHAT-13', why, read)
  },
}

export const readFavorites: Command = {
  weight: 3,
  reads: true,
  expects: ['V3-FAV-01', 'V3-FAV-02', 'V3-FAV-03', 'V3-CHAT-11', 'V3-CHAT-13'],
  draw: (model) => (model.chats.length > 0 ? {} : undefined),
  async run(context) {
    const { chats, session } = context
    const isWrong = (list: ListWalk) =>
      !succeeded(list.pages[0]) ||
      context.model.chats.some((chat) => {
        const isPresent = isListed(chat, list)
        if (chat.deleted) return isPresent
        return chat.favorite !== undefined && chat.favorite !== isPresent
      })
    const list = await poll(
      session,
      () => chats.readFavorites({ role: 'probe' }),
      (list) => !isWrong(list),
    )
    for (const page of list.pages) context.record(page)
    const [page] = list.pages
    if (!isAccepted(context, page, 'favorites', 'V3-FAV-01', 'the favorites')) return
    for (const chat of context.model.chats) expectMark(context, chat, list)
  },
}

/** A list may identify chats by name only. */
function isListed({ id, name }: ChatState, { body }: ListWalk): boolean {
  return contains(body, id) || (name !== undefined && contains(body, name))
}

function expectMark(context: ExplorationContext, chat: ChatState, list: ListWalk): void {
  const { knowledge, model } = context
  const lastPages = list.pages.slice(-3)
  const isPresent = isListed(chat, list)
  if (contains(list.body, chat.id)) knowledge.prove('favorites by id')
  if (chat.deleted) {
    if (!isPresent || !knowledge.isAble('favorites')) return
    const why = 'the favorites show a deleted chat'
    throw new StateViolation('V3-CHAT-11', why, lastPages, [chat])
  }
  const kinds = chat.sinceRead.favorite
  // Absence is no evidence if the list may have further pages or shows only names.
  const isTold = isPresent || (list.isWhole && knowledge.isAble('favorites by id'))
  if (chat.favorite === undefined || !isTold) {
    model.read(chat, 'favorite', isTold ? isPresent : undefined)
    return
  }
  const isKept = chat.favorite === isPresent
  if (isKept && isPresent) knowledge.prove('favorites')
  if (isKept && !isPresent && kinds.includes('remove favorite')) knowledge.prove('remove favorite')
  if (!isLost(context, 'favorite', chat, isKept) || !knowledge.isAble('favorites')) return
  if (isPresent) {
    const wasRemoved = kinds.some((kind) => kind.startsWith('remove favorite'))
    if (wasRemoved && !knowledge.isAble('remove favorite')) return
    const why = wasRemoved
      ? 'the favorites still show a chat that was removed from them'
      : 'the favorites show a chat that was not added to them'
    throw new StateViolation(wasRemoved ? 'V3-FAV-02' : 'V3-FAV-03', why, lastPages, [chat])
  }
  const wasTouched = kinds.length > 0
  const why = wasTouched
    ? 'the favorites do not show a chat that was added to them'
    : 'a chat is no longer a favorite, although nothing was done with it since the favorites were last read'
  throw new StateViolation(wasTouched ? 'V3-FAV-01' : 'V3-CHAT-13', why, lastPages, [chat])
}
