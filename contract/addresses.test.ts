import fc from 'fast-check'
import { expect, test } from 'vitest'
import { destinationOf, documentedPrefixes, urlOf } from './addresses.ts'
import { requestPath } from './exchange.ts'
import { operationAt, operationIds, operations, pathOf } from './operations.ts'

const prefix = fc
  .array(fc.stringMatching(/^[a-z0-9.~-]{1,8}$/), { maxLength: 3 })
  .map((parts) => parts.map((part) => `/${part}`).join(''))
const prefixes = fc.record(
  { openai: prefix, v2: prefix, v3: prefix, knowledge: prefix },
  { requiredKeys: [] },
)
const baseUrl = fc.constantFrom('http://h:8000', 'https://chat.example/api/tenant', 'http://h/v1')

test('below any prefixes a judge finds the route that was meant', () => {
  fc.assert(
    fc.property(baseUrl, prefixes, fc.constantFrom(...operationIds), (base, given, id) => {
      const place = destinationOf({ baseUrl: base, prefixes: given }, pathOf(id, 'c1'))
      const request = { ...place, method: operations[id].method, headers: [], body: null }
      expect(operationAt(request.method, requestPath({ request }))).toBe(id)
      const { surface } = operations[id]
      expect(place.url.startsWith(`${base}${given[surface] ?? documentedPrefixes[surface]}/`)).toBe(
        true,
      )
    }),
  )
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
