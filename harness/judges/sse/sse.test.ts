import { createParser } from 'eventsource-parser'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Judgement } from '../../../contract/index.ts'
import { forSome } from '../../../contract/test-support/for-all.ts'
import { goldenTranscripts, readTranscript } from '../../../fixtures/transcripts.ts'
import { createStreamJudge, StreamContents, type StreamedOperation } from '../index.ts'
import { complete, encode, segments } from '../test-support/exchanges.ts'
import { AlikeBlocks } from './alike.ts'
import { SseScanner } from './scanner.ts'

function scan(...segments: readonly (string | Uint8Array)[]) {
  const scanner = new SseScanner()
  const blocks = segments.flatMap((segment, at) =>
    scanner.feed(typeof segment === 'string' ? encode(segment) : segment, at),
  )
  return { scanner, blocks, texts: blocks.map(({ name, data }) => [name, data]) }
}

describe('SseScanner', () => {
  test('returns blocks without data without counting them', () => {
    const { blocks } = scan('event: a\n\ndata: 1\n\n: only a comment\n\n\n\nid: 7\n\ndata: 2\n\n')
    expect(blocks.map(({ index, data }) => [index, data])).toEqual([
      [0, null],
      [0, '1'],
      [1, null],
      [1, '2'],
    ])
  })

  test('copies data from a reused buffer', () => {
    const scanner = new SseScanner()
    const buffer = encode('data: abc')
    scanner.feed(buffer, 0)
    buffer.fill(120)
    expect(scanner.feed(encode('\n\n'), 1)[0]?.data).toBe('abc')
  })
})

test.each([
  ['data: 1\n\n', undefined],
  ['data: 1\n\n: bye', undefined],
  ['data: 1\n\ndata: 2\n', '2'],
  ['data: 1\n\ndata: 2', '2'],
])('SseScanner.rest of %j is %j', (text, rest) => {
  expect(scan(text).scanner.rest(9)?.data).toBe(rest)
})

describe('UTF-8', () => {
  test.each([
    ['Latin-1', [0xfc], 6],
    ['a cut character', [0xe6, 0x9d], 6],
    ['a surrogate', [0x61, 0xed, 0xa0, 0x80], 7],
    ['an overlong form', [0xc0, 0xaf], 6],
  ])('%s is reported with the offset of its first byte', (_, bytes, offset) => {
    const body = Uint8Array.of(...encode('data: '), ...bytes, ...encode('\n\n'))
    expect(scan(body).blocks[0]?.invalidAt).toBe(offset)
    const later = Uint8Array.of(...encode('\ufeffid: 1\r\n\r\n'), ...body)
    expect(scan(later).blocks[1]?.invalidAt).toBe(offset + 12)
  })
})

test('SseScanner agrees with eventsource-parser on legal streams', () => {
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
  forSome(2000, text, fc.array(fc.nat(200), { maxLength: 8 }), (stream, cuts) => {
    const bytes = encode(stream)
    const pieces = segments(bytes, cuts).map((chunk) => chunk.bytes)
    const read = scan(...pieces).blocks.filter(({ data }) => data !== null)
    const events: [string | null, string][] = []
    const parser = createParser({
      onEvent: ({ event, data }) => events.push([event ?? null, data]),
    })
    parser.feed(stream)
    expect(read.map(({ name, data }) => [name, data])).toEqual(events)
    expect(read.map(({ index }) => index)).toEqual([...events.keys()])
  })
})

/** One character for each byte. */
const latin1 = (text: string) => Buffer.from(text).toString('latin1')
const delta = (text: string, number: string) =>
  latin1(`event: d\ndata: {"n":"delta","sequence_number":${number},"delta":"${text}"}\n\n`)

function armedWith(...blocks: readonly [string, number][]): AlikeBlocks {
  const alike = new AlikeBlocks()
  for (const [text, number] of blocks) {
    alike.learn(delta(text, String(number)), { member: 'delta', text, number })
  }
  return alike
}

describe('a block like the last one', () => {
  test('is recognized after two of its kind', () => {
    expect(armedWith(['a', 1]).armed).toBe(false)
    expect(armedWith(['a', 1], ['bc', 12]).armed).toBe(true)
  })

  test.each([
    ['another text and number', 'word', '13', 'word', 13],
    ['characters of several bytes', 'öl 🗼', '13', 'öl 🗼', 13],
    ['the number 0', 'x', '0', 'x', 0],
  ])('is read with %s', (_, text, digits, found, number) => {
    const alike = armedWith(['a', 1], ['b', 2])
    const bytes = delta(text, digits)
    expect(alike.match(bytes, 0)).toBe(bytes.length)
    expect(alike).toMatchObject({ text: found, number })
  })

  test.each([
    ['an escape', delta('\\n', '3')],
    ['an empty text', delta('', '3')],
    ['a leading zero', delta('c', '03')],
    ['a sign', delta('c', '-3')],
    ['a fraction', delta('c', '3.5')],
    ['no number', delta('c', '')],
    ['a line break', delta('a\nb', '3')],
    ['bytes that are not UTF-8', delta('~', '3').replace('~', '\xfc')],
    ['half of a block', delta('c', '3').slice(0, -1)],
  ])('is not read with %s', (_, bytes) => {
    expect(armedWith(['a', 1], ['b', 2]).match(bytes, 0)).toBe(-1)
  })

  test('may follow comments', () => {
    const bytes = `: sent 12\n:\n${delta('c', '3')}`
    expect(armedWith(['a', 1], ['b', 2]).match(bytes, 0)).toBe(bytes.length)
  })

  test('is not recognized if its key occurs twice', () => {
    const twice = (text: string) => `data: {"a":{"delta":"x"},"delta":"${text}"}\n\n`
    const alike = new AlikeBlocks()
    alike.learn(twice('x'), { member: 'delta', text: 'x' })
    alike.learn(twice('x'), { member: 'delta', text: 'x' })
    expect(alike.armed).toBe(false)
  })
})

test.each(goldenTranscripts)(
  'a stream read by blocks is judged like one read by bytes: %s',
  (name) => {
    const { bytes, operation, request } = readTranscript(name)
    const blocks = blocksOf(bytes)
    expect(judged(operation, request, blocks)).toEqual(judged(operation, request, single(bytes)))
    forSome(
      25,
      fc.array(fc.tuple(fc.nat(blocks.length - 1), fc.integer({ min: 1, max: 5 })), {
        maxLength: 3,
      }),
      fc.array(fc.tuple(fc.nat(bytes.length * 2), fc.nat(255)), { maxLength: 2 }),
      (repeats, changes) => {
        const long = blocks.flatMap((block, at) => {
          const times = repeats.reduce((sum, [of, more]) => sum + (of === at ? more : 0), 1)
          return Array.from({ length: times }, () => block.slice())
        })
        for (const [place, byte] of changes) change(long, place, byte)
        const whole = Uint8Array.from(long.flatMap((block) => [...block]))
        const byBlock = judged(operation, request, long)
        expect(byBlock).toEqual(judged(operation, request, single(whole)))
      },
    )
  },
)

function judged(
  operation: StreamedOperation,
  request: unknown,
  chunks: readonly Uint8Array[],
): Judgement & { readonly contents: object } {
  const contents = new StreamContents()
  const judge = createStreamJudge(operation, request, { contents })
  for (const bytes of chunks) judge.push({ bytes, atMs: 0 })
  return { ...judge.end(complete), contents: { ...contents } }
}

function single(bytes: Uint8Array): Uint8Array[] {
  return Array.from(bytes, (byte) => Uint8Array.of(byte))
}

/** Cuts after each empty line. */
function blocksOf(bytes: Uint8Array): Uint8Array[] {
  const text = Buffer.from(bytes).toString('latin1')
  return text.split(/(?<=\n\n|\r\n\r\n|\r\r(?!\n))/).map((block) => Buffer.from(block, 'latin1'))
}

function change(blocks: readonly Uint8Array[], place: number, byte: number): void {
  let left = place
  for (const block of blocks) {
    if (left < block.length) {
      block[left] = byte
      return
    }
    left -= block.length
  }
}
