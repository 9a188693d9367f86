import { expect, test } from 'vitest'
import type { Exchange } from './exchange.ts'
import { answerJson } from './request-echo.ts'

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

function answer(body: unknown): Exchange {
  const bytes = new TextEncoder().encode(JSON.stringify(body))
  return {
    id: 'x1',
    labels: { scenario: 'a', ordinal: 1, attempt: 0, role: 'probe' },
    startedAt: '2026-01-01T00:00:00.000Z',
    request: {
      method: 'GET',
      url,
      headers: [],
      body: new TextEncoder().encode('{"name":"Fjord"}'),
    },
    response: { status: 200, headers: [], headersAtMs: 1, chunks: [{ atMs: 1, bytes }] },
    events: [],
    ending: { kind: 'complete', atMs: 2 },
  }
}
