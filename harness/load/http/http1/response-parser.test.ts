import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { forAll } from '../../../../contract/test-support/for-all.ts'
import { cutAt } from '../../../client/test-support/golden-stream.ts'
import { portOf } from '../../../client/test-support/listen-on-loopback.ts'
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

describe('a response', () => {
  test.each([
    ['of a length', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello', 'hello', true],
    ['in chunks', `${chunked}5\r\nhello\r\n6;x=y\r\n world\r\n0\r\n\r\n`, 'hello world', true],
    [
      'in chunks with trailers',
      `${chunked}A\r\n0123456789\r\n0\r\nX: y\r\n\r\n`,
      '0123456789',
      true,
    ],
    ['without a body', 'HTTP/1.1 204 No Content\r\n\r\n', '', true],
    [
      'behind a hint',
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
    [
      'with more behind it than was asked for',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab',
      'a',
      false,
    ],
  ])('%s is read, in whatever pieces', (_, response, body, reusable) => {
    const whole = parsePieces([text(response)])
    expect(whole).toMatchObject({ body, ended: true, over: true, reusable })
    forAll(fc.array(fc.nat(response.length), { maxLength: 12 }), (cuts) => {
      // Bytes after the end are not read.
      const cut = parsePieces(cutAt(text(response), cuts))
      expect(cut).toMatchObject({ body, ended: true, over: true })
    })
  })

  test('goes on until the connection ends where nothing else says where it ends', () => {
    const response = 'HTTP/1.1 200 OK\r\n\r\nhello'
    const open = parsePieces([text(response)])
    expect(open).toMatchObject({ body: 'hello', ended: false, over: false })
    const closed = parsePieces([text(response)], { close: true })
    expect(closed).toMatchObject({ body: 'hello', ended: true })
  })

  test.each([
    ['of a length', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello'],
    ['in chunks', `${chunked}5\r\nhello\r\n`],
    ['in its headers', 'HTTP/1.1 200 OK\r\nContent-'],
  ])('%s that is cut has no end', (_, response) => {
    const cut = parsePieces([text(response)], { close: true })
    expect(cut).toMatchObject({ ended: false, over: false })
  })

  test('to HEAD has no body', () => {
    const response = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n'
    const parsed = parsePieces([text(response)], { method: 'HEAD' })
    expect(parsed).toMatchObject({ body: '', over: true })
  })

  test.each([
    ['no length', 'HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n'],
    ['a chunk longer than its size', `${chunked}2\r\nhello\r\n`],
    ['headers without end', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(12_000)}`],
  ])('with %s is refused', (_, response) => {
    expect(() => parsePieces([text(response)])).toThrow(HttpSyntaxError)
  })
})

test("whatever Node's server sends, the body is what was written", async () => {
  const shapes = fc.record({
    pieces: fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), {
      maxLength: 6,
    }),
    sized: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(shapes, fc.array(fc.nat(400), { maxLength: 8 }), async (shape, cuts) => {
      const whole = shape.pieces.join('')
      const bytes = await answered((_, response) => {
        if (shape.sized) response.setHeader('content-length', Buffer.byteLength(whole))
        for (const piece of shape.pieces) response.write(piece)
        response.end()
      })
      const parsed = parsePieces(cutAt(bytes, cuts))
      expect(parsed).toMatchObject({ status: 200, body: whole, ended: true })
    }),
    { numRuns: 40 },
  )
})

/** The raw bytes that a server answers with. */
async function answered(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Uint8Array> {
  const port = await portOf(createServer(handle))
  const pieces: Buffer[] = []
  await new Promise<void>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('data', (piece) => pieces.push(piece))
    socket.on('end', resolve).on('error', reject)
    socket.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')
  })
  return Buffer.concat(pieces)
}
