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

/**
 * State that the document requires of a target after a sequence of operations. Pure: no requests, no clock.
 * Values that the document leaves open are undefined and are not checked.
 */
export class Model {
  chats: readonly ChatState[] = []
  turns: readonly Turn[] = []

  copy(): Model {
    return Object.assign(new Model(), this)
  }

  chat(label: string | undefined): ChatState | undefined {
    return this.chats.find((chat) => chat.label === label)
  }

  get living(): readonly ChatState[] {
    return this.chats.filter(({ deleted }) => !deleted)
  }

  get deleted(): readonly ChatState[] {
    return this.chats.filter(({ deleted }) => deleted)
  }

  /** Chats with the most turns and marks first, so that they get long series of operations. */
  get busiestFirst(): readonly ChatState[] {
    const work = ({ label, favorite }: ChatState) => this.turnsOf(label).length + (favorite ? 1 : 0)
    return this.living.toSorted((a, b) => work(b) - work(a))
  }

  turnsOf(chat: string): readonly Turn[] {
    return this.turns.filter((turn) => turn.chat === chat)
  }

  add(chat: Pick<ChatState, 'label' | 'id' | 'name'>): void {
    const sinceRead = { name: ['create'], favorite: ['create'] }
    this.chats = [...this.chats, { ...chat, favorite: false, deleted: false, sinceRead }]
  }

  /** Records an operation on a chat, with the properties that it sets. */
  touch(
    label: string,
    kind: string,
    change: Partial<Pick<ChatState, 'name' | 'favorite' | 'deleted'>> = {},
  ): void {
    const { name = [], favorite = [] } = this.chat(label)?.sinceRead ?? {}
    const sinceRead = { name: [...name, kind], favorite: [...favorite, kind] }
    this.chats = changed(this.chats, label, { ...change, sinceRead })
  }

  /** Records a property of a chat that was read: the observed value is expected from now on. */
  read<P extends Property>({ label, sinceRead }: ChatState, property: P, observed: ChatState[P]) {
    const change = { [property]: observed, sinceRead: { ...sinceRead, [property]: [] } }
    this.chats = changed(this.chats, label, change)
  }

  addTurn(turn: Omit<Turn, 'isRepeated'>): void {
    this.turns = [...this.turns, { ...turn, isRepeated: false }]
  }

  /** Records that the key of a turn was sent again: the turn still counts once. */
  repeatTurn(label: string): void {
    this.turns = changed(this.turns, label, { isRepeated: true })
  }

  /** Removes a chat whose state is uncertain after a response without evidence. */
  forget(label: string): void {
    this.chats = this.chats.filter((chat) => chat.label !== label)
    this.turns = this.turns.filter(({ chat }) => chat !== label)
  }
}

/** Property of a chat that is set by its own operations. */
export type Property = keyof ChatState['sinceRead']

function changed<T extends { readonly label: string }>(
  list: readonly T[],
  label: string,
  change: Partial<T>,
): readonly T[] {
  return list.map((one) => (one.label === label ? { ...one, ...change } : one))
}
