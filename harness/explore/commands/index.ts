import { requirementIds } from '../../../contract/index.ts'
import type { Commands, Operation } from '../command.ts'
import type { Model } from '../model.ts'
import { chatCommands } from './chats.ts'
import { generateCommands, strayCommands } from './generate.ts'
import { listChats } from './list-chats.ts'
import { readChat, readFavorites } from './read-chat.ts'
import { readHistory } from './read-history.ts'

export const commands: Commands = {
  ...chatCommands,
  ...generateCommands,
  ...strayCommands,
  'read chat': readChat,
  'read favorites': readFavorites,
  'list chats': listChats,
  'read history': readHistory,
}

/** The requirements that exploring can find broken. */
export const exploredRequirements = requirementIds.filter((id) =>
  Object.values(commands).some(({ expects = [] }) => expects.includes(id)),
)

/** Tests if an operation makes sense in a state. */
export function applies(model: Model, operation: Operation): boolean {
  const { applies, chats } = commands[operation.command] ?? {}
  if (applies !== undefined) return applies(model, operation)
  const { chat } = operation
  return (
    chats === undefined || chat === undefined || chats(model).some(({ label }) => label === chat)
  )
}
