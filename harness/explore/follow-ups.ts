/** Operations that no draw has to come up with: after an operation, and at the end of a sequence. */
import { drawFrom, type Operation, type Pick } from './command.ts'
import { growing, repeatableTurns } from './commands/generate.ts'
import { commandNamed } from './commands/index.ts'
import { lastMistakes } from './commands/refusals.ts'
import { lastRefusals } from './commands/stray-chats.ts'
import { v3Calls } from './commands/versions.ts'
import type { Knowledge } from './knowledge.ts'
import { busiestFirst, chatNamed, livingChats, type Model, turnsOf, type V2Chat } from './model.ts'

/**
 * Reads for a possible change by an operation on a chat: at once until the choice of the target is
 * known, and now and then afterwards; the sweep reads the rest.
 */
export function readsAfter(
  { command, label, chat }: Operation,
  model: Model,
  { knowledge, pick }: { readonly knowledge: Knowledge; readonly pick: Pick },
): readonly Operation[] {
  const subject = command === 'create chat' ? label : chat
  const isRead = commandNamed(command)?.reads ?? false
  if (command === 'store v2 message') return firstV3Calls(chat, label, knowledge)
  const isKnownChat = chatNamed(model, subject) !== undefined
  if (subject === undefined || !isKnownChat || isRead) return []
  const isKnown = knowledge.isAble(`read after ${command}`)
  knowledge.prove(`read after ${command}`)
  if (isKnown && pick(4) > 0) return []
  const writes = command.includes('generat') || command.includes('race') || command === 'repeat key'
  return [
    { command: 'read chat', label: `${label}r`, chat: subject },
    { command: 'read favorites', label: `${label}f` },
    ...(command === 'create chat'
      ? [
          { command: 'list chats', label: `${label}l`, variant: 'all' },
          // A target is held to its pages once it has shown one.
          { command: 'list chats', label: `${label}m`, variant: 'search', limit: 2 },
        ]
      : []),
    ...(writes ? [{ command: 'read history', label: `${label}h`, chat: subject }] : []),
    ...(command === 'upload'
      ? [{ command: 'list attachments', label: `${label}a`, chat: subject, variant: 'of chat' }]
      : []),
  ]
}

/** Calls of each kind for a v2 chat that is still short, so that the first refusals are seen. */
function firstV3Calls(
  chat: string | undefined,
  label: string,
  knowledge: Knowledge,
): readonly Operation[] {
  if (chat === undefined || knowledge.isAble('v3 calls')) return []
  knowledge.prove('v3 calls')
  return ['history', 'read', 'generate'].map((variant) => ({
    command: 'v3 call on a v2 chat',
    label: `${label} ${variant}`,
    chat,
    variant,
  }))
}

/** Writes at the end of a sequence, when as much as can be has happened before them. */
export function lastWrites(
  model: Model,
  pick: Pick,
  isPaid: (generations: number) => boolean,
): readonly Operation[] {
  return [
    ...lastRepeat(model, pick),
    ...lastRace(model, pick),
    ...lastOneShot(model, pick),
    ...lastReply(model),
    ...lastQuestions(model),
    ...lastSecondReply(model),
    ...lastV3Calls(model),
    ...lastMistakes(model),
    ...lastV2Calls(model),
    ...lastRefusals(model),
    ...model.v2Chats.slice(0, 1).map((chat) => question(chat, 'after the latest', 'last')),
  ].filter(({ command }) => isPaid(commandNamed(command)?.generations ?? 0))
}

/** A key that is as old as can be, which a target is the first to forget. */
function lastRepeat(model: Model, pick: Pick): readonly Operation[] {
  const turns = repeatableTurns(model)
  const again = turns.filter(({ isRepeated, kind }) => isRepeated && kind === 'generate')
  const [turn] = pick(2) === 0 && again.length > 0 ? again : turns
  if (turn === undefined) return []
  const { chat, label } = turn
  return [{ command: 'repeat key', label: 'last', chat, turn: label, variant: 'same form' }]
}

/** Generations in two chats at once; in half of the sequences, because a race costs two generations. */
function lastRace(model: Model, pick: Pick): readonly Operation[] {
  const [one, other] = growing(model)
  if (one === undefined || other === undefined || pick(2) > 0) return []
  return [{ command: 'race in two chats', label: 'last race', chat: one.label, turn: other.label }]
}

/** A generation outside all chats, once one of them is gone. */
function lastOneShot(model: Model, pick: Pick): readonly Operation[] {
  const hasDeleted = model.chats.some(({ deleted }) => deleted)
  const variant = pick(2) === 0 ? 'json' : 'stream'
  return hasDeleted ? [{ command: 'one-shot', label: 'last one-shot', variant }] : []
}

/** The earliest message without a reply can still be answered. */
function lastReply({ v2Chats }: Model): readonly Operation[] {
  return v2Chats.slice(0, 1).map(({ label: chat }) => ({
    command: 'reply to v2 message',
    label: `${chat} last reply`,
    chat,
    variant: 'earliest',
  }))
}

/** A message that is answered once more still leads to what follows it. */
function lastSecondReply({ v2Chats }: Model): readonly Operation[] {
  const command = 'reply to v2 message'
  return v2Chats
    .slice(0, 1)
    .flatMap((chat) => [
      { command, label: `${chat.label} again`, chat: chat.label, variant: 'again' },
      question(chat, 'after the earliest', 'next'),
    ])
}

/** A question in each v2 chat: what leads to it is known, and what another one holds is not. */
function lastQuestions({ v2Chats }: Model): readonly Operation[] {
  return v2Chats.map((chat, at) => question(chat, at === 0 ? 'after the latest' : 'alone', 'first'))
}

function question({ label: chat }: V2Chat, variant: string, time: string): Operation {
  return { command: 'ask v2 chat', label: `${chat} ${time} question`, chat, variant }
}

/** Every call of the v3 surface for the first v2 chat, which must not change what it knows. */
function lastV3Calls(model: Model): readonly Operation[] {
  const [chat] = model.v2Chats
  if (chat === undefined) return []
  const { label } = chat
  return [
    ...v3Calls.map((variant) => ({
      command: 'v3 call on a v2 chat',
      label: `${label}s ${variant}`,
      chat: label,
      variant,
    })),
    question(chat, 'after the latest', 'later'),
  ]
}

/** Calls of the v2 surface for the v3 chat that was used most. */
function lastV2Calls(model: Model): readonly Operation[] {
  const [chat] = model.v2Chats.length > 0 ? [] : busiestFirst(model)
  if (chat === undefined) return []
  return ['store', 'generate', 'store'].map((variant, at) => ({
    command: 'v2 call on a v3 chat',
    label: `${chat.label} v2 ${at}`,
    chat: chat.label,
    variant,
  }))
}

/** Every read of everything, at the end of a sequence. */
export function sweep(
  model: Model,
  { pick, useOfDeleted }: { readonly pick: Pick; readonly useOfDeleted: () => string },
): readonly Operation[] {
  // A sequence has few chats: small pages are what makes their list go on.
  const limitOfList = () => drawFrom([2, 2, 3, 3, 5, 20], pick) ?? 2
  const limit = () => drawFrom([2, 3, 5, 10, 20, 50], pick) ?? 5
  const ofChats = livingChats(model).flatMap(({ label }) => [
    { command: 'read chat', label: `${label}sr`, chat: label },
    { command: 'read history', label: `${label}sh`, chat: label },
    ...(turnsOf(model, label).length > 1
      ? [{ command: 'read history', label: `${label}sl`, chat: label, limit: limit() }]
      : []),
  ])
  const ofDeleted = model.chats
    .filter(({ deleted }) => deleted)
    .flatMap(({ label }) =>
      [useOfDeleted(), 'history'].map((variant) => ({
        command: 'use deleted chat',
        label: `${label}s ${variant}`,
        chat: label,
        variant,
      })),
    )
  return [
    ...ofChats,
    ...ofDeleted,
    { command: 'read favorites', label: 'sf' },
    ...livingChats(model)
      .filter(({ name }) => name !== undefined)
      .map(({ label }) => ({
        command: 'list chats',
        label: `${label}sn`,
        chat: label,
        variant: 'search of one',
      })),
    ...livingChats(model).map(({ label }) => ({
      command: 'list attachments',
      label: `${label}sa`,
      chat: label,
      variant: 'of chat',
    })),
    { command: 'list attachments', label: 'sa', variant: 'all' },
    ...listsOf(['all', 'search', 'without favorites'], 's', limitOfList),
  ]
}

/** Lists of chats, whole and in pages. */
function listsOf(
  variants: readonly string[],
  label: string,
  limit: () => number,
): readonly Operation[] {
  const command = 'list chats'
  return variants.flatMap((variant) => [
    { command, label: `${label}c ${variant}`, variant },
    { command, label: `${label}l ${variant}`, variant, limit: limit() },
  ])
}

/** Number of chats that a list in pages of two shows on more than one page. */
const pagedChats = 4

/**
 * The chat that was used most, with another name, and the lists once it is gone. Comes last: what was done
 * to it before does not show any more.
 */
export function lastDeletion(model: Model): readonly Operation[] {
  const [busiest] = busiestFirst(model)
  if (busiest === undefined) return []
  const { label: chat } = busiest
  const missing = Math.max(0, pagedChats + 1 - livingChats(model).length)
  const names = Array.from({ length: missing }, (_, at) => `last chat ${at + 1}`)
  return [
    { command: 'rename', label: 'last name', chat },
    { command: 'read chat', label: 'dr', chat },
    { command: 'read history', label: 'dh', chat },
    { command: 'list attachments', label: 'da', chat, variant: 'of chat' },
    ...names.map((label) => ({ command: 'create chat', label })),
    { command: 'delete chat', label: 'last deletion', chat },
    { command: 'use deleted chat', label: 'last use', chat, variant: 'history' },
    ...listsOf(['all', 'search'], 'd', () => 2),
  ]
}
