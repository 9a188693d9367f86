/** The bytes of streams in other segments. */
import { seededDraw } from '../../../runtime/random.ts'
import { rechunkAll } from '../../patches/framing.ts'
import { alternatives } from '../../table.ts'
import type { Dialect } from '../../types.ts'

export const segments: readonly Dialect[] = alternatives({
  'segments-inside-characters: Each byte of multi-byte characters and line endings is sent in a separate segment.':
    rechunkAll(async function* (chunks) {
      for await (const chunk of chunks) yield* splitAtOddBytes(chunk)
    }),
  'segments-of-seven-bytes: Streams are sent in segments of seven bytes.': rechunkAll((chunks) =>
    splitChunks(chunks, () => 7),
  ),
  'segments-at-random: Streams are sent in segments of random size, 1 to 90 bytes.': rechunkAll(
    (chunks) => {
      const draw = seededDraw(1, 'segments')
      return splitChunks(chunks, () => 1 + Math.floor(draw() * 90))
    },
  ),
  'segments-few: Blocks are buffered and sent in segments of about 4 KiB.': rechunkAll(
    async function* (chunks) {
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
    },
  ),
})

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
