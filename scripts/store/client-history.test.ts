import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkHistory } from './client-history.ts'
import type { Answer, Operation } from './operation.ts'

const done = { done: true } as const
const created: Operation = { kind: 'create', name: 'n', answer: { ...done, chat: 'c' } }
const turn = (key: string, answer: string, chat = 'c'): Operation => ({
  kind: 'generate',
  chat,
  key,
  input: `input of ${key}`,
  answer: answer === 'unknown' || answer === 'no-chat' ? answer : { ...done, response: answer },
})
const read = (...keys: string[]): Operation => ({
  kind: 'history',
  chat: 'c',
  answer: { ...done, rows: keys.flatMap((key) => [`input of ${key}`, null]) },
})
const rows = (...items: (string | null)[]): Operation => ({
  kind: 'history',
  chat: 'c',
  answer: { ...done, rows: items },
})
const missing: Operation = { kind: 'history', chat: 'c', answer: 'no-chat' }
const deleted = (answer: Answer = done): Operation => ({ kind: 'delete', chat: 'c', answer })
const favorite = (on: boolean, answer: Answer = done): Operation => ({
  kind: 'favorite',
  chat: 'c',
  on,
  answer,
})
const list = (onlyFavorites: boolean, ...ids: string[]): Operation => ({
  kind: 'chats',
  onlyFavorites,
  answer: { ...done, chats: ids.map((id) => ({ id, name: id === 'c' ? 'n' : `name of ${id}` })) },
})

describe('a history conforms if', () => {
  test.each<[string, Operation[]]>([
    ['everything acknowledged is there', [created, turn('a', '1'), turn('b', '2'), read('a', 'b')]],
    ['a repeat has the first answer', [created, turn('a', '1'), turn('a', '1'), read('a')]],
    ['a turn without an answer is there', [created, turn('a', 'unknown'), read('a')]],
    ['a turn without an answer is not there', [created, turn('a', 'unknown'), read()]],
    ['it comes later', [created, turn('a', 'unknown'), turn('b', '2'), read('b'), read('b', 'a')]],
    ['its repeat is answered', [created, turn('a', 'unknown'), turn('a', '1'), read('a')]],
    [
      'a turn is overtaken by one that was sent before its end',
      [created, turn('a', 'unknown'), turn('b', '2'), turn('a', '1'), read('b', 'a')],
    ],
    ['a deleted chat is gone', [created, deleted(), missing, list(false)]],
    ['a deletion without an answer happened', [created, deleted('unknown'), missing, list(false)]],
    ['it did not', [created, deleted('unknown'), read(), list(false, 'c')]],
    ['it happens later', [created, deleted('unknown'), read(), missing]],
    ['a deletion is repeated', [created, deleted('unknown'), deleted('no-chat')]],
    ['a finished key outlives its chat', [created, turn('a', '1'), deleted(), turn('a', '1')]],
    ['a favorite is listed', [created, favorite(true), list(true, 'c')]],
    ['one that was removed is not', [created, favorite(true), favorite(false), list(true)]],
    ['an unknown one may be', [created, favorite(true, 'unknown'), list(true, 'c'), list(true)]],
    ['a deleted one is not', [created, favorite(true), deleted(), list(true)]],
    [
      'a creation without an answer happened',
      [{ kind: 'create', name: 'name of d', answer: 'unknown' }, list(false, 'd')],
    ],
  ])('%s', (_, history) => {
    expect(checkHistory(history)).toEqual([])
  })
})

describe('a history contradicts the model if', () => {
  test.each<[string, Operation[], string]>([
    ['a turn is lost', [created, turn('a', '1'), read()], 'key a is lost'],
    [
      'a turn that was read is lost',
      [created, turn('a', 'unknown'), read('a'), read()],
      'key a is lost',
    ],
    ['a turn is there twice', [created, turn('a', '1'), read('a', 'a')], 'key a is there twice'],
    [
      'an unacknowledged one is there twice',
      [created, turn('a', 'unknown'), read('a', 'a')],
      'key a is there twice',
    ],
    [
      'turns change places',
      [created, turn('a', '1'), turn('b', '2'), read('b', 'a')],
      'key b stands before that of a',
    ],
    [
      'a turn is put before one that was read',
      [created, turn('a', 'unknown'), turn('b', '2'), read('b'), read('a', 'b')],
      'does not begin with what was read before',
    ],
    [
      'a key has two answers',
      [created, turn('a', '1'), turn('a', '2')],
      'key a has the answers 1 and 2',
    ],
    [
      'two keys have one answer',
      [created, turn('a', '1'), turn('b', '1')],
      'the keys a and b have one answer',
    ],
    ['half a turn is stored', [created, turn('a', '1'), rows('input of a')], 'has no answer'],
    [
      'an answer is stored twice',
      [created, turn('a', '1'), rows('input of a', null, null)],
      'has two answers',
    ],
    ['its answer alone is', [created, turn('a', 'unknown'), rows(null)], 'begins with an answer'],
    ['a text of another chat is there', [created, rows('x', null)], 'which was not sent'],
    ['a chat is lost', [created, missing], 'history: chat c is lost'],
    ['a chat is lost at a turn', [created, turn('a', 'no-chat')], 'chat c is lost'],
    ['a chat is lost at a repeat', [created, turn('a', '1'), turn('a', 'no-chat')], 'c is lost'],
    ['a chat is lost at its deletion', [created, deleted('no-chat')], 'delete: chat c is lost'],
    ['a chat is not listed', [created, list(false)], 'the list of chats lacks c'],
    ['a chat is listed twice', [created, list(false, 'c', 'c')], 'has chat c twice'],
    ['a deleted chat is readable', [created, deleted(), read()], 'there after its deletion'],
    ['a deleted chat is listed', [created, deleted(), list(false, 'c')], 'still has c'],
    ['a deleted chat takes a turn', [created, deleted(), turn('a', '1')], 'after its deletion'],
    ['it comes back', [created, deleted('unknown'), missing, read()], 'after its deletion'],
    ['a favorite is lost', [created, favorite(true), list(true)], 'the list of favorites lacks c'],
    ['a removed one stays', [created, favorite(true), favorite(false), list(true, 'c')], 'still'],
    ['a deleted one stays', [created, favorite(true), deleted(), list(true, 'c')], 'still has c'],
    ['a chat of another caller is listed', [list(false, 'd')], 'which this client did not create'],
    ['an id is given twice', [created, created], 'was given before'],
    ['a status has no reason', [created, favorite(true, 500)], 'favorite has status 500'],
  ])('%s', (_, history, problem) => {
    expect(checkHistory(history)).toContainEqual(expect.stringContaining(problem))
  })
})

interface Draw {
  readonly kind: 'create' | 'turn' | 'repeat' | 'delete' | 'favorite' | 'history' | 'chats'
  readonly place: number
  readonly on: boolean
  readonly fate: 'answered' | 'answer lost' | 'request lost'
}

const draws: fc.Arbitrary<readonly Draw[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(
      ...(['create', 'turn', 'turn', 'repeat', 'delete', 'favorite', 'history', 'chats'] as const),
    ),
    place: fc.nat(20),
    on: fc.boolean(),
    fate: fc.constantFrom(
      ...(['answered', 'answered', 'answered', 'answer lost', 'request lost'] as const),
    ),
  }),
  { minLength: 1, maxLength: 80 },
)

/** A correct service in memory, between which and its client requests and answers are lost. */
class Service {
  readonly operations: Operation[] = []
  readonly #chats = new Map<string, { isFavorite: boolean; readonly keys: string[] }>()
  readonly #ids: string[] = []
  readonly #turns: { readonly chat: string; readonly key: string }[] = []

  apply({ kind, place, on, fate }: Draw): void {
    const id = this.#ids[place % Math.max(1, this.#ids.length)]
    const answer = <Result>(act: () => Result): Answer<Result> => {
      if (fate === 'request lost') return 'unknown'
      const result = act()
      return fate === 'answer lost' ? 'unknown' : { ...done, ...result }
    }
    if (kind === 'create' || id === undefined) {
      const chat = `c${this.#chats.size}-${this.operations.length}`
      const act = () => {
        this.#chats.set(chat, { isFavorite: false, keys: [] })
        return { chat }
      }
      const result = answer(act)
      if (result !== 'unknown') this.#ids.push(chat)
      this.operations.push({ kind: 'create', name: `name of ${chat}`, answer: result })
      return
    }
    if (kind === 'chats') {
      const chats = [...this.#chats].filter(([, { isFavorite }]) => !on || isFavorite)
      const result = chats.map(([each]) => ({ id: each, name: `name of ${each}` }))
      const operation = { kind, onlyFavorites: on, answer: answer(() => ({ chats: result })) }
      this.operations.push(operation)
      return
    }
    const repeated = kind === 'repeat' ? this.#turns[place % this.#turns.length] : undefined
    if (kind === 'turn' || kind === 'repeat') {
      const { chat, key } = repeated ?? { chat: id, key: `k${this.operations.length}` }
      if (repeated === undefined) this.#turns.push({ chat, key })
      const act = () => {
        const { keys = [] } = this.#chats.get(chat) ?? {}
        if (!keys.includes(key)) keys.push(key)
        return { response: `answer to ${key}` }
      }
      const result = this.#chats.has(chat) ? answer(act) : missingOr(fate)
      const input = `input of ${key}`
      this.operations.push({ kind: 'generate', chat, key, input, answer: result })
      return
    }
    const chat = this.#chats.get(id)
    if (chat === undefined) {
      const operation = { chat: id, answer: missingOr(fate) }
      this.operations.push(
        kind === 'favorite' ? { ...operation, kind, on } : { ...operation, kind },
      )
    } else if (kind === 'delete') {
      const result = answer(() => void this.#chats.delete(id))
      this.operations.push({ kind, chat: id, answer: result === 'unknown' ? result : done })
    } else if (kind === 'favorite') {
      const result = answer(() => {
        chat.isFavorite = on
      })
      this.operations.push({ kind, chat: id, on, answer: result === 'unknown' ? result : done })
    } else {
      const result = answer(() => ({
        rows: chat.keys.flatMap((key) => [`input of ${key}`, null]),
      }))
      this.operations.push({ kind, chat: id, answer: result })
    }
  }
}

function missingOr(fate: Draw['fate']): 'unknown' | 'no-chat' {
  return fate === 'answered' ? 'no-chat' : 'unknown'
}

function historyOf(list: readonly Draw[]): readonly Operation[] {
  const service = new Service()
  for (const draw of list) service.apply(draw)
  return service.operations
}

test('no history of a correct service is accused, whatever is lost on the way', () => {
  fc.assert(
    fc.property(draws, (list) => {
      expect(checkHistory(historyOf(list))).toEqual([])
    }),
    { numRuns: 1000 },
  )
})

type Rows = readonly (string | null)[]

describe('every history in which a service spoils what was read is accused:', () => {
  const cases: readonly [string, number, (rows: Rows) => Rows][] = [
    ['its last turn is lost', 1, (all) => all.slice(0, -2)],
    ['its last turn is doubled', 1, (all) => [...all, ...all.slice(-2)]],
    ['its last answer is lost', 1, (all) => all.slice(0, -1)],
    ['its turns are in reverse order', 2, (all) => pairs(all).toReversed().flat()],
    ['its last page is repeated', 2, (all) => [...all, ...all.slice(-4)]],
  ]
  test.each(cases)('%s', (_, minTurns, spoil) => {
    fc.assert(
      fc.property(fc.integer({ min: minTurns, max: 8 }), draws, (count, list) => {
        const other = historyOf(list).filter(({ kind }) => kind !== 'chats')
        const keys = Array.from({ length: count }, (_, at) => `own-${at}`)
        const turns = keys.map((key) => turn(key, `answer to ${key}`))
        const all = keys.flatMap((key) => [`input of ${key}`, null])
        const history = [created, ...other, ...turns]
        expect(checkHistory([...history, rows(...all)])).toEqual([])
        expect(checkHistory([...history, rows(...spoil(all))])).not.toEqual([])
      }),
    )
  })
})

function pairs(all: Rows): Rows[] {
  return all.flatMap((_, at) => (at % 2 === 0 ? [all.slice(at, at + 2)] : []))
}
