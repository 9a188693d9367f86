import { describe, expect, test } from 'vitest'
import { composeServices } from '../../compose.ts'
import type { Patch } from '../../services.ts'
import { framing, lineEnds } from '../dialects/wire/framing.ts'
import { editLines } from './framing.ts'
import { compose } from './services.ts'

/** Bytes of a block as a patch of `encode` makes them, whatever the block is. */
const writing =
  (bytes: Uint8Array): Patch =>
  (services) => ({ ...services, encode: () => bytes })

function encoded(patch: Patch): Buffer {
  const { encode } = patch(composeServices({ keys: ['sk-framing'], seed: 1 }))
  return Buffer.from(encode({ data: {} }))
}

const dialects = [...framing, ...lineEnds]

describe.each(dialects)('$name', ({ patch }) => {
  test.each([
    ['bytes that are no UTF-8', Buffer.from('data: {"text":"caf\xe9"}\n\n', 'latin1'), 'caf\xe9"'],
    ['data that is no JSON', Buffer.from('data: {"text":\n\n'), '{"text":'],
    ['the end of a stream', Buffer.from('data: [DONE]\n\n'), '[DONE]'],
    ['a block that no empty line ends', Buffer.from('data: {"a":1}\n'), '1'],
  ])('keeps %s', (_, bytes, part) => {
    expect(encoded(compose([writing(bytes), patch])).toString('latin1')).toContain(part)
  })

  test('keeps a text', () => {
    const text = 'Ærø, 北京 and 🙂'
    const block = Buffer.from(`data: ${JSON.stringify({ text })}\n\n`)
    const lines = encoded(compose([writing(block), patch]))
      .toString()
      .split(/\r\n|\r|\n/)
    const data = lines.flatMap((line) => (line.startsWith('data:') ? [line.slice(5)] : []))
    expect(JSON.parse(data.join('\n'))).toEqual({ text })
  })
})

test('a block that no empty line ends has none afterwards', () => {
  const patch = compose([writing(Buffer.from('data: 1\n')), editLines((lines) => lines, '\r\n')])
  expect(encoded(patch).toString()).toBe('data: 1\r\n')
})
