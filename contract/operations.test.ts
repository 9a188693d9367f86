import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pathOf } from './operations.ts'

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
  fc.assert(
    fc.property(fc.oneof(nasty, fc.string({ unit: 'binary' })), (id) => {
      const { pathname, search, hash } = new URL(`http://h/p${pathOf('v3.deleteChat', id)}`)
      expect(pathname).toMatch(/^\/p\/api\/v3\/chat\/[^/]+$/)
      expect(search + hash).toBe('')
    }),
  )
})

test('an ordinary id stands as it is', () => {
  const id = '35921114-a1f2-4b07-ae7e-854423984a0f'
  expect(pathOf('v3.deleteChat', id)).toBe(`/api/v3/chat/${id}`)
  expect(pathOf('v3.chats', id)).toBe('/api/v3/chat')
})
