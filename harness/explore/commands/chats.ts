import { type Exchange, succeeded } from '../../../contract/index.ts'
import { assume } from '../../conformance/scenario/claims.ts'
import { isDeclined } from '../../conformance/scenario/read.ts'
import { isAccepted, negative, requireChat } from '../checks.ts'
import {
  type Commands,
  demand,
  drawChat,
  drawFrom,
  type ExplorationContext,
  type Operation,
} from '../command.ts'

/** Maximum number of chats at a time: with more, each would get fewer operations. */
const maxChats = 6
/** Maximum number of favorites, so that their list always fits on one page. */
const maxFavorites = 4

interface Use {
  readonly send?: (context: ExplorationContext, chat: string) => Promise<Exchange>
  /** Violation if it succeeds; the document leaves the other responses open. */
  readonly mustFail?: string
}

const taken = 'a generation in a deleted chat succeeds'

/** Uses of a chat that was deleted. */
export const deletedUses: Readonly<Record<string, Use>> = {
  read: {},
  history: {
    send: ({ v3 }, chat) => v3.history(chat, {}, negative),
    mustFail: 'the history of a deleted chat can still be read',
  },
  generate: { send: generating(false), mustFail: taken },
  stream: { send: generating(true), mustFail: taken },
  rename: {
    send: ({ chats, session, word }, chat) =>
      chats.rename(chat, `${word} ${session.name()}`, negative),
  },
  favorite: { send: ({ chats }, chat) => chats.addFavorite(chat, negative) },
  delete: { send: ({ chats }, chat) => chats.remove(chat, negative) },
}

export const chatCommands: Commands = {
  'create chat': {
    weight: 5,
    expects: ['V3-CHAT-02'],
    shownBy: [
      { command: 'list chats', variant: 'all' },
      // Pages are checked only once the target has shown one.
      { command: 'list chats', variant: 'search', limit: 2 },
    ],
    draw: ({ living }) => (living.length < maxChats ? {} : undefined),
    async run(context, { label }) {
      const name = `${context.word} ${context.session.name()}`
      const created = context.record(await context.v3.postChat(name))
      const id = succeeded(created) ? context.v3.newChatId(created) : undefined
      assume(id, 'no chat was created', created)
      context.addChat({ label, id, name })
    },
  },

  rename: {
    weight: 6,
    expects: ['V3-CHAT-10'],
    chats: ({ busiestFirst }) => busiestFirst,
    variants: ['another word', undefined, undefined],
    simpler: ({ variant, ...plain }) => (variant === undefined ? [] : [plain]),
    async run(context, operation) {
      const { id, label } = requireChat(context, operation)
      const isApart = operation.variant === 'another word'
      const name = `${isApart ? '' : `${context.word} `}${context.session.name()}`
      const patched = context.record(await context.chats.rename(id, name))
      const what = 'a further rename'
      const accepted = isAccepted(context, patched, 'rename', 'V3-CHAT-10', what)
      if (accepted) context.knowledge.prove('rename')
      context.model.touch(label, 'rename', accepted ? { name } : {})
    },
  },

  'add favorite': {
    weight: 6,
    chats: ({ living }) => living,
    draw({ living }, pick) {
      const marked = living.filter((chat) => chat.favorite)
      const others = living.filter((chat) => !chat.favorite)
      const isAgain = marked.length >= maxFavorites || others.length === 0 || pick(4) === 0
      const chosen = drawFrom(isAgain ? marked : others, pick)
      return chosen && { chat: chosen.label }
    },
    run: (context, operation) => setFavorite(context, operation, true),
  },

  'remove favorite': {
    weight: 3,
    chats: ({ living }) => living,
    draw({ living }, pick) {
      const marked = living.filter((chat) => chat.favorite)
      return drawChat(pick(4) === 0 ? living : marked, pick)
    },
    run: (context, operation) => setFavorite(context, operation, false),
  },

  'delete chat': {
    weight: 4,
    expects: ['V3-CHAT-11'],
    chats: ({ living }) => living,
    draw: ({ living }, pick) => (living.length < 3 ? undefined : drawChat(living, pick)),
    async run(context, operation) {
      const { chats, knowledge, model } = context
      const { id, label } = requireChat(context, operation)
      const removed = context.record(await chats.remove(id))
      const what = 'a further DELETE /chat/{chat_id}'
      if (!isAccepted(context, removed, 'delete', 'V3-CHAT-11', what)) return
      const read = await chats.poll(
        () => chats.get(id, { role: 'probe' }),
        (_, page) => isDeclined(page),
      )
      if (!isDeclined(read) && !knowledge.isAble('delete')) {
        // The state of such a chat is unknown.
        model.forget(label)
        return
      }
      demand(isDeclined(read), 'V3-CHAT-11', 'the deleted chat can still be read', removed, read)
      knowledge.prove('delete')
      model.touch(label, 'delete', { deleted: true })
    },
  },

  'use deleted chat': {
    weight: 5,
    expects: ['V3-CHAT-11'],
    chats: ({ deleted }) => deleted,
    variants: Object.keys(deletedUses),
    /** Reads and writes on a deleted chat, which must stay deleted. */
    async run(context, operation) {
      const { id } = requireChat(context, operation)
      const { variant = 'read' } = operation
      const { send, mustFail } = deletedUses[variant] ?? {}
      const isGeneration = variant === 'generate' || variant === 'stream'
      if (isGeneration && !context.knowledge.isAble(variant)) return
      if (send !== undefined) {
        const ask = () => send(context, id)
        // The rows may be removed later than the chat.
        const sent = context.record(
          variant === 'history'
            ? await context.chats.poll(ask, (_, page) => isDeclined(page))
            : await ask(),
        )
        if (mustFail !== undefined) demand(isDeclined(sent), 'V3-CHAT-11', mustFail, sent)
      }
      const read = await context.chats.get(id, { role: 'probe' })
      if (variant === 'read') context.record(read)
      demand(isDeclined(read), 'V3-CHAT-11', 'a deleted chat can still be read', read)
    },
  },
}

async function setFavorite(
  context: ExplorationContext,
  operation: Operation,
  favorite: boolean,
): Promise<void> {
  const chat = requireChat(context, operation)
  const { addFavorite, removeFavorite } = context.chats
  const answer = context.record(await (favorite ? addFavorite : removeFavorite)(chat.id))
  // The response to a second mark is open; its effect is not.
  const isAgain = chat.favorite === favorite
  const kind = `${operation.command}${isAgain ? ' again' : ''}`
  const isSet = succeeded(answer) || isAgain
  context.model.touch(chat.label, kind, { favorite: isSet ? favorite : undefined })
}

function generating(stream: boolean): NonNullable<Use['send']> {
  return ({ v3, session }, chat) => {
    const input = `Name a color for ${session.nonce()}.`
    return v3.generate(v3.generateBody(chat, input, { stream }), negative)
  }
}
