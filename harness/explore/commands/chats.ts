import { succeeded } from '../../../contract/index.ts'
import { assume } from '../../conformance/scenario/claims.ts'
import { isDeclined, statusText } from '../../conformance/scenario/read.ts'
import { requireLiving, stillGenerates } from '../checks/common.ts'
import { type Command, demand, drawChat, drawFrom, type Operation } from '../command.ts'
import type { ExplorationContext } from '../context.ts'
import {
  addChat,
  busiestFirst,
  chatNamed,
  forgetChat,
  livingChats,
  type Model,
  touchChat,
  turnsOf,
} from '../model.ts'

/** Maximum number of chats at a time: more leave fewer operations for each. */
const maxChats = 6
/** A list of favorites that is short is never cut into pages. */
const maxFavorites = 4

const createChat: Command = {
  name: 'create chat',
  weight: 5,
  generations: 0,
  draw: (model) => (livingChats(model).length < maxChats ? {} : undefined),
  applies: () => true,
  async run(context, { label }) {
    const name = `${context.word} ${context.session.name()}`
    const created = context.record(await context.v3.postChat(name))
    const id = succeeded(created) ? context.v3.newChatId(created) : undefined
    assume(id, 'no chat was created', created)
    context.addChat(label, { id, name, created })
    context.model = addChat(context.model, { label, id, name })
  },
}

const rename: Command = {
  name: 'rename',
  weight: 6,
  generations: 0,
  draw(model, pick) {
    const chosen = drawChat(busiestFirst(model), pick)
    return chosen && { ...chosen, ...(pick(3) === 0 ? { variant: 'another word' } : {}) }
  },
  applies: isOnLivingChat,
  async run(context, operation) {
    const chat = requireLiving(context, operation)
    const isApart = operation.variant === 'another word'
    const name = `${isApart ? '' : `${context.word} `}${context.session.name()}`
    const patched = context.record(await context.chats.rename(chat.id, name))
    const accepted = succeeded(patched)
    if (accepted) context.knowledge.prove('rename')
    else if (context.knowledge.isAble('rename')) {
      demand(false, 'V3-CHAT-10', `a further rename was answered ${statusText(patched)}`, patched)
    }
    const change = accepted ? { name } : {}
    context.model = touchChat(context.model, chat.label, 'rename', change)
  },
  simpler: ({ variant, ...plain }) => (variant === undefined ? [] : [plain]),
}

const favorite: Command = {
  name: 'add favorite',
  weight: 6,
  generations: 0,
  draw(model, pick) {
    const marked = livingChats(model).filter((chat) => chat.favorite)
    const others = livingChats(model).filter((chat) => !chat.favorite)
    const isAgain = marked.length >= maxFavorites || others.length === 0 || pick(4) === 0
    const chosen = drawFrom(isAgain ? marked : others, pick)
    return chosen && { chat: chosen.label }
  },
  applies: isOnLivingChat,
  async run(context, operation) {
    const chat = requireLiving(context, operation)
    const added = context.record(await context.chats.addFavorite(chat.id))
    const isMarked = succeeded(added) || chat.favorite === true
    // How a second mark is answered is open; what it leaves is not.
    const mark = isMarked ? true : undefined
    const kind = chat.favorite ? 'add favorite again' : 'add favorite'
    context.model = touchChat(context.model, chat.label, kind, { favorite: mark })
  },
}

const unfavorite: Command = {
  name: 'remove favorite',
  weight: 3,
  generations: 0,
  draw(model, pick) {
    const marked = livingChats(model).filter((chat) => chat.favorite)
    return drawChat(pick(4) === 0 ? livingChats(model) : marked, pick)
  },
  applies: isOnLivingChat,
  async run(context, operation) {
    const chat = requireLiving(context, operation)
    const removed = context.record(await context.chats.removeFavorite(chat.id))
    const isUnmarked = succeeded(removed) || chat.favorite === false
    const kind = chat.favorite === false ? 'remove favorite again' : 'remove favorite'
    context.model = touchChat(context.model, chat.label, kind, {
      favorite: isUnmarked ? false : undefined,
    })
  },
}

const deleteChat: Command = {
  name: 'delete chat',
  weight: 4,
  generations: 0,
  draw: (model, pick) => (livingChats(model).length < 3 ? undefined : onLivingChat(model, pick)),
  applies: isOnLivingChat,
  async run(context, operation) {
    const chat = requireLiving(context, operation)
    const removed = context.record(await context.chats.remove(chat.id))
    if (!succeeded(removed)) {
      if (context.knowledge.isAble('delete')) {
        const why = `a further DELETE /chat/{chat_id} was answered ${statusText(removed)}`
        demand(false, 'V3-CHAT-11', why, removed)
      }
      return
    }
    const read = await context.chats.poll(
      () => context.chats.get(chat.id, { role: 'probe' }),
      (_, page) => isDeclined(page),
    )
    if (!isDeclined(read) && !context.knowledge.isAble('delete')) {
      // Nobody can tell what such a chat still does.
      context.model = forgetChat(context.model, chat.label)
      return
    }
    demand(isDeclined(read), 'V3-CHAT-11', 'the deleted chat can still be read', removed, read)
    context.knowledge.prove('delete')
    context.model = touchChat(context.model, chat.label, 'delete', { deleted: true })
  },
}

const generateName: Command = {
  name: 'generate name',
  weight: 1,
  generations: 1,
  draw(model, pick) {
    return drawChat(livingChats(model).filter(hasTurn(model)), pick)
  },
  applies: (model, operation) =>
    isOnLivingChat(model, operation) && turnsOf(model, operation.chat ?? '').length > 0,
  async run(context, operation) {
    const chat = requireLiving(context, operation)
    const named = context.record(await context.chats.generateName(chat.id))
    if (succeeded(named)) context.knowledge.prove('generate name')
    else if (context.knowledge.isAble('generate name')) {
      if (!(await stillGenerates(context, false))) return
      const why = `a further title was answered ${statusText(named)}`
      demand(false, 'V3-CHAT-12', why, named)
    }
    // Whether the title becomes the name is open.
    context.model = touchChat(context.model, chat.label, 'generate name', { name: undefined })
  },
}

/** Reads and writes on a chat that was deleted: nothing of it may come back. */
const useDeleted: Command = {
  name: 'use deleted chat',
  weight: 5,
  generations: 0,
  draw(model, pick) {
    const chosen = drawFrom(
      model.chats.filter(({ deleted }) => deleted),
      pick,
    )
    const variant = drawFrom(deletedUses, pick)
    return chosen && { chat: chosen.label, ...(variant === undefined ? {} : { variant }) }
  },
  applies: (model, { chat }) => chatNamed(model, chat)?.deleted === true,
  run: tryDeleted,
}

export const deletedUses: readonly [string, ...string[]] = [
  'read',
  'history',
  'generate',
  'stream',
  'rename',
  'favorite',
  'delete',
]

async function tryDeleted(
  context: ExplorationContext,
  { chat: label, variant }: Operation,
): Promise<void> {
  const chat = chatNamed(context.model, label)
  if (chat === undefined) return
  const { v3, chats, session } = context
  const role = { role: 'negative' } as const
  switch (variant) {
    case 'generate':
    case 'stream': {
      const stream = variant === 'stream'
      if (!context.knowledge.isAble(stream ? 'stream' : 'generate')) return
      const input = `Name a colour for ${session.nonce()}.`
      const sent = context.record(
        await v3.generate(v3.generateBody(chat.id, input, { stream }), role),
      )
      demand(isDeclined(sent), 'V3-CHAT-11', 'a generation in a deleted chat succeeds', sent)
      break
    }
    case 'history': {
      const page = context.record(await v3.history(chat.id))
      demand(isDeclined(page), 'V3-CHAT-11', 'the history of a deleted chat is answered', page)
      break
    }
    case 'rename':
      // Which status answers is open; that the chat does not come back is not.
      context.record(await chats.rename(chat.id, `${context.word} ${session.name()}`, role))
      break
    case 'favorite':
      context.record(await chats.addFavorite(chat.id, role))
      break
    case 'delete':
      context.record(await chats.remove(chat.id, role))
      break
    default:
  }
  const read = await chats.get(chat.id, { role: 'probe' })
  if (variant === 'read') context.record(read)
  demand(isDeclined(read), 'V3-CHAT-11', 'a deleted chat can be read', read)
}

function onLivingChat(model: Model, pick: (below: number) => number) {
  return drawChat(livingChats(model), pick)
}

function isOnLivingChat(model: Model, { chat }: Operation): boolean {
  return chatNamed(model, chat)?.deleted === false
}

function hasTurn(model: Model) {
  return ({ label }: { readonly label: string }) => turnsOf(model, label).length > 0
}

export const chatCommands: readonly Command[] = [
  createChat,
  rename,
  favorite,
  unfavorite,
  deleteChat,
  generateName,
  useDeleted,
]
