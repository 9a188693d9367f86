import { requirementIds } from '../../../contract/index.ts'
import {
  type Commands,
  type Draft,
  drawChat,
  drawFrom,
  type Operation,
  type Pick,
} from '../command.ts'
import type { Model } from '../model.ts'
import { chatCommands } from './chats.ts'
import { generateCommands } from './generate.ts'
import { listChats } from './list-chats.ts'
import { readChat, readFavorites } from './read-chat.ts'
import { readHistory } from './read-history.ts'
import { strayCommands } from './stray-chats.ts'

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
  Object.values(commands).some(({ needs = [], expects = [] }) =>
    [...needs, ...expects].includes(id),
  ),
)

/** An operation of a command that makes sense in a state. */
export function draftOf(command: string, model: Model, pick: Pick): Draft | undefined {
  const { draw, chats, variants = [] } = commands[command] ?? {}
  if (draw !== undefined) return draw(model, pick)
  const chosen = drawChat(chats?.(model) ?? [], pick)
  return chosen && { ...chosen, variant: drawFrom(variants, pick) }
}

/** Tests if an operation makes sense in a state. */
export function applies(model: Model, operation: Operation): boolean {
  const { applies, chats } = commands[operation.command] ?? {}
  if (applies !== undefined) return applies(model, operation)
  const { chat } = operation
  return (
    chats === undefined || chat === undefined || chats(model).some(({ label }) => label === chat)
  )
}
