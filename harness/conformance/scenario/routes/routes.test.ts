import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Exchange, isDeeperThan, leavesOf } from '../../../../contract/index.ts'
import { forAll } from '../../../../contract/test-support/for-all.ts'
import { exchangeOf } from '../../../../reports/test-support/reports.ts'
import { idsOfRecords } from '../../cleanup/auxiliary-client.ts'
import { findExcess, withoutBody } from '../../session/limits/limit-breaches.ts'
import { contains, holdsList, repeatedIn } from '../read.ts'
import { cursorIn, walkList } from './paging.ts'

describe('isDeeperThan', () => {
  test('agrees with the depth of a parsed value', () => {
    forAll(fc.jsonValue({ maxDepth: 8 }), fc.nat(10), (value, maxDepth) => {
      expect(isDeeperThan(JSON.stringify(value), maxDepth)).toBe(depthOf(value) > maxDepth)
    })
  })

  test('handles invalid JSON and escapes', () => {
    expect(isDeeperThan('['.repeat(300), 200)).toBe(true)
    expect(isDeeperThan(`{"a":"${'['.repeat(300)}"}`, 200)).toBe(false)
    expect(isDeeperThan(`{"a":"\\"${'['.repeat(300)}"}`, 200)).toBe(false)
    expect(isDeeperThan(`{"a":"\\\\"${',['.repeat(300)}`, 200)).toBe(true)
  })

  test('makes findExcess report deep JSON, as it does too many rows', () => {
    const limits = { jsonDepth: 200, historyRows: 3 }
    const deep = page('['.repeat(100_000) + ']'.repeat(100_000))
    const excess = findExcess(deep, limits)
    expect(excess).toBe('sent JSON that is nested more than 200 levels deep (limits.jsonDepth)')
    expect(withoutBody(deep, excess ?? '').response?.chunks).toEqual([])
    const rows = (count: number) => JSON.stringify({ result: Array(count).fill({}) })
    expect(findExcess(page(rows(3)), limits)).toBeUndefined()
    expect(findExcess(page(rows(4)), limits)).toBe(
      'sent a page of 4 rows, more than 3 (limits.historyRows)',
    )
  })
})

const wide = { list: Array.from({ length: 150_000 }, (_, at) => at), last: 'found' }

test('contains, leavesOf and holdsList handle a body of 150,000 values', () => {
  expect(leavesOf(wide)).toHaveLength(150_001)
  expect(contains(wide, 'found')).toBe(true)
  expect(contains(wide, 'lost')).toBe(false)
  expect(holdsList({ a: { b: [] } })).toBe(true)
  expect(holdsList({ a: { b: 1 } })).toBe(false)
}, 60_000)

const a = { id: 'a', at: 1 }

test.each([
  ['with other texts beside them', { result: [a, { id: 'b' }, { ...a, at: 2 }] }, ['a']],
  ['in equal elements', { result: [a, { ...a }] }, ['a']],
  ['once', { result: [a, { id: 'b' }] }, []],
  ['in elements that differ and show nothing else', { result: [a, { ...a, at: 2 }] }, []],
  [
    'in equal elements of an element',
    { result: [{ ...a, files: [{ of: 'a' }, { of: 'a' }] }] },
    [],
  ],
  [
    'beside equal elements without a text',
    { result: [a, { ...a, at: 2 }, { x: 1 }, { x: 1 }] },
    [],
  ],
])('repeatedIn finds texts that a list shows twice: %s', (_, body, found) => {
  expect(repeatedIn(body, ['a', 'b'])).toEqual(found)
})

describe('the cursor of the next page', () => {
  test.each([
    ['c7', 'c7'],
    ['/api/v3/chat?limit=2&cursor=c%207', 'c 7'],
    ['https://example.org/chat?cursor=c7', 'c7'],
    ['/api/v3/chat?page=2', '/api/v3/chat?page=2'],
    ['http://[?cursor=c7', 'http://[?cursor=c7'],
  ])('is read from next: %s is %s', (next, cursor) => {
    expect(cursorIn(page(JSON.stringify({ data: [], next })), undefined)).toBe(cursor)
    expect(cursorIn(page(JSON.stringify({ pagination: { cursor: next } })), undefined)).toBe(next)
  })

  test.each([
    ['Link', '</api/v3/chat?limit=1&cursor=c7>; rel="next", </api/v3/chat>; rel="first"', 'c7'],
    ['link', '</api/v3/chat>; rel=prev', null],
    ['Link', '</docs>; rel="help"', undefined],
    ['X-Next-Cursor', 'c7', 'c7'],
    ['X-Next-Cursor', '', null],
  ])('is read from the header %s: %s is %s', (name, value, cursor) => {
    const { response, ...rest } = page('[]')
    const headers = [[name, value] as const]
    expect(cursorIn({ ...rest, response: response && { ...response, headers } }, undefined)).toBe(
      cursor,
    )
  })

  test('is not read from a row', () => {
    const of = (cursor: string | null) =>
      cursorIn(
        page(JSON.stringify({ data: [{ cursor: 'r1' }], meta: { page: { cursor } } })),
        undefined,
      )
    expect(of('c2')).toBe('c2')
    expect(of(null)).toBeNull()
  })

  test.each(['', 'c1'])('is not the echoed query cursor %j', (sent) => {
    const of = (cursor: string | null) => {
      const body = { query: { cursor: sent }, result: [], pagination: { cursor } }
      const { request, ...rest } = page(JSON.stringify(body))
      const url = `http://127.0.0.1/api/v3/chat?cursor=${sent}`
      return cursorIn({ ...rest, request: { ...request, url } }, undefined)
    }
    expect(of('c2')).toBe('c2')
    expect(of(null)).toBeNull()
  })
})

const id = 'f81d4fae-7dec-41d0-a765-00a0c91e6bf6'
const other = 'f81d4fae-7dec-41d0-a765-00a0c91e6bf7'

test('idsOfRecords returns the elements of the innermost arrays with a match', () => {
  const body = {
    data: [
      { id, name: 'a', tags: [] },
      { id: other, name: 'b' },
    ],
    echo: 'b',
  }
  const idsIn = (list: unknown) => idsOfRecords(list, (text) => text === 'a')
  expect(idsIn(body)).toEqual([id])
  expect(idsIn({ data: [{ id: other, chats: [{ id, name: 'a' }] }] })).toEqual([id])
  expect(idsIn([[[{ id, name: 'a' }]]])).toEqual([id])
  expect(idsIn({ name: 'a', data: [{ id }] })).toBeUndefined()
})

describe('an endless list', () => {
  const limits = { pages: 50, bodyBytes: 10_000 }
  const walkOf = (text: (requests: number) => string) => {
    let requestCount = 0
    const next = async () => page(text(requestCount++))
    return walkList(next, { limits, pointer: undefined })
  }

  test('is followed for limits.pages pages', async () => {
    const walk = await walkOf((requests) => `{"data":[],"cursor":"c${requests}"}`)
    expect(walk.pages).toHaveLength(50)
    expect(walk.complete).toBe(false)
    expect(walk.exceededLimit).toBe('returned 50 pages and a cursor for more (limits.pages)')
  })

  test('is followed for limits.bodyBytes bytes', async () => {
    const long = 'x'.repeat(3_000)
    const walk = await walkOf((requests) => `{"data":["${long}"],"cursor":"c${requests}"}`)
    expect(walk.exceededLimit).toBe(
      'returned 4 pages of more than 10000 bytes together and a cursor for more (limits.bodyBytes)',
    )
  })

  test('differs from one that ends without a cursor or repeats a cursor', async () => {
    for (const [last, complete] of [
      ['null', true],
      ['"c1"', false],
    ] as const) {
      const cursor = (requests: number) => (requests < 3 ? `"c${requests + 1}"` : last)
      const walk = await walkOf((requests) => `{"data":[],"cursor":${cursor(requests)}}`)
      expect(walk.pages).toHaveLength(4)
      expect(walk).toMatchObject({ complete })
      expect(walk.exceededLimit).toBeUndefined()
    }
  })
})

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

function page(answer: string): Exchange {
  return exchangeOf({ method: 'GET', url: 'http://localhost/api/v3/message?chat_id=a', answer })
}
