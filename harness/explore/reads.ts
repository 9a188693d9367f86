/** Reads that no draw has to come up with: after an operation, and at the end of a sequence. */
import { drawFrom, type Operation, type Pick } from './command.ts'
import { commands } from './commands/index.ts'
import type { Knowledge } from './knowledge.ts'
import { livingChats, type Model, turnsOf } from './model.ts'

/**
 * Reads for a possible change by an operation on a chat: at once until the choice of the target is
 * known, and now and then afterwards; the sweep reads the rest.
 */
export function readsAfter(
  { command, label, chat }: Operation,
  { knowledge, pick }: { readonly knowledge: Knowledge; readonly pick: Pick },
): readonly Operation[] {
  const subject = command === 'create chat' ? label : chat
  const isRead = commands.find(({ name }) => name === command)?.reads ?? false
  if (subject === undefined || isRead) return []
  const isKnown = knowledge.isAble(`read after ${command}`)
  knowledge.prove(`read after ${command}`)
  if (isKnown && pick(4) > 0) return []
  const writes = command.includes('generat') || command.includes('race') || command === 'repeat key'
  return [
    { command: 'read chat', label: `${label}r`, chat: subject },
    { command: 'read favorites', label: `${label}f` },
    ...(command === 'create chat'
      ? [{ command: 'list chats', label: `${label}l`, variant: 'all' }]
      : []),
    ...(writes ? [{ command: 'read history', label: `${label}h`, chat: subject }] : []),
    ...(command === 'upload'
      ? [{ command: 'list attachments', label: `${label}a`, chat: subject, variant: 'of chat' }]
      : []),
  ]
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
    ...['all', 'search', 'without favorites'].flatMap((variant) => [
      { command: 'list chats', label: `sc ${variant}`, variant },
      { command: 'list chats', label: `sl ${variant}`, variant, limit: limitOfList() },
    ]),
  ]
}
