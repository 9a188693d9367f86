import type { Command } from '../command.ts'
import { attachmentCommands } from './attachments.ts'
import { chatCommands } from './chats.ts'
import { generateCommands } from './generate.ts'
import { listChats } from './list-chats.ts'
import { oneShotCommands } from './one-shot.ts'
import { readChat } from './read-chat.ts'
import { readFavorites } from './read-favorites.ts'
import { readHistory } from './read-history.ts'
import { refusalCommands } from './refusals.ts'
import { versionCommands } from './versions.ts'

export const commands: readonly Command[] = [
  ...chatCommands,
  ...generateCommands,
  ...refusalCommands,
  ...attachmentCommands,
  ...oneShotCommands,
  ...versionCommands,
  readChat,
  readFavorites,
  listChats,
  readHistory,
]

export function commandNamed(name: string): Command | undefined {
  return commands.find((command) => command.name === name)
}
