/** Operations that are not drawn at random: after an operation, and at the end of a sequence. */
import { drawFrom, type Knowledge, type Operation, type Pick, type Planned } from './command.ts'
import { repeatableTurns } from './commands/generate.ts'
import { commands } from './commands/index.ts'
import { lastRefusals } from './commands/stray-chats.ts'
import type { Model } from './model.ts'

/** Reads that detect a change: after the first operation of its kind, and some later ones; the sweep does the rest. */
export function readsAfter(
  { command, label, chat }: Operation,
  model: Model,
  { knowledge, pick }: { readonly knowledge: Knowledge; readonly pick: Pick },
): readonly Planned[] {
  const subject = command === 'create chat' ? label : chat
  const { reads, shownBy = [] } = commands[command] ?? {}
  if (reads || model.chat(subject) === undefined) return []
  const isKnown = knowledge.isAble(`read after ${command}`)
  knowledge.prove(`read after ${command}`)
  if (isKnown && pick(4) > 0) return []
  return [
    { command: 'read chat', chat: subject },
    { command: 'read favorites' },
    ...shownBy.map((read) => (read.command === 'list chats' ? read : { ...read, chat: subject })),
  ]
}

/** Writes at the end of a sequence, after as many other operations as possible. */
export function lastWrites(
  model: Model,
  pick: Pick,
  isPaid: (generations: number) => boolean,
): readonly Planned[] {
  const turns = repeatableTurns(model)
  const again = turns.filter(({ isRepeated }) => isRepeated)
  // The oldest possible key, which a target forgets first.
  const oldest = (pick(2) === 0 && again.length > 0 ? again : turns).slice(0, 1)
  const variant = 'same form'
  return [
    ...oldest.map(({ chat, label: turn }) => ({ command: 'repeat key', chat, turn, variant })),
    ...lastRefusals(model),
  ].filter(({ command }) => isPaid(commands[command]?.generations ?? 0))
}

/** Reads the whole state in every way, at the end of a sequence. */
export function sweep(
  model: Model,
  { pick, useOfDeleted }: { readonly pick: Pick; readonly useOfDeleted: () => string | undefined },
): readonly Planned[] {
  // A sequence has few chats, so only small pages split their list.
  const limitOfList = () => drawFrom([2, 2, 3, 3, 5, 20], pick)
  const limit = () => drawFrom([2, 3, 5, 10, 20, 50], pick)
  const { living, deleted } = model
  return [
    ...living.flatMap(({ label: chat }) => [
      { command: 'read chat', chat },
      { command: 'read history', chat },
      ...(model.turnsOf(chat).length > 1
        ? [{ command: 'read history', chat, limit: limit() }]
        : []),
    ]),
    ...deleted.flatMap(({ label: chat }) => [
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

/** Number of chats that a list in pages of two shows on three pages. */
const pagedChats = 5

/** Renames and deletes the most used chat, then reads the lists; last, because it hides earlier effects. */
export function lastDeletion(model: Model): readonly Planned[] {
  const [busiest] = model.busiestFirst
  if (busiest === undefined) return []
  const { label: chat } = busiest
  const missing = Math.max(0, pagedChats + 1 - model.living.length)
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
