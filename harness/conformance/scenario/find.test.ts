import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { listedChatIds } from './find.ts'

const [own, other, third] = [randomUUID(), randomUUID(), randomUUID()] as const

describe('the chats of the list that holds one of ours', () => {
  test.each<[string, unknown, number]>([
    ['a bare array', [{ id: own }, { id: other }], 2],
    ['an array under any name', { result: [{ id: own }, { id: other }, { id: third }] }, 3],
    ['ids in capitals', [{ id: own.toUpperCase() }, { id: own }], 1],
    ['an array by day, whose days are no chats', [{ day: 'today', chats: [{ id: own }] }], 1],
    ['links of a chat that repeat its id', [{ id: own, links: [{ id: own }, { id: other }] }], 1],
    ['a list of others', [{ id: other }, { id: third }], 0],
    ['elements whose ids are counted', [{ id: own }, { id: '2' }, { id: '3' }], 1],
    ['users beside the chats', { users: [{ id: other }, { id: third }], chats: [{ id: own }] }, 1],
    ['an echo of the request', { request: { query: { ids: [own, other] } } }, 0],
  ])('in %s', (_, body, count) => {
    expect(listedChatIds(body, [own]).size).toBe(count)
  })
  test.each<[string, unknown, number]>([
    ['a list of others in the same place', { result: [{ id: other }, { id: third }] }, 2],
    ['a list of others elsewhere', { users: [{ id: other }, { id: third }] }, 0],
    ['no list', { error: 'busy' }, 0],
  ])('in %s, where an answer to another request has it', (_, body, count) => {
    expect(listedChatIds(body, [own], {}, { result: [{ id: own }] }).size).toBe(count)
  })
})
