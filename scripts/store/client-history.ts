import type { Operation } from './operation.ts'

type Certainty = 'yes' | 'no' | 'maybe'

interface Step {
  readonly key: string
  readonly input: string
  /** Index of the first operation with this key. */
  readonly sent: number
  /** Index of the first operation that proved it stored. */
  stored: number | undefined
  response: string | undefined
}

interface Chat {
  exists: Certainty
  isFavorite: Certainty
  readonly steps: Map<string, Step>
  /** Rows of the last history that was read. */
  rows: readonly (string | null)[]
}

/**
 * Compares the history of one client with a model of the service: acknowledged means present, deleted
 * means gone, a key has one step, acknowledged steps keep their order, pages are complete. Operations
 * without an acknowledgement may have any effect, once. Only the client itself changes its chats.
 *
 * @returns one sentence for each contradiction
 */
export function checkHistory(operations: readonly Operation[]): readonly string[] {
  const model = new ClientModel()
  operations.forEach((operation, index) => {
    model.apply(operation, index)
  })
  return model.problems
}

class ClientModel {
  readonly problems: string[] = []
  readonly #chats = new Map<string, Chat>()
  /** Names of chats whose creation was not acknowledged. */
  readonly #unknownNames = new Set<string>()
  readonly #responses = new Map<string, string>()

  apply(operation: Operation, index: number): void {
    const { answer } = operation
    if (typeof answer === 'number') {
      this.#report(`${operation.kind} has status ${answer}`, index)
      return
    }
    switch (operation.kind) {
      case 'create':
        if (typeof answer === 'object' && 'chat' in answer) this.#created(answer.chat, index)
        else this.#unknownNames.add(operation.name)
        return
      case 'generate':
        this.#generated(operation, index)
        return
      case 'delete': {
        const chat = this.#chat(operation.chat)
        if (answer === 'no-chat') this.#expectExists(chat, true, operation, index)
        chat.exists = answer === 'unknown' && chat.exists !== 'no' ? 'maybe' : 'no'
        return
      }
      case 'favorite': {
        const chat = this.#chat(operation.chat)
        if (answer === 'unknown') chat.isFavorite = 'maybe'
        else if (this.#answered(chat, answer === 'no-chat', operation, index)) {
          chat.isFavorite = operation.on ? 'yes' : 'no'
        }
        return
      }
      case 'history':
        this.#read(operation, index)
        return
      case 'chats':
        this.#listed(operation, index)
    }
  }

  #created(id: string, index: number): void {
    if (this.#chats.has(id)) this.#report(`the id of chat ${id} was given before`, index)
    this.#chats.set(id, { exists: 'yes', isFavorite: 'no', steps: new Map(), rows: [] })
  }

  #generated(operation: Operation & { kind: 'generate' }, index: number): void {
    const { key, input, answer } = operation
    const chat = this.#chat(operation.chat)
    const existing = chat.steps.get(key)
    const step = existing ?? { key, input, sent: index, stored: undefined, response: undefined }
    // The answer of a finished key may outlive its chat.
    if (existing === undefined && answer !== 'unknown') {
      this.#expectExists(chat, answer === 'no-chat', operation, index)
    } else if (answer === 'no-chat' && chat.exists === 'yes') {
      this.#report(`chat ${operation.chat} is lost`, index)
    }
    if (answer !== 'no-chat') chat.steps.set(key, step)
    if (typeof answer !== 'object' || !('response' in answer)) return
    step.stored ??= index
    if (step.response !== undefined && step.response !== answer.response) {
      this.#report(`key ${key} has the answers ${step.response} and ${answer.response}`, index)
    }
    step.response ??= answer.response
    const other = this.#responses.get(answer.response)
    if (other !== undefined && other !== key) {
      this.#report(`the keys ${other} and ${key} have one answer, ${answer.response}`, index)
    }
    this.#responses.set(answer.response, key)
  }

  #read(operation: Operation & { kind: 'history' }, index: number): void {
    const { answer } = operation
    if (answer === 'unknown') return
    const chat = this.#chat(operation.chat)
    if (!this.#answered(chat, answer === 'no-chat', operation, index)) return
    if (typeof answer !== 'object' || !('rows' in answer)) return
    const report = (problem: string) => this.#report(`${operation.chat}: ${problem}`, index)
    for (const problem of contradictions(chat, answer.rows)) report(problem)
    for (const step of chat.steps.values()) {
      if (answer.rows.includes(step.input)) step.stored ??= index
    }
    chat.rows = answer.rows
  }

  #listed({ onlyFavorites, answer }: Operation & { kind: 'chats' }, index: number): void {
    if (answer === 'unknown') return
    if (typeof answer !== 'object' || !('chats' in answer)) {
      this.#report('the list of chats has status 404', index)
      return
    }
    const list = onlyFavorites ? 'favorites' : 'chats'
    const ids = answer.chats.map(({ id }) => id)
    for (const id of new Set(ids.filter((each, at) => ids.indexOf(each) < at))) {
      this.#report(`the list of ${list} has chat ${id} twice`, index)
    }
    for (const { id, name } of answer.chats) {
      if (this.#chats.has(id)) continue
      if (!this.#unknownNames.delete(name)) {
        this.#report(`the list of ${list} has chat ${id}, which this client did not create`, index)
      }
      this.#chats.set(id, { exists: 'yes', isFavorite: 'no', steps: new Map(), rows: [] })
    }
    for (const [id, chat] of this.#chats) {
      const expected = onlyFavorites ? both(chat.exists, chat.isFavorite) : chat.exists
      const isListed = ids.includes(id)
      if (expected === 'yes' && !isListed) this.#report(`the list of ${list} lacks ${id}`, index)
      if (expected === 'no' && isListed) this.#report(`the list of ${list} still has ${id}`, index)
    }
  }

  /** Notes that an answer says if a chat exists. Returns true if it does. */
  #answered(
    chat: Chat,
    isMissing: boolean,
    operation: Operation & { chat: string },
    index: number,
  ): boolean {
    this.#expectExists(chat, isMissing, operation, index)
    // A deletion in flight may still take effect, but one that did stays.
    if (isMissing) chat.exists = 'no'
    return !isMissing
  }

  #expectExists(
    chat: Chat,
    isMissing: boolean,
    { kind, chat: id }: { readonly kind: string; readonly chat: string },
    index: number,
  ): void {
    if (isMissing && chat.exists === 'yes') this.#report(`${kind}: chat ${id} is lost`, index)
    if (!isMissing && chat.exists === 'no') {
      this.#report(`${kind}: chat ${id} is there after its deletion`, index)
    }
  }

  #chat(id: string): Chat {
    const existing = this.#chats.get(id)
    if (existing === undefined) throw new Error(`the client does not know chat ${id}`)
    return existing
  }

  #report(problem: string, index: number): void {
    this.problems.push(`operation ${index}: ${problem}`)
  }
}

function both(one: Certainty, other: Certainty): Certainty {
  if (one === 'no' || other === 'no') return 'no'
  return one === 'yes' && other === 'yes' ? 'yes' : 'maybe'
}

function contradictions(chat: Chat, rows: readonly (string | null)[]): readonly string[] {
  const steps = [...chat.steps.values()]
  const problems: string[] = []
  const places = new Map<string, number>()
  rows.forEach((input, at) => {
    if (input === null) {
      if (rows[at - 1] === null) problems.push('a turn has two answers in the history')
      return
    }
    const step = steps.find((each) => each.input === input)
    if (step === undefined) problems.push(`the history has "${input}", which was not sent`)
    else if (places.has(input)) problems.push(`the step of key ${step.key} is there twice`)
    else places.set(input, at)
    if (rows[at + 1] !== null) problems.push(`"${input}" has no answer in the history`)
  })
  if (rows[0] === null) problems.push('the history begins with an answer')
  const stored = steps.filter((step) => step.stored !== undefined)
  for (const { key, input } of stored) {
    if (!places.has(input)) problems.push(`the step of key ${key} is lost`)
  }
  for (const before of stored) {
    for (const after of stored) {
      const [first, second] = [places.get(before.input), places.get(after.input)]
      if (first === undefined || second === undefined || first < second) continue
      if ((before.stored ?? 0) < after.sent) {
        problems.push(`the step of key ${after.key} stands before that of ${before.key}`)
      }
    }
  }
  if (chat.rows.some((row, at) => row !== rows[at])) {
    problems.push('the history does not begin with what was read before')
  }
  return problems
}
