import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Judgement } from '../../../contract/index.ts'
import { goldenTranscripts, readTranscript } from '../../../fixtures/transcripts.ts'
import { createStreamJudge, StreamContents, type StreamedOperation } from '../index.ts'
import { complete } from '../test-support/exchanges.ts'
import { AlikeBlocks } from './alike.ts'

const encoder = new TextEncoder()
const delta = (text: string, number: string) =>
  encoder.encode(`event: d\ndata: {"n":"delta","sequence_number":${number},"delta":"${text}"}\n\n`)

function armedWith(...blocks: readonly [string, number][]): AlikeBlocks {
  const alike = new AlikeBlocks()
  for (const [text, number] of blocks)
    alike.learn(delta(text, String(number)), 'delta', text, number)
  return alike
}

describe('a block like the last one', () => {
  test('is known after two of its kind', () => {
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
    ['bytes that are not UTF-8', Uint8Array.from(delta('~', '3'), (b) => (b === 126 ? 0xfc : b))],
    ['half of a block', delta('c', '3').subarray(0, -1)],
  ])('is not read with %s', (_, bytes) => {
    expect(armedWith(['a', 1], ['b', 2]).match(bytes, 0)).toBe(-1)
  })

  test('may have comments before it', () => {
    const bytes = Uint8Array.of(...encoder.encode(': sent 12\n:\n'), ...delta('c', '3'))
    expect(armedWith(['a', 1], ['b', 2]).match(bytes, 0)).toBe(bytes.length)
  })

  test('is none where its key stands in it twice', () => {
    const twice = (text: string) =>
      encoder.encode(`data: {"a":{"delta":"x"},"delta":"${text}"}\n\n`)
    const alike = new AlikeBlocks()
    alike.learn(twice('x'), 'delta', 'x', undefined)
    alike.learn(twice('x'), 'delta', 'x', undefined)
    expect(alike.armed).toBe(false)
  })
})

describe('a stream that is read by its blocks', () => {
  test.each(goldenTranscripts)('%s is judged as one that is read by its bytes', (name) => {
    const { bytes, operation, request } = readTranscript(name)
    const blocks = blocksOf(bytes)
    expect(judged(operation, request, blocks)).toEqual(judged(operation, request, single(bytes)))
  })

  test.each(goldenTranscripts)('%s is, too, with more deltas and any byte changed', (name) => {
    const { bytes, operation, request } = readTranscript(name)
    const blocks = blocksOf(bytes)
    fc.assert(
      fc.property(
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
      ),
      { numRuns: 60 },
    )
  })
})

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
