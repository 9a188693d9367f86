import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { forAll } from '../../../../contract/test-support/for-all.ts'
import { cutAt } from '../../../client/test-support/golden-stream.ts'
import { HttpSyntaxError } from '../channel.ts'
import { ResponseParser } from './response-parser.ts'

/** Parses a response that arrives in these pieces. */
function parsePieces(pieces: readonly Uint8Array[], { method = 'GET', close = false } = {}) {
  const parsed = { status: 0, ended: false }
  const bytes: number[] = []
  const parser = new ResponseParser(method, {
    head: (status) => {
      parsed.status = status
    },
    data: (piece) => bytes.push(...piece),
    end: () => {
      parsed.ended = true
    },
  })
  const over = pieces.map((piece) => parser.push(piece, 0)).includes(true)
  if (close) parser.close(0)
  return { ...parsed, over, body: Buffer.from(bytes).toString(), reusable: parser.reusable }
}

const text = (value: string) => Buffer.from(value, 'utf8')
const chunked =
  'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n'
const alphabet = 'abcdefghijklmnopqrstuvwxyz'

describe('a response', () => {
  test.each([
    ['with a Content-Length', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello', 'hello', true],
    ['in chunks', `${chunked}5\r\nhello\r\n6;x=y\r\n world\r\n0\r\n\r\n`, 'hello world', true],
    [
      'in chunks with trailers',
      `${chunked}1a\r\n${alphabet}\r\nA\r\n0123456789\r\n0\r\nX: y\r\n\r\n`,
      `${alphabet}0123456789`,
      true,
    ],
    ['without a body', 'HTTP/1.1 204 No Content\r\n\r\n', '', true],
    [
      'after an early hint',
      'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na',
      'a',
      true,
    ],
    [
      'of a server that closes',
      'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\na',
      'a',
      false,
    ],
    ['of HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na', 'a', false],
    ['followed by extra bytes', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab', 'a', false],
  ])('%s is parsed the same in any split', (_, response, body, reusable) => {
    const whole = parsePieces([text(response)])
    expect(whole).toMatchObject({ body, ended: true, over: true, reusable })
    forAll(fc.array(fc.nat(response.length), { maxLength: 12 }), (cuts) => {
      // Bytes after the end are not read.
      const cut = parsePieces(cutAt(text(response), cuts))
      expect(cut).toMatchObject({ body, ended: true, over: true })
    })
  })

  test('ends with the connection if no length is given', () => {
    const response = 'HTTP/1.1 200 OK\r\n\r\nhello'
    const open = parsePieces([text(response)])
    expect(open).toMatchObject({ body: 'hello', ended: false, over: false })
    const closed = parsePieces([text(response)], { close: true })
    expect(closed).toMatchObject({ body: 'hello', ended: true })
  })

  test.each([
    ['with a Content-Length', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello'],
    ['in chunks', `${chunked}5\r\nhello\r\n`],
    ['in its headers', 'HTTP/1.1 200 OK\r\nContent-'],
  ])('%s does not end if the connection is cut', (_, response) => {
    const cut = parsePieces([text(response)], { close: true })
    expect(cut).toMatchObject({ ended: false, over: false })
  })

  test('to HEAD has no body', () => {
    const response = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n'
    const parsed = parsePieces([text(response)], { method: 'HEAD' })
    expect(parsed).toMatchObject({ body: '', over: true })
  })

  test.each([
    ['an invalid Content-Length', 'HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n'],
    ['a chunk longer than its size', `${chunked}2\r\nhello\r\n`],
    ['endless headers', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(12_000)}`],
  ])('with %s is rejected', (_, response) => {
    expect(() => parsePieces([text(response)])).toThrow(HttpSyntaxError)
  })
})
