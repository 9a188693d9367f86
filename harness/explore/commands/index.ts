import type { Command } from '../command.ts'
import { chatCommands } from './chats.ts'
import { generateCommands } from './generate.ts'
import { listChats, readChat, readFavorites } from './read-chats.ts'
import { readHistory } from './read-history.ts'
import { refusalCommands } from './refusals.ts'

export const commands: readonly Command[] = [
  ...chatCommands,
  ...generateCommands,
  ...refusalCommands,
  readChat,
  readFavorites,
  listChats,
  readHistory,
]

export function commandNamed(name: string): Command | undefined {
  return commands.find((command) => command.name === name)
}
