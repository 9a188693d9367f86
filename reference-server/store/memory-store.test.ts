import { describe, expect, it } from 'vitest'
import type { ResponseRun } from '../events/run.ts'
import { memoryIdempotency } from './memory-idempotency.ts'
import { memoryStore } from './memory-store.ts'
import type { Attachment, Chat, Message } from './types.ts'

const chat = (id: string, rest: Partial<Chat> = {}): Chat => ({
  id,
  owner: 'ann',
  name: id,
  version: 'v3',
  favorite: false,
  createdAt: 0,
  updatedAt: 0,
  ...rest,
})
const turn = (id: string) => ({
  id,
  parentId: null,
  createdAt: 0,
  input: [{ type: 'message', id: `${id}-in` }],
  output: [{ type: 'message', id: `${id}-out` }],
})

describe('chats', () => {
  it('are known to their owner alone', async () => {
    const { chats } = memoryStore()
    await chats.create(chat('a'))
    expect(await chats.find('ann', 'a')).toMatchObject({ id: 'a' })
    expect(await chats.find('bob', 'a')).toBeUndefined()
    expect(await chats.delete('bob', 'a')).toBe(false)
    expect(await chats.delete('ann', 'a')).toBe(true)
    expect(await chats.find('ann', 'a')).toBeUndefined()
  })

  it('are listed newest first, of one version, without loss while others come and go', async () => {
    const { chats } = memoryStore()
    for (const id of ['a', 'b', 'c', 'd']) await chats.create(chat(id))
    await chats.create(chat('old', { version: 'v2' }))
    const first = await chats.list('ann', { version: 'v3', limit: 2 })
    await chats.create(chat('e'))
    await chats.delete('ann', 'c')
    const rest = await chats.list('ann', { version: 'v3', limit: 2, before: first.next ?? 0 })
    expect([first, rest].map(({ rows }) => rows.map(({ id }) => id))).toEqual([
      ['d', 'c'],
      ['b', 'a'],
    ])
    expect(rest.next).toBeNull()
    const found = await chats.list('ann', { version: 'v3', limit: 9, search: 'D' })
    expect(found.rows.map(({ id }) => id)).toEqual(['d'])
  })
})

describe('history', () => {
  it('pages through whole runs in order, and ends on a full page', async () => {
    const { chats, history } = memoryStore()
    await chats.create(chat('a'))
    await history.append('a', turn('one'))
    await history.append('a', turn('two'))
    const first = await history.page('a', 0, 2)
    expect(first.rows.map(({ item }) => item['id'])).toEqual(['one-in', 'one-out'])
    const second = await history.page('a', first.next ?? 0, 2)
    expect(second.rows.map(({ item }) => item['id'])).toEqual(['two-in', 'two-out'])
    expect(second.next).toBeNull()
  })

  it('goes with its chat, and does not come back when a late run ends', async () => {
    const { chats, history } = memoryStore()
    await chats.create(chat('a'))
    await history.append('a', turn('one'))
    await chats.delete('ann', 'a')
    await history.append('a', turn('late'))
    expect(await history.runs('a')).toEqual([])
  })
})

describe('ledger', () => {
  const scope = { owner: 'ann', endpoint: '/generate', key: 'k' }
  const run = { id: 'resp_1' } as ResponseRun

  it('lets one of many racing claims be the first', async () => {
    const idempotency = memoryIdempotency({ lifeMs: 10, keys: 10 })
    const claims = await Promise.all(
      Array.from({ length: 5 }, () => idempotency.reserve(scope, 'same', 0)),
    )
    expect(claims.map(({ state }) => state).toSorted()).toEqual([
      'first',
      ...Array(4).fill('running'),
    ])
  })

  it('gives the run back for the same payload, and to nobody else', async () => {
    const idempotency = memoryIdempotency({ lifeMs: 10, keys: 10 })
    await idempotency.reserve(scope, 'same', 0)
    await idempotency.finish(scope, run)
    expect(await idempotency.reserve(scope, 'same', 1)).toEqual({ state: 'finished', run })
    expect(await idempotency.reserve(scope, 'other', 1)).toEqual({ state: 'mismatch' })
    expect(await idempotency.reserve({ ...scope, owner: 'bob' }, 'same', 1)).toEqual({
      state: 'first',
    })
    expect(await idempotency.reserve({ ...scope, endpoint: '/x' }, 'same', 1)).toEqual({
      state: 'first',
    })
  })

  it('lets a released key be used again', async () => {
    const idempotency = memoryIdempotency({ lifeMs: 10, keys: 10 })
    await idempotency.reserve(scope, 'same', 0)
    await idempotency.release(scope)
    expect(await idempotency.reserve(scope, 'other', 0)).toEqual({ state: 'first' })
  })

  it('forgets finished keys after their time, and the oldest when there are too many', async () => {
    const idempotency = memoryIdempotency({ lifeMs: 10, keys: 2 })
    const reservation = (key: string, now: number) =>
      idempotency.reserve({ ...scope, key }, 'same', now)
    await reservation('a', 0)
    await idempotency.finish({ ...scope, key: 'a' }, run)
    expect((await reservation('a', 10)).state).toBe('finished')
    expect((await reservation('a', 11)).state).toBe('first')
    await idempotency.finish({ ...scope, key: 'a' }, run)
    for (const key of ['b', 'c', 'd']) {
      await reservation(key, 12)
      await idempotency.finish({ ...scope, key }, run)
    }
    expect((await reservation('d', 12)).state).toBe('finished')
    expect((await reservation('a', 12)).state).toBe('first')
  })
})

describe('changes of a chat', () => {
  it('keep its place in the list, and are seen by every filter', async () => {
    const { chats } = memoryStore()
    for (const id of ['a', 'b', 'c']) await chats.create(chat(id))
    expect(await chats.update('ann', 'b', { favorite: true })).toMatchObject({ favorite: true })
    expect(await chats.update('bob', 'b', { name: 'x' })).toBeUndefined()
    const list = async (favorite?: boolean) =>
      (await chats.list('ann', { version: 'v3', limit: 9, favorite })).rows.map(({ id }) => id)
    expect([await list(), await list(true), await list(false)]).toEqual([
      ['c', 'b', 'a'],
      ['b'],
      ['c', 'a'],
    ])
  })
})

describe('messages', () => {
  const message = (id: string, parentId: string | null, chatId = 'a'): Message => ({
    id,
    chatId,
    parentId,
    modelId: 'm',
    role: 'user',
    content: id,
    createdAt: 0,
    assistantId: null,
    think: false,
    rag: false,
    attachmentIds: [],
  })

  it('form chains within one chat, and go with it', async () => {
    const { chats, messages } = memoryStore()
    await chats.create(chat('a', { version: 'v2' }))
    await messages.append(message('1', null))
    await messages.append(message('2', '1'))
    await messages.append(message('side', '1'))
    await messages.append(message('lost', null, 'no such chat'))
    const chain = async (id: string) => (await messages.chain('a', id)).map(({ id }) => id)
    expect([await chain('2'), await chain('side'), await chain('lost')]).toEqual([
      ['1', '2'],
      ['1', 'side'],
      [],
    ])
    await chats.delete('ann', 'a')
    expect(await messages.find('a', '1')).toBeUndefined()
  })
})

describe('attachments', () => {
  const file = (id: string): Attachment => ({
    id,
    owner: 'ann',
    filename: `${id}.txt`,
    contentType: 'text/plain',
    size: 0,
    text: null,
    createdAt: 0,
  })

  it('belong to their owner, and to a chat as long as it lives', async () => {
    const { attachments, chats } = memoryStore()
    await chats.create(chat('a'))
    for (const id of ['1', '2']) await attachments.add(file(id))
    await attachments.link('a', '1')
    await attachments.link('no such chat', '2')
    const list = async (owner: string, chatId?: string) =>
      (await attachments.list(owner, { limit: 9, chatId })).rows.map(({ id }) => id)
    expect([await list('ann'), await list('ann', 'a'), await list('bob')]).toEqual([
      ['2', '1'],
      ['1'],
      [],
    ])
    await chats.delete('ann', 'a')
    expect([await list('ann'), await list('ann', 'a')]).toEqual([['2', '1'], []])
  })
})
