/**
 * State that the document requires of a target after a sequence of operations. Pure: no requests, no clock.
 * Values that the document leaves open are undefined and are not checked.
 */
export interface Model {
  readonly chats: readonly ChatState[]
  readonly turns: readonly Turn[]
}

export interface ChatState {
  /** Names the chat in operations: `c3` is the chat that operation 3 created. */
  readonly label: string
  readonly id: string
  readonly name: string | undefined
  readonly favorite: boolean | undefined
  readonly deleted: boolean
  /** Kinds of operation on this chat since its name and its favorite mark were last read. */
  readonly sinceRead: { readonly name: readonly string[]; readonly favorite: readonly string[] }
}

/** One user turn: a generation with its own Idempotency-Key. */
export interface Turn {
  readonly label: string
  readonly chat: string
  readonly key: string
  readonly body: Readonly<Record<string, unknown>>
  /** Words of its input items; each is in one row of the history if it was accepted. */
  readonly marks: readonly string[]
  /** True if it was accepted; false if unknown. */
  readonly isAccepted: boolean
  readonly answer: readonly string[]
  /** True once its key was sent again. */
  readonly isRepeated: boolean
}

export const emptyModel: Model = { chats: [], turns: [] }

export function chatNamed(model: Model, label: string | undefined): ChatState | undefined {
  return model.chats.find((chat) => chat.label === label)
}

export function livingChats(model: Model): readonly ChatState[] {
  return model.chats.filter(({ deleted }) => !deleted)
}

export function deletedChats(model: Model): readonly ChatState[] {
  return model.chats.filter(({ deleted }) => deleted)
}

/** Chats with the most turns and marks first, so that they get long series of operations. */
export function busiestFirst(model: Model): readonly ChatState[] {
  const work = ({ label, favorite }: ChatState) => turnsOf(model, label).length + (favorite ? 1 : 0)
  return livingChats(model).toSorted((a, b) => work(b) - work(a))
}

export function turnsOf(model: Model, chat: string): readonly Turn[] {
  return model.turns.filter((turn) => turn.chat === chat)
}

export function addChat(model: Model, chat: Pick<ChatState, 'label' | 'id' | 'name'>): Model {
  const created: ChatState = {
    ...chat,
    favorite: false,
    deleted: false,
    sinceRead: { name: ['create'], favorite: ['create'] },
  }
  return { ...model, chats: [...model.chats, created] }
}

/** The model after an operation on a chat, with the properties that the operation sets. */
export function touchChat(
  model: Model,
  label: string,
  kind: string,
  change: Partial<Pick<ChatState, 'name' | 'favorite' | 'deleted'>> = {},
): Model {
  const { name = [], favorite = [] } = chatNamed(model, label)?.sinceRead ?? {}
  const sinceRead = { name: [...name, kind], favorite: [...favorite, kind] }
  return { ...model, chats: changed(model.chats, label, { ...change, sinceRead }) }
}

/** The model after a property of a chat was read: the observed value is expected from now on. */
export function readProperty<Property extends 'name' | 'favorite'>(
  model: Model,
  { label, sinceRead }: ChatState,
  property: Property,
  observed: ChatState[Property],
): Model {
  const change = { [property]: observed, sinceRead: { ...sinceRead, [property]: [] } }
  return { ...model, chats: changed(model.chats, label, change) }
}

export function addTurn(model: Model, turn: Omit<Turn, 'isRepeated'>): Model {
  return { ...model, turns: [...model.turns, { ...turn, isRepeated: false }] }
}

/** The model after the key of a turn was sent again: the turn still counts once. */
export function repeatTurn(model: Model, label: string): Model {
  return { ...model, turns: changed(model.turns, label, { isRepeated: true }) }
}

/** Removes a chat whose state is uncertain after a response without evidence. */
export function forgetChat(model: Model, label: string): Model {
  return {
    ...model,
    chats: model.chats.filter((chat) => chat.label !== label),
    turns: model.turns.filter(({ chat }) => chat !== label),
  }
}

function changed<T extends { readonly label: string }>(
  list: readonly T[],
  label: string,
  change: Partial<T>,
): readonly T[] {
  return list.map((one) => (one.label === label ? { ...one, ...change } : one))
}
