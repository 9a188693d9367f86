/** Operations that are not drawn at random: after an operation, and at the end of a sequence. */
import { drawFrom, type Labeled, type Operation, type Pick, type Planned } from './command.ts'
import { growing, repeatableTurns } from './commands/generate.ts'
import { commands } from './commands/index.ts'
import { lastMistakes } from './commands/refusals.ts'
import { lastRefusals } from './commands/stray-chats.ts'
import type { Knowledge } from './context.ts'
import { busiestFirst, chatNamed, deletedChats, livingChats, type Model, turnsOf } from './model.ts'
import { v3Calls } from './turns.ts'

/**
 * Reads that detect a change by an operation on a chat: after the first operation of its kind, and after
 * some of the later ones; the sweep reads the rest.
 */
export function readsAfter(
  { command, label, chat }: Operation,
  model: Model,
  { knowledge, pick }: { readonly knowledge: Knowledge; readonly pick: Pick },
): readonly Planned[] {
  const subject = command === 'create chat' ? label : chat
  const { reads, shownBy = [] } = commands[command] ?? {}
  if (command === 'store v2 message') return firstV3Calls(chat, knowledge)
  if (reads || chatNamed(model, subject) === undefined) return []
  const isKnown = knowledge.isAble(`read after ${command}`)
  knowledge.prove(`read after ${command}`)
  if (isKnown && pick(4) > 0) return []
  return [
    { command: 'read chat', chat: subject },
    { command: 'read favorites' },
    ...shownBy.map((read) => (read.command === 'list chats' ? read : { ...read, chat: subject })),
  ]
}

/** Calls of each kind on a v2 chat that is still short, so that the first refusals are tested. */
function firstV3Calls(chat: string | undefined, knowledge: Knowledge): readonly Planned[] {
  if (knowledge.isAble('v3 calls')) return []
  knowledge.prove('v3 calls')
  return ['history', 'read', 'generate'].map((variant) => v3Call(chat, variant))
}

function v3Call(chat: string | undefined, variant: string): Planned {
  return { command: 'v3 call on a v2 chat', chat, variant }
}

/** Writes at the end of a sequence, after as many other operations as possible. */
export function lastWrites(
  model: Model,
  pick: Pick,
  isPaid: (generations: number) => boolean,
): readonly Planned[] {
  const { v2Chats } = model
  const [v2Chat] = v2Chats
  return [
    ...lastRepeat(model, pick),
    ...lastRace(model, pick),
    ...lastOneShot(model, pick),
    // The earliest message without a reply can still be answered.
    ...lastReplies(v2Chat, 'earliest'),
    // In each v2 chat, the model knows the chain of a question and nothing from other chats.
    ...v2Chats.flatMap((chat) => question(chat, chat === v2Chat ? 'after the latest' : 'alone')),
    // A message with a second reply stays part of the chains through it.
    ...lastReplies(v2Chat, 'again'),
    ...question(v2Chat, 'after the earliest'),
    // Calls of the v3 surface must not change the context of a v2 chat.
    ...v2Chats.slice(0, 1).flatMap(({ label }) => v3Calls.map((call) => v3Call(label, call))),
    ...question(v2Chat, 'after the latest'),
    ...lastMistakes(model),
    ...lastV2Calls(model),
    ...lastRefusals(model),
    ...question(v2Chat, 'after the latest'),
  ].filter(({ command }) => isPaid(commands[command]?.generations ?? 0))
}

function lastReplies(chat: Labeled | undefined, variant: string): readonly Planned[] {
  return chat === undefined ? [] : [{ command: 'reply to v2 message', chat: chat.label, variant }]
}

function question(chat: Labeled | undefined, variant: string): readonly Planned[] {
  return chat === undefined ? [] : [{ command: 'ask v2 chat', chat: chat.label, variant }]
}

/** The oldest possible key, which a target forgets first. */
function lastRepeat(model: Model, pick: Pick): readonly Planned[] {
  const turns = repeatableTurns(model)
  const again = turns.filter(({ isRepeated, kind }) => isRepeated && kind === 'generate')
  const [turn] = pick(2) === 0 && again.length > 0 ? again : turns
  if (turn === undefined) return []
  return [{ command: 'repeat key', chat: turn.chat, turn: turn.label, variant: 'same form' }]
}

/** Generations in two chats at once; in half of the sequences, because a race costs two generations. */
function lastRace(model: Model, pick: Pick): readonly Planned[] {
  const [one, other] = growing(model)
  if (one === undefined || other === undefined || pick(2) > 0) return []
  return [{ command: 'race in two chats', chat: one.label, turn: other.label }]
}

/** A one-shot generation after a chat was deleted. */
function lastOneShot(model: Model, pick: Pick): readonly Planned[] {
  const variant = pick(2) === 0 ? 'json' : 'stream'
  return deletedChats(model).length > 0 ? [{ command: 'one-shot', variant }] : []
}

/** Calls of the v2 surface for the v3 chat that was used most. */
function lastV2Calls(model: Model): readonly Planned[] {
  const [chat] = model.v2Chats.length > 0 ? [] : busiestFirst(model)
  if (chat === undefined) return []
  const command = 'v2 call on a v3 chat'
  return ['store', 'generate', 'store'].map((variant) => ({ command, chat: chat.label, variant }))
}

/** Reads the whole state in every way, at the end of a sequence. */
export function sweep(
  model: Model,
  { pick, useOfDeleted }: { readonly pick: Pick; readonly useOfDeleted: () => string },
): readonly Planned[] {
  // A sequence has few chats, so only small pages split their list.
  const limitOfList = () => drawFrom([2, 2, 3, 3, 5, 20], pick)
  const limit = () => drawFrom([2, 3, 5, 10, 20, 50], pick)
  const living = livingChats(model)
  return [
    ...living.flatMap(({ label: chat }) => [
      { command: 'read chat', chat },
      { command: 'read history', chat },
      ...(turnsOf(model, chat).length > 1
        ? [{ command: 'read history', chat, limit: limit() }]
        : []),
    ]),
    ...deletedChats(model).flatMap(({ label: chat }) => [
      { command: 'use deleted chat', chat, variant: useOfDeleted() },
      { command: 'use deleted chat', chat, variant: 'history' },
    ]),
    { command: 'read favorites' },
    ...living
      .filter(({ name }) => name !== undefined)
      .map(({ label: chat }) => ({ command: 'list chats', chat, variant: 'search of one' })),
    ...listsOf(['all', 'search', 'without favorites'], limitOfList),
  ]
}

/** Lists of chats, whole and in pages. */
function listsOf(variants: readonly string[], limit: () => number | undefined): readonly Planned[] {
  const command = 'list chats'
  return variants.flatMap((variant) => [
    { command, variant },
    { command, variant, limit: limit() },
  ])
}

/** Number of chats that a list in pages of two shows on more than one page. */
const pagedChats = 4

/**
 * Renames and deletes the chat that was used most, then reads the lists. Comes last, because the effects of
 * earlier operations on the chat are no longer visible.
 */
export function lastDeletion(model: Model): readonly Planned[] {
  const [busiest] = busiestFirst(model)
  if (busiest === undefined) return []
  const { label: chat } = busiest
  const missing = Math.max(0, pagedChats + 1 - livingChats(model).length)
  return [
    { command: 'rename', chat },
    { command: 'read chat', chat },
    { command: 'read history', chat },
    ...Array<Planned>(missing).fill({ command: 'create chat' }),
    { command: 'delete chat', chat },
    { command: 'use deleted chat', chat, variant: 'history' },
    ...listsOf(['all', 'search'], () => 2),
  ]
}
