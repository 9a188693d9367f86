import { succeeded } from '../../../contract/index.ts'
import { poll } from '../../conformance/scenario/poll.ts'
import { contains } from '../../conformance/scenario/read.ts'
import type { ListWalk } from '../../conformance/scenario/routes/paging.ts'
import { isAccepted } from '../checks/common.ts'
import { kindsSinceSet, learnKept } from '../checks/kept.ts'
import { type Command, StateViolation } from '../command.ts'
import type { ExplorationContext } from '../context.ts'
import { type ChatState, readProperty } from '../model.ts'

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
    const expected = { ability: 'favorites', row: 'V3-FAV-01', what: 'the favorites' } as const
    if (!(await isAccepted(context, page, expected))) return
    for (const chat of context.model.chats) expectMark(context, chat, list)
  },
}

/** A list may show chats by their names alone. */
function isListed({ id, name }: ChatState, { body }: ListWalk): boolean {
  return contains(body, id) || (name !== undefined && contains(body, name))
}

function expectMark(context: ExplorationContext, chat: ChatState, list: ListWalk): void {
  const { knowledge } = context
  const lastPages = list.pages.slice(-3)
  const isPresent = isListed(chat, list)
  if (contains(list.body, chat.id)) knowledge.prove('favorites by id')
  if (chat.deleted) {
    if (!isPresent || !knowledge.isAble('favorites')) return
    const why = 'the favorites show a deleted chat'
    throw new StateViolation('V3-CHAT-11', why, lastPages, [chat])
  }
  const kinds = chat.sinceRead.favorite
  const setFavorite = (isListed: boolean | undefined) => {
    context.model = readProperty(context.model, chat, 'favorite', isListed)
  }
  // A list that may go on elsewhere, or shows names, says nothing of what it does not show.
  const isTold = isPresent || (list.isWhole && knowledge.isAble('favorites by id'))
  if (chat.favorite === undefined || !isTold) {
    setFavorite(isTold ? isPresent : undefined)
    return
  }
  if (chat.favorite === isPresent) {
    if (isPresent) knowledge.prove('favorites')
    if (!isPresent && kinds.includes('remove favorite')) knowledge.prove('remove favorite')
    for (const kind of kindsSinceSet('favorite', kinds)) {
      knowledge.learn(`favorite kept by ${kind}`, true)
    }
    setFavorite(isPresent)
    return
  }
  const isKept = learnKept(context, 'favorite', chat)
  setFavorite(undefined)
  if (!isKept || !knowledge.isAble('favorites')) return
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
    : 'a favorite is no longer one, though nothing was done with it since the favorites were read'
  throw new StateViolation(wasTouched ? 'V3-FAV-01' : 'V3-CHAT-13', why, lastPages, [chat])
}
