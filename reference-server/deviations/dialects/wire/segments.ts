/** The bytes of streams in other segments. */
import { seededDraw } from '../../../runtime/random.ts'
import { rechunkAll } from '../../patches/framing.ts'
import type { Dialect } from '../../types.ts'
import { alternatives } from '../alternatives.ts'

export const segments: readonly Dialect[] = alternatives([
  {
    name: 'segments-inside-characters',
    summary: 'Each byte of a character of several bytes, and each of a line end, is a segment.',
    patch: rechunkAll(async function* (chunks) {
      for await (const chunk of chunks) yield* splitAtOddBytes(chunk)
    }),
  },
  {
    name: 'segments-of-seven-bytes',
    summary: 'Every segment has seven bytes, wherever that cuts.',
    patch: rechunkAll((chunks) => splitChunks(chunks, () => 7)),
  },
  {
    name: 'segments-at-random',
    summary: 'Segments have between 1 and 90 bytes, by chance.',
    patch: rechunkAll((chunks) => {
      const draw = seededDraw(1, 'segments')
      return splitChunks(chunks, () => 1 + Math.floor(draw() * 90))
    }),
  },
  {
    name: 'segments-few',
    summary: 'Blocks are gathered up to 4 KiB and sent together.',
    patch: rechunkAll(async function* (chunks) {
      let gathered: Uint8Array[] = []
      let size = 0
      for await (const chunk of chunks) {
        gathered.push(chunk)
        size += chunk.length
        if (size < 4096) continue
        yield Buffer.concat(gathered)
        gathered = []
        size = 0
      }
      if (size > 0) yield Buffer.concat(gathered)
    }),
  },
])

function* splitAtOddBytes(chunk: Uint8Array): Generator<Uint8Array> {
  let from = 0
  for (const [at, byte] of chunk.entries()) {
    if (byte < 0x80 && byte !== 10 && byte !== 13) continue
    if (at > from) yield chunk.subarray(from, at)
    yield chunk.subarray(at, at + 1)
    from = at + 1
  }
  if (from < chunk.length) yield chunk.subarray(from)
}

async function* splitChunks(
  chunks: AsyncIterable<Uint8Array>,
  size: () => number,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length; ) {
      const to = from + size()
      yield chunk.subarray(from, to)
      from = to
    }
  }
}
