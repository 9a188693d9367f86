import { createParser } from 'eventsource-parser'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encode } from '../test-support/exchanges.ts'
import { SseScanner } from './scanner.ts'

function scan(...segments: readonly (string | Uint8Array)[]) {
  const scanner = new SseScanner()
  const blocks = segments.flatMap((segment, at) =>
    scanner.feed(typeof segment === 'string' ? encode(segment) : segment, at),
  )
  return { scanner, blocks, texts: blocks.map(({ name, data }) => [name, data]) }
}

describe('blocks', () => {
  test('blocks without data are shown and not counted', () => {
    const { blocks } = scan('event: a\n\ndata: 1\n\n: only a comment\n\n\n\nid: 7\n\ndata: 2\n\n')
    expect(blocks.map(({ index, data }) => [index, data])).toEqual([
      [0, null],
      [0, '1'],
      [1, null],
      [1, '2'],
    ])
  })

  test('the last of several names counts', () => {
    expect(scan('event: a\nevent: b\ndata: 1\n\n').blocks[0]).toMatchObject({ name: 'b', names: 2 })
  })

  test('a block arrives with its last byte', () => {
    expect(scan('data: 1\n', 'x: y', '\n', '\n').blocks[0]?.atMs).toBe(3)
  })

  test('memory that the caller uses again does not change what was read', () => {
    const scanner = new SseScanner()
    const buffer = encode('data: abc')
    scanner.feed(buffer, 0)
    buffer.fill(120)
    expect(scanner.feed(encode('\n\n'), 1)[0]?.data).toBe('abc')
  })
})

describe('the end', () => {
  test.each([
    ['data: 1\n\n', undefined],
    ['data: 1\n\n: bye', undefined],
    ['data: 1\n\ndata: 2\n', '2'],
    ['data: 1\n\ndata: 2', '2'],
  ])('%j leaves %j', (text, rest) => {
    expect(scan(text).scanner.rest(9)?.data).toBe(rest)
  })
})

describe('UTF-8', () => {
  test('a character may be cut by segments', () => {
    const bytes = encode('data: 🗼\n\n')
    expect(scan(...Array.from(bytes, (byte) => Uint8Array.of(byte))).texts).toEqual([[null, '🗼']])
  })

  test.each([
    ['Latin-1', [0xfc], 6],
    ['a cut character', [0xe6, 0x9d], 6],
    ['a surrogate', [0x61, 0xed, 0xa0, 0x80], 7],
    ['an overlong form', [0xc0, 0xaf], 6],
  ])('%s is told by the offset of its first byte', (_, bytes, offset) => {
    const body = Uint8Array.of(...encode('data: '), ...bytes, ...encode('\n\n'))
    expect(scan(body).blocks[0]?.invalidAt).toBe(offset)
    const later = Uint8Array.of(...encode('\ufeffid: 1\r\n\r\n'), ...body)
    expect(scan(later).blocks[1]?.invalidAt).toBe(offset + 12)
  })
})

test('a stream of legal pieces is read as eventsource-parser reads it', () => {
  const word = fc.constantFrom('', ' ', 'x', 'ü東🗼', '{"a":1}', ':', '[DONE]', '\ufeff')
  const field = fc.constantFrom('data', 'event', 'id', 'retry', 'foo', 'Data', '', '\ufeffdata')
  const line = fc.oneof(
    fc.tuple(field, fc.constantFrom(':', ': ', ':  '), word).map((parts) => parts.join('')),
    fc.constantFrom('data', 'event', '', '', ''),
  )
  const text = fc
    .tuple(
      fc.constantFrom('', '\ufeff'),
      fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 30 }),
    )
    .map(([mark, lines]) => mark + lines.flat().join(''))
  fc.assert(
    fc.property(text, fc.array(fc.nat(200), { maxLength: 8 }), (stream, cuts) => {
      const bytes = encode(stream)
      const bounds = [...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length].sort(
        (a, b) => a - b,
      )
      const pieces = bounds.map((end, at) => bytes.subarray(bounds[at - 1] ?? 0, end))
      const read = scan(...pieces).blocks.filter(({ data }) => data !== null)
      const events: [string | null, string][] = []
      const parser = createParser({
        onEvent: ({ event, data }) => events.push([event ?? null, data]),
      })
      parser.feed(stream)
      expect(read.map(({ name, data }) => [name, data])).toEqual(events)
      expect(read.map(({ index }) => index)).toEqual([...events.keys()])
    }),
    { numRuns: 2000 },
  )
})
