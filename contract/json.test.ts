import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exchangeOf } from '../reports/test-support/reports.ts'
import { chatIdNames, findId, isObject, isUuid, leavesOf, parseJson, valueAt } from './json.ts'
import { answerJson } from './request-echo.ts'
import { forAll } from './test-support/for-all.ts'

const withUuids = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.uuid(),
    fc.uuid().map((id) => id.toUpperCase()),
    fc.jsonValue({ maxDepth: 1 }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...chatIdNames), fc.string()), tie('value'), {
      maxKeys: 4,
      noNullPrototype: true,
    }),
  ),
})).value

const pointerTo = (path: readonly string[]) =>
  path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

test('isObject is true for exactly what JSON writes in braces', () => {
  forAll(fc.jsonValue(), (value) => {
    expect(isObject(value)).toBe(JSON.stringify(value).startsWith('{'))
  })
})

describe('valueAt', () => {
  test('finds every leaf by the pointer of its path', () => {
    forAll(fc.jsonValue(), (value) => {
      for (const leaf of leavesOf(value)) {
        expect(valueAt(value, pointerTo(leaf.path))).toBe(leaf.value)
      }
    })
  })

  test.each([
    ['/length', ['a']],
    ['/constructor', {}],
    ['/__proto__', {}],
    ['/00', ['a']],
    ['/-', ['a']],
    ['/0/length', ['a']],
    ['id', { id: 1 }],
    ['/a/b', { a: null }],
  ])('%s leads nowhere in %j', (pointer, value) => {
    expect(valueAt(value, pointer)).toBeUndefined()
  })

  test('the empty pointer is the whole value, the empty key a member (RFC 6901, section 5)', () => {
    const value = { '': 0, 'a/b': 1, 'm~n': 8, foo: ['bar', 'baz'] }
    expect(valueAt(value, '')).toBe(value)
    expect(valueAt(value, '/')).toBe(0)
    expect(valueAt(value, '/a~1b')).toBe(1)
    expect(valueAt(value, '/m~0n')).toBe(8)
    expect(valueAt(value, '/foo/1')).toBe('baz')
  })
})

describe('findId', () => {
  test('is the first leaf under a name, else the only UUID, as the leaves with their paths say', () => {
    forAll(withUuids, (body) => {
      const ids = leavesOf(body).filter(({ value }) => isUuid(value))
      const named = ids.filter(({ path }) => chatIdNames.includes(path.at(-1) ?? ''))
      const expected = named[0]?.value ?? (ids.length === 1 ? ids[0]?.value : undefined)
      expect(findId(body, chatIdNames)).toBe(expected)
    })
  })

  test('no order of members and no wrapping puts an inner id before an outer one', () => {
    const chat = fc.uuid()
    forAll(chat, chat, withUuids, fc.boolean(), (outer, inner, other, first) => {
      const nested = { assistant: { id: inner, other } }
      const body = first ? { id: outer, ...nested } : { ...nested, id: outer }
      expect(findId(body, chatIdNames)).toBe(outer)
      expect(findId([body], chatIdNames)).toBe(outer)
    })
  })

  test('two UUIDs of which none has a name are ambiguous; one alone is the id', () => {
    const id = '0b1f0a3c-7f0e-4a57-9a5d-2f3f6c1d8e4b'
    expect(findId({ chat: id }, chatIdNames)).toBe(id)
    expect(findId(id, chatIdNames)).toBe(id)
    expect(findId({ chat: id, owner: id.replace('0', '1') }, chatIdNames)).toBeUndefined()
    expect(findId({ id: 'chat-1' }, chatIdNames)).toBeUndefined()
  })

  test('nesting of any depth exhausts no stack', () => {
    const id = '0b1f0a3c-7f0e-4a57-9a5d-2f3f6c1d8e4b'
    let body: unknown = { id }
    for (let depth = 0; depth < 20_000; depth += 1) body = [body]
    expect(findId(body, chatIdNames)).toBe(id)
    expect(leavesOf(body)).toEqual([])
  })
})

test('parseJson reads what JSON.stringify writes and never throws', () => {
  forAll(fc.jsonValue(), (value) => {
    const text = JSON.stringify(value)
    expect(JSON.stringify(parseJson(text))).toBe(text)
  })
  forAll(fc.string(), (text) => void parseJson(text))
  expect(parseJson('{')).toBeUndefined()
})

const url = 'http://localhost/api/v3/chat?search=Fjord&limit=2'
const request = { method: 'GET', url: '/api/v3/chat', headers: { host: 'localhost' } }

test.each<[string, unknown, unknown]>([
  ['a request in a member', { id: 'a', x: { ...request, body: null } }, { id: 'a' }],
  [
    'a request in an element of a list',
    { data: [{ id: 'a', origin: request }] },
    { data: [{ id: 'a' }] },
  ],
  ['the headers of a client', { x: { headers: { 'User-Agent': 'chatgen' } }, y: 1 }, { y: 1 }],
  ['the query beside a list', { search: 'Fjord', limit: 2, data: [] }, { data: [] }],
  ['its values as lists', { q: { search: ['Fjord'], limit: ['2'] }, data: [] }, { data: [] }],
  ['its text', { query: 'search=Fjord&limit=2', data: [] }, { data: [] }],
  ['a link to the page', { self: '/api/v3/chat?search=Fjord&limit=2', data: [] }, { data: [] }],
  ['the whole body of the request', { sent: { name: 'Fjord' }, id: 'a' }, { id: 'a' }],
])('%s is an echo', (_, body, left) => {
  expect(answerJson(answer(body))).toEqual(left)
})

test.each<[string, unknown]>([
  ['a member of an element by the name of a query', { data: [{ search: 'Fjord' }] }],
  ['a name that was searched for', { data: [{ name: 'Fjord' }] }],
  ['the body itself', { name: 'Fjord' }],
  ['a record with more than the request', { chat: { name: 'Fjord', id: 'a' } }],
  ['headers of another kind', { headers: { title: 'a' } }],
  ['text', 'Fjord'],
])('%s is none', (_, body) => {
  expect(answerJson(answer(body))).toEqual(body)
})

function answer(body: unknown) {
  return exchangeOf({ method: 'GET', url, body: '{"name":"Fjord"}', answer: JSON.stringify(body) })
}
