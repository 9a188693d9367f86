import fc from 'fast-check'
import { expect, test } from 'vitest'
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
import { forAll } from './test-support/for-all.ts'

test('an id never leads a request out of its place', () => {
  const nasty = fc.constantFrom(
    '..',
    '.',
    '',
    '../..',
    '%2e%2e',
    '..%2f..',
    '\\..',
    '?',
    '#',
    '\ud800',
    '$&',
    'a/b',
  )
  forAll(fc.oneof(nasty, fc.string({ unit: 'binary' })), (id) => {
    const { pathname, search, hash } = new URL(`http://h/p${pathOf('v3.deleteChat', id)}`)
    expect(pathname).toMatch(/^\/p\/api\/v3\/chat\/[^/]+$/)
    expect(search + hash).toBe('')
  })
})

test('an ordinary id stands as it is', () => {
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

test('below any prefixes a judge finds the route that was meant', () => {
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

test('a prefix replaces whole segments, and its own part of the service alone', () => {
  const address = { baseUrl: 'http://h', prefixes: { v3: '/n', knowledge: '/kb' } }
  expect(urlOf(address, '/api/v3/knowledge/1')).toBe('http://h/n/knowledge/1')
  expect(urlOf(address, '/api/knowledge')).toBe('http://h/kb')
  expect(urlOf(address, '/api/v30/chat')).toBe('http://h/api/v30/chat')
  expect(urlOf({ baseUrl: 'http://h/v1', prefixes: { openai: '' } }, '/api/openai/models')).toBe(
    'http://h/v1/models',
  )
})
