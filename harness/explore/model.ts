/**
 * State that the document requires of a target after a sequence of operations. Pure: no requests, no clock.
 * Values that the document leaves open are undefined and are not checked.
 */
export interface Model {
  readonly chats: readonly ChatState[]
  readonly turns: readonly Turn[]
  readonly v2Chats: readonly V2Chat[]
  readonly v2Messages: readonly V2Message[]
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
  /** Words of its input items; each must be in `steps` rows of the history. */
  readonly marks: readonly string[]
  /** 1 if it was accepted, 0 if it was refused; undefined if unknown. */
  readonly steps: 0 | 1 | undefined
  /** Operation that sent it: `generate`, `repeat`, `race`, or the reason why it had to be refused. */
  readonly kind: string
  readonly answer: readonly string[]
  readonly responseId: string | undefined
  /** True once its key was sent again. */
  readonly isRepeated: boolean
}

export interface V2Chat {
  readonly label: string
  readonly id: string
  /** True once the v3 surface was called for it. */
  readonly isCalledByV3: boolean
}

/** A message that was stored in a v2 chat. */
export interface V2Message {
  readonly label: string
  /** Label of its chat. */
  readonly chat: string
  readonly id: string
  /** Label of the message that it is chained to. */
  readonly parent: string | undefined
  /** Word that it states as a fact, in the wording of the target profile. */
  readonly fact: string | undefined
  /** Words that occur in no other message. */
  readonly marks: readonly string[]
  /** Number of replies to it. */
  readonly replies: number
}

export const emptyModel: Model = { chats: [], turns: [], v2Chats: [], v2Messages: [] }

export function chatNamed(model: Model, label: string | undefined): ChatState | undefined {
  return model.chats.find((chat) => chat.label === label)
}

/** Chats that exist. */
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

/** The model with another turn, by default that of a request that had to be refused. */
export function addTurn(
  model: Model,
  turn: Pick<Turn, 'label' | 'chat' | 'body' | 'marks' | 'kind'> & Partial<Turn>,
): Model {
  const refused = {
    key: '',
    steps: 0,
    answer: [],
    responseId: undefined,
    isRepeated: false,
  } as const
  return { ...model, turns: [...model.turns, { ...refused, ...turn }] }
}

/** The model with some turns at the end, in the order of their labels. */
export function orderTurns(model: Model, labels: readonly string[]): Model {
  const named = labels.flatMap((label) => model.turns.filter((turn) => turn.label === label))
  return { ...model, turns: [...model.turns.filter((turn) => !named.includes(turn)), ...named] }
}

/** The model after the key of a turn was sent again: the turn still counts once. */
export function repeatTurn(model: Model, label: string): Model {
  // Extra rows of the key are attributed to the repeat from now on, not to its race.
  return { ...model, turns: changed(model.turns, label, { isRepeated: true, kind: 'generate' }) }
}

export function v2ChatNamed(model: Model, label: string | undefined): V2Chat | undefined {
  return model.v2Chats.find((chat) => chat.label === label)
}

/** Messages of a v2 chat, the oldest first. */
export function v2MessagesOf(model: Model, chat: string | undefined): readonly V2Message[] {
  return model.v2Messages.filter((message) => message.chat === chat)
}

/** V2 chats that hold messages. */
export function usedV2Chats(model: Model): readonly V2Chat[] {
  return model.v2Chats.filter(({ label }) => v2MessagesOf(model, label).length > 0)
}

/** The model with another v2 chat; unchanged if it is known, because a profile may name few of them. */
export function addV2Chat(model: Model, chat: Pick<V2Chat, 'label' | 'id'>): Model {
  if (model.v2Chats.some(({ id }) => id === chat.id)) return model
  return { ...model, v2Chats: [...model.v2Chats, { ...chat, isCalledByV3: false }] }
}

export function callByV3(model: Model, label: string): Model {
  return { ...model, v2Chats: changed(model.v2Chats, label, { isCalledByV3: true }) }
}

export function addV2Message(model: Model, message: Omit<V2Message, 'replies'>): Model {
  return { ...model, v2Messages: [...model.v2Messages, { ...message, replies: 0 }] }
}

export function replyToV2(model: Model, { label, replies }: V2Message): Model {
  return { ...model, v2Messages: changed(model.v2Messages, label, { replies: replies + 1 }) }
}

/** The messages that lead to a message, from the nearest one that states a fact; empty without one. */
export function chainOf(model: Model, message: V2Message | undefined): readonly V2Message[] {
  const chain: V2Message[] = []
  let at = message
  while (at !== undefined) {
    chain.unshift(at)
    if (at.fact !== undefined) return chain
    const { parent } = at
    at = model.v2Messages.find(({ label }) => label === parent)
  }
  return []
}

/** Removes a chat whose state is uncertain after a response without evidence. */
export function forgetChat(model: Model, label: string): Model {
  return {
    ...model,
    chats: model.chats.filter((chat) => chat.label !== label),
    turns: model.turns.filter(({ chat }) => chat !== label),
    v2Chats: model.v2Chats.filter((chat) => chat.label !== label),
    v2Messages: model.v2Messages.filter(({ chat }) => chat !== label),
  }
}

function changed<T extends { readonly label: string }>(
  list: readonly T[],
  label: string,
  change: Partial<T>,
): readonly T[] {
  return list.map((one) => (one.label === label ? { ...one, ...change } : one))
}
