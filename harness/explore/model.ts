/**
 * State that the document requires of a target after a sequence of operations. Pure: no request, no
 * clock. A value that the document leaves open is undefined, and nothing is expected of it.
 */
export interface Model {
  readonly chats: readonly ChatState[]
  readonly turns: readonly Turn[]
  readonly files: readonly FileState[]
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

/** One user turn: a generation with an Idempotency-Key of its own. */
export interface Turn {
  readonly label: string
  readonly chat: string
  readonly key: string
  readonly body: Readonly<Record<string, unknown>>
  /** Words of its input items; each stands in as many rows of the history as `steps` says. */
  readonly marks: readonly string[]
  /** 1 where it was accepted, 0 where it was refused; undefined where nobody can tell. */
  readonly steps: 0 | 1 | undefined
  /** Operation that sent it: `generate`, `repeat`, `race`, or the reason why it had to be refused. */
  readonly kind: string
  readonly answer: readonly string[]
  readonly responseId: string | undefined
  /** True once its key was sent again. */
  readonly isRepeated: boolean
}

export interface FileState {
  readonly label: string
  readonly name: string
  /** Label of the chat that it was uploaded to. */
  readonly chat: string | undefined
}

export const emptyModel: Model = { chats: [], turns: [], files: [] }

export function chatNamed(model: Model, label: string | undefined): ChatState | undefined {
  return model.chats.find((chat) => chat.label === label)
}

/** Chats that exist. */
export function livingChats(model: Model): readonly ChatState[] {
  return model.chats.filter(({ deleted }) => !deleted)
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

/** The model after an operation on a chat, which may also say what the operation sets. */
export function touchChat(
  model: Model,
  label: string,
  kind: string,
  change: Partial<Pick<ChatState, 'name' | 'favorite' | 'deleted'>> = {},
): Model {
  return mapChat(model, label, (chat) => ({
    ...chat,
    ...change,
    sinceRead: {
      name: [...chat.sinceRead.name, kind],
      favorite: [...chat.sinceRead.favorite, kind],
    },
  }))
}

/** The model after a property of a chat was read: what was seen is expected from now on. */
export function readProperty<Property extends 'name' | 'favorite'>(
  model: Model,
  label: string,
  property: Property,
  seen: ChatState[Property],
): Model {
  return mapChat(model, label, (chat) => ({
    ...chat,
    [property]: seen,
    sinceRead: { ...chat.sinceRead, [property]: [] },
  }))
}

export function addTurn(model: Model, turn: Turn): Model {
  return { ...model, turns: [...model.turns, turn] }
}

/** The model with some turns at the end, in the order of their labels. */
export function orderTurns(model: Model, labels: readonly string[]): Model {
  const named = labels.flatMap((label) => model.turns.filter((turn) => turn.label === label))
  return { ...model, turns: [...model.turns.filter((turn) => !named.includes(turn)), ...named] }
}

/** The model after the key of a turn was sent again: the turn is there once all the same. */
export function repeatTurn(model: Model, label: string): Model {
  // What a key adds from now on, its race does not.
  const turns = model.turns.map((turn) =>
    turn.label === label ? { ...turn, isRepeated: true, kind: 'generate' } : turn,
  )
  return { ...model, turns }
}

export function addFile(model: Model, file: FileState): Model {
  return { ...model, files: [...model.files, file] }
}

/** Forgets what is no longer certain of a chat, after an answer that tells nothing. */
export function forgetChat(model: Model, label: string): Model {
  return {
    ...model,
    chats: model.chats.filter((chat) => chat.label !== label),
    turns: model.turns.filter(({ chat }) => chat !== label),
    files: model.files.filter(({ chat }) => chat !== label),
  }
}

function mapChat(model: Model, label: string, change: (chat: ChatState) => ChatState): Model {
  return {
    ...model,
    chats: model.chats.map((chat) => (chat.label === label ? change(chat) : chat)),
  }
}
