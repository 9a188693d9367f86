/**
 * Properties of chats that operations do not set. Which operations change them is open. A run learns it at first
 * sight, and holds a loss against the target only where it was seen to keep the property before.
 */
import type { ExplorationContext } from '../context.ts'
import type { ChatState } from '../model.ts'

type Property = keyof ChatState['sinceRead']

/** Kinds of operation that set a property, so that nothing has to be learned of them. */
const setting: Readonly<Record<Property, readonly string[]>> = {
  name: ['create', 'rename'],
  favorite: [
    'create',
    ...['add favorite', 'add favorite again', 'remove favorite', 'remove favorite again'],
  ],
}

/** Kinds after which a chat may have another name, of which the document says nothing. */
const titling: readonly string[] = ['generate', 'race', 'generate name']

/** Tests if each kind of operation since a property was read was seen to keep it. */
export function isSettled(
  context: ExplorationContext,
  property: Property,
  { sinceRead }: ChatState,
): boolean {
  return kindsSinceSet(property, sinceRead[property]).every(
    (kind) =>
      !(property === 'name' && titling.includes(kind)) &&
      context.knowledge.choiceOf(`${property} kept by ${kind}`) === true,
  )
}

/** Learns what has changed a property that was expected to stay; true where it may not have changed. */
export function learnKept(
  context: ExplorationContext,
  property: Property,
  chat: ChatState,
): boolean {
  const isKnown = isSettled(context, property, chat)
  if (isKnown) return true
  for (const kind of kindsSinceSet(property, chat.sinceRead[property])) {
    context.knowledge.learn(`${property} kept by ${kind}`, false)
  }
  return false
}

/** The operations that followed the last one that sets the property. */
export function kindsSinceSet(property: Property, kinds: readonly string[]): readonly string[] {
  const last = kinds.findLastIndex((kind) => setting[property].includes(kind))
  return kinds.slice(last + 1)
}
