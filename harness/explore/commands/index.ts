import type { Command } from '../command.ts'
import { attachmentCommands } from './attachments.ts'
import { chatCommands } from './chats.ts'
import { generateCommands } from './generate.ts'
import { listChats } from './list-chats.ts'
import { readChat } from './read-chat.ts'
import { readFavorites } from './read-favorites.ts'
import { readHistory } from './read-history.ts'
import { refusalCommands } from './refusals.ts'
import { strayCommands } from './stray-chats.ts'
import { v2Commands } from './v2-chats.ts'
import { versionCommands } from './versions.ts'

export const commands: readonly Command[] = [
  ...chatCommands,
  ...generateCommands,
  ...refusalCommands,
  ...attachmentCommands,
  ...strayCommands,
  ...versionCommands,
  ...v2Commands,
  readChat,
  readFavorites,
  listChats,
  readHistory,
]

export function commandNamed(name: string): Command | undefined {
  return commands.find((command) => command.name === name)
}
