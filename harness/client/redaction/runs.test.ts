import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { WireRequest } from '../../../contract/index.ts'
import { exchangeOf } from '../../../reports/test-support/exchanges.ts'
import { createRedactor } from './redaction.ts'

const redactorOf = (value: string, ordinary = '') =>
  createRedactor([{ name: 'api key', value, ordinary }])

describe('a piece of a key', () => {
  const keys = fc.stringMatching(/^(?:[A-Za-z][0-9]){6,16}$/)
  const around = fc.constantFrom('', ' ', '"', '": "', '***', '(', 'x-', '\n', '{"error":"key ')
  const encodings: Record<string, (piece: string, whole: string, from: number) => string> = {
    plain: (piece) => piece,
    'the other letter case': (piece) => piece.toUpperCase(),
    hexadecimal: (piece) => Buffer.from(piece).toString('hex'),
    'base64 of the piece': (piece) => Buffer.from(piece).toString('base64'),
    'base64 after another byte': (piece) => Buffer.from(`:${piece}`).toString('base64'),
    'percent codes': (piece) =>
      piece.replaceAll(/./g, (one) => `%${one.charCodeAt(0).toString(16)}`),
    'JSON escapes': (piece) =>
      piece.replaceAll(/./g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`),
  }

  test.each(Object.entries(encodings))(
    'of eight characters or more is found in %s',
    (_, encode) => {
      fc.assert(
        fc.property(keys, fc.nat(), fc.nat(), around, around, (key, at, more, before, after) => {
          const from = at % (key.length - 7)
          const length = 8 + (more % (key.length - from - 7))
          const written = encode(key.slice(from, from + length), key, from)
          const clean = redactorOf(key).text(`${before}${written}${after}`)
          expect(clean).toContain('[api key]')
          // What stays of base64 at its ends holds bits of other bytes, or of less than a character.
          expect(clean.length).toBeLessThanOrEqual(
            before.length + after.length + '[api key]'.length + 6,
          )
        }),
      )
    },
  )

  const key = 'sk-Hq7+zP/9=aB4cD2eF8gK'

  test.each([
    ['the first 12 characters', key.slice(0, 12)],
    ['the last 12 characters', key.slice(-12)],
    ['12 characters from the middle', key.slice(5, 17)],
  ])('%s are replaced in text, in reports and in streams', (_, piece) => {
    const { text, output, exchange } = redactorOf(key)
    expect(text(`incorrect key ${piece}.`)).toBe('incorrect key [api key].')
    expect(output(`incorrect key ${piece}.`)).toBe('incorrect key [api key].')
    const half = piece.length / 2
    const body = [piece.slice(0, half), piece.slice(half)]
      .map((delta) => `data: {"delta":"${delta}"}\n\n`)
      .join('')
    const clean = exchange(exchangeOf({ answer: body }))
    expect(Buffer.from(clean.response?.chunks[0]?.bytes ?? []).toString()).toBe(
      'data: {"delta":"[api key]"}\n\ndata: {"delta":""}\n\n',
    )
  })

  test.each([
    ['sk-hostile-t', 'sk-hostile-targets-4711'],
    ['targets-4711', 'sk-hostile-targets-4711'],
  ])('%s, words and figures of a key, is replaced where it stands by itself', (piece, words) => {
    expect(redactorOf(words).text(`key ${piece}…`)).toContain('[api key]')
    expect(redactorOf(words).text(`a${piece}s`)).toBe(`a${piece}s`)
  })
})

describe('ordinary text that a key shares', () => {
  test.each([
    ['test-key-123', 'a test-key of the document'],
    ['emergency-key-42', 'idempotency-key: 1'],
    ['assistant-key-77', '{"role":"assistant","object":"chat.completion.chunk"}'],
    ['my-messageId-key', '{"messageId":1}'],
    ['sk-chatgen-conformance-1', 'user-agent: chatgen-conformance/0.1.0'],
    ['response-output-text-delta', 'event: response.output_text.delta'],
    ['key-2026-11-23-prod', 'date: 2026-11-23'],
    ['organization-wide-key', 'the organization of the customer'],
  ])('%s: it is left alone', (key, text) => {
    expect(redactorOf(key).text(text)).toBe(text)
    expect(redactorOf(key).output(text)).toBe(text)
  })

  test('names of the profile stay, and what goes beyond them does not', () => {
    const { text } = redactorOf('acme-chat-prod2-9f3a8c', '{"models":{"main":"Acme-chat-prod2"}}')
    expect(text('{"id":"acme-chat-prod2"}')).toBe('{"id":"acme-chat-prod2"}')
    expect(text('key acme-chat-prod2-9f…')).toBe('key [api key]…')
  })
})

describe('the credential of a request', () => {
  const sent = (authorization: string): WireRequest => ({
    method: 'GET',
    url: 'http://h/',
    headers: [['authorization', authorization]],
    body: null,
  })
  const marked = (key: string, authorization: string) => {
    const nearMiss = { name: 'api key without its last character', value: key.slice(0, -1) }
    const { request } = createRedactor([{ name: 'api key', value: key, ordinary: '' }, nearMiss])
    return request(sent(authorization)).headers[0]?.[1]
  }
  const basic = (key: string) => `Basic ${Buffer.from(`user:${key}`).toString('base64')}`

  test.each(['k1', 'abc', 'abcd', 'abcde', 'abcdefg', 'abcdefgh'])(
    'is compared with the key %s, however short',
    (key) => {
      expect(marked(key, `Bearer ${key}`)).toBe('Bearer [api key]')
      expect(marked(key, `Token ${key}`)).toBe('Token [api key]')
      expect(marked(key, key)).toBe('[api key]')
      expect(marked(key, `Bearer ${key}x`)).toBe('Bearer [api key]x')
      expect(marked(key, `Bearer ${key.slice(0, -1)}`)).toBe(
        'Bearer [api key without its last character]',
      )
      expect(marked(key, basic(key))).toMatch(/^Basic dXNlcjp\[api key\][A-Za-z0-9]?=*$/)
    },
  )

  test.each(['k1', 'abcdefgh', 'sk-Hq7+zP/9=aB4cD2eF8gK'])('of another key is no key %s', (key) => {
    const wrong = 'q'.repeat(key.length)
    expect(marked(key, `Bearer ${wrong}`)).toBe(`Bearer ${wrong}`)
    expect(marked(key, basic(wrong))).toBe(basic(wrong))
    const similar = `${key.slice(0, 12)}${wrong}`
    if (key.length > 12) expect(marked(key, `Bearer ${similar}`)).toBe(`Bearer ${similar}`)
  })
})
