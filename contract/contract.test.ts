import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exchangeOf } from '../reports/test-support/reports.ts'
import { chatIdNames, findId, isObject, isUuid, leavesOf, parseJson, valueAt } from './json.ts'
import {
  destinationOf,
  documentedPrefixes,
  operationAt,
  operationIds,
  operations,
  pathOf,
  urlOf,
} from './operations.ts'
import { requestPath } from './reading.ts'
import { answerJson } from './request-echo.ts'
import { forAll } from './test-support/for-all.ts'
import { growth } from './test-support/growth.ts'
import { stableText } from './text.ts'

test('pathOf keeps any id within its path segment', () => {
  const nasty = fc.constantFrom(
    ...['..', '.', '', '../..', '%2e%2e', '..%2f..'],
    ...['\\..', '?', '#', '\ud800', '$&', 'a/b'],
  )
  forAll(fc.oneof(nasty, fc.string({ unit: 'binary' })), (id) => {
    const { pathname, search, hash } = new URL(`http://h/p${pathOf('v3.deleteChat', id)}`)
    expect(pathname).toMatch(/^\/p\/api\/v3\/chat\/[^/]+$/)
    expect(search + hash).toBe('')
  })
})

test('pathOf inserts an ordinary id unchanged', () => {
  const id = '35921114-a1f2-4b07-ae7e-854423984a0f'
  expect(pathOf('v3.deleteChat', id)).toBe(`/api/v3/chat/${id}`)
  expect(pathOf('v3.chats', id)).toBe('/api/v3/chat')
})

const prefix = fc
  .array(fc.stringMatching(/^[a-z0-9.~-]{1,8}$/), { maxLength: 3 })
  .map((parts) => parts.map((part) => `/${part}`).join(''))
const prefixes = fc.record(
  { openai: prefix, v2: prefix, v3: prefix, knowledge: prefix },
  { requiredKeys: [] },
)
const baseUrl = fc.constantFrom('http://h:8000', 'https://chat.example/api/tenant', 'http://h/v1')

test('operationAt finds the operation of a request with any prefixes', () => {
  forAll(baseUrl, prefixes, fc.constantFrom(...operationIds), (base, given, id) => {
    const place = destinationOf({ baseUrl: base, prefixes: given }, pathOf(id, 'c1'))
    const request = { ...place, method: operations[id].method, headers: [], body: null }
    expect(operationAt(request.method, requestPath({ request }))).toBe(id)
    const { surface } = operations[id]
    expect(place.url.startsWith(`${base}${given[surface] ?? documentedPrefixes[surface]}/`)).toBe(
      true,
    )
  })
})

test('a prefix replaces whole segments of its own surface only', () => {
  const address = { baseUrl: 'http://h', prefixes: { v3: '/n', knowledge: '/kb' } }
  expect(urlOf(address, '/api/v3/knowledge/1')).toBe('http://h/n/knowledge/1')
  expect(urlOf(address, '/api/knowledge')).toBe('http://h/kb')
  expect(urlOf(address, '/api/v30/chat')).toBe('http://h/api/v30/chat')
  expect(urlOf({ baseUrl: 'http://h/v1', prefixes: { openai: '' } }, '/api/openai/models')).toBe(
    'http://h/v1/models',
  )
})

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

test('isObject is true for exactly the JSON objects', () => {
  forAll(fc.jsonValue(), (value) => {
    expect(isObject(value)).toBe(JSON.stringify(value).startsWith('{'))
  })
})

describe('valueAt', () => {
  test('finds each leaf by the pointer of its path', () => {
    forAll(fc.jsonValue(), (value) => {
      for (const leaf of leavesOf(value)) {
        const keys = leaf.path.map((key) => key.replaceAll('~', '~0').replaceAll('/', '~1'))
        expect(valueAt(value, keys.map((key) => `/${key}`).join(''))).toBe(leaf.value)
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
  ])('of %s in %j is undefined', (pointer, value) => {
    expect(valueAt(value, pointer)).toBeUndefined()
  })

  test('returns the whole value for an empty pointer (RFC 6901, section 5)', () => {
    const value = { '': 0, 'a/b': 1, 'm~n': 8, foo: ['bar', 'baz'] }
    expect(valueAt(value, '')).toBe(value)
    expect(valueAt(value, '/')).toBe(0)
    expect(valueAt(value, '/a~1b')).toBe(1)
    expect(valueAt(value, '/m~0n')).toBe(8)
    expect(valueAt(value, '/foo/1')).toBe('baz')
  })
})

describe('findId', () => {
  test('returns the first leaf with a known name, or else the only UUID', () => {
    forAll(withUuids, (body) => {
      const ids = leavesOf(body).filter(({ value }) => isUuid(value))
      const named = ids.filter(({ path }) => chatIdNames.includes(path.at(-1) ?? ''))
      const expected = named[0]?.value ?? (ids.length === 1 ? ids[0]?.value : undefined)
      expect(findId(body, chatIdNames)).toBe(expected)
    })
  })

  test('prefers an outer id in any order and wrapping', () => {
    const chat = fc.uuid()
    forAll(chat, chat, withUuids, fc.boolean(), (outer, inner, other, first) => {
      const nested = { assistant: { id: inner, other } }
      const body = first ? { id: outer, ...nested } : { ...nested, id: outer }
      expect(findId(body, chatIdNames)).toBe(outer)
      expect(findId([body], chatIdNames)).toBe(outer)
    })
  })

  test('is undefined for several UUIDs without a known name', () => {
    const id = '0b1f0a3c-7f0e-4a57-9a5d-2f3f6c1d8e4b'
    expect(findId({ chat: id }, chatIdNames)).toBe(id)
    expect(findId(id, chatIdNames)).toBe(id)
    expect(findId({ chat: id, owner: id.replace('0', '1') }, chatIdNames)).toBeUndefined()
    expect(findId({ id: 'chat-1' }, chatIdNames)).toBeUndefined()
  })

  test('handles any depth of nesting', () => {
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
])('answerJson removes %s', (_, body, left) => {
  expect(answerJson(answer(body))).toEqual(left)
})

test.each<[string, unknown]>([
  ['a member of an element by the name of a query', { data: [{ search: 'Fjord' }] }],
  ['a name that was searched for', { data: [{ name: 'Fjord' }] }],
  ['the body itself', { name: 'Fjord' }],
  ['a record with more than the request', { chat: { name: 'Fjord', id: 'a' } }],
  ['headers of another kind', { headers: { title: 'a' } }],
  ['text', 'Fjord'],
])('answerJson keeps %s', (_, body) => {
  expect(answerJson(answer(body))).toEqual(body)
})

function answer(body: unknown) {
  return exchangeOf({ method: 'GET', url, body: '{"name":"Fjord"}', answer: JSON.stringify(body) })
}

test.each([
  [
    'the history of 0b6ef0c2-13ab-4f0e-8f0e-0d8a1c7f55a1 shows Tavoru7316',
    'the history of 5c1d1f0a-77aa-4c3b-9d2e-1f2a3b4c5d6e shows Petazi6683',
  ],
  ['resp_01JD8Z3V5Q7K is resp_01JD8Z3V5Q7L again', 'resp_9af3c1d2e4 is resp_9af3c1d2e5 again'],
  ['POST http://127.0.0.1:4010/api', 'POST http://127.0.0.1:38211/api'],
  ['sent at 2026-01-02T03:04:05.123Z', 'sent at 2026-02-03T04:05:06Z'],
  ['the tag is chatgen-seed-1', 'the tag is chatgen-9f3a01bc'],
  ['silent for 1200 ms', 'silent for 803.25 ms'],
  ['shown by x17 and x18', 'shown by x4 and x5'],
  [
    'rows of the page: expected at most 2, received 3',
    'rows of the page: expected at most 2, received 4',
  ],
  [
    'The body is "It is a fine… (312 characters), which is not valid JSON',
    'The body is "Well, a… (99 characters), which is not valid JSON',
  ],
  [
    'text: expected an empty string, received "The tide comes in."',
    'text: expected an empty string, received "It rains today."',
  ],
  ['The delta is {"text":"The"}, not a string.', 'The delta is {"text":"Well"}, not a string.'],
  ['created_at is 1767323045', 'created_at is 1767409445'],
  [
    'inputs (spaces double, text like HTML, with escapes, top_p 0.5): received "Hi, "',
    'inputs (plain request): received "A b", "It is a fine… (312 characters)',
  ],
  ['lost "Tavoru7316-1.txt"', 'lost "Petazi6683-2.bin", "Petazi6683", … (12 in all)'],
  ['a request with rag true, form stream (refused)', 'a request with rag true (refused)'],
  ['the name is lost, after: create a chat', 'the name is lost, after: rename the chat'],
])('stableText is equal for %j and %j', (one, other) => {
  expect(stableText(one)).toBe(stableText(other))
})

test.each([
  [
    'status of POST /api: expected 400, received 422',
    'status of POST /api: expected 400, received 500',
  ],
  ['the request: expected success, received 404', 'the request: expected success, received 503'],
  [
    'Expected status 200 with text/event-stream, received status 404',
    'Expected status 200 with text/event-stream, received status 302',
  ],
  ['the answer (in a stream) lacks "id"', 'the answer (in JSON) lacks "id"'],
  ['usage is missing', 'usage.total_tokens is missing'],
  ['response.created is sent twice', 'response.completed is sent twice'],
  ['finish_reason is "stop"', 'finish_reason is "length"'],
  ['it is "stop", and was "length"', 'it is "stop", and not "length"'],
  ['it waits for OAI-STREAM-08', 'it waits for OAI-STREAM-09'],
  ['a key of section V3-SSE-09', 'a key of section V3-SSE-10'],
  ['The media type is text/plain', 'The media type is text/html'],
])('stableText differs for %j and %j', (one, other) => {
  expect(stableText(one)).not.toBe(stableText(other))
})

test.each([
  ['words', (length: number) => `"${'a '.repeat(length)}`],
  ['openings', (length: number) => '[{"'.repeat(length)],
  ['underscores', (length: number) => 'ab_'.repeat(length)],
])('stableText takes linear time for %s', (_, message) => {
  expect(growth((length) => stableText(message(length)), 50_000)).toBeLessThan(64)
})

test('stableText replaces numbers, ids and times', () => {
  const words = fc.constantFrom('the', 'history', 'shows', 'usage', 'V3-SSE-09', 'limit', 'UTF-8')
  const chance = fc.oneof(
    fc.uuid(),
    fc.nat().map(String),
    fc
      .date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-01-01') })
      .map((date) => date.toISOString()),
    fc.nat(9999).map((n) => `${n} ms`),
  )
  forAll(fc.array(words), chance, fc.array(words), (before, mark, after) => {
    const text = [...before, mark, ...after].join(' ')
    expect(stableText(text)).toBe([...before, stableText(mark), ...after].join(' '))
    expect(stableText(mark)).toMatch(/^<(id|n|time|duration)>$/)
  })
})
