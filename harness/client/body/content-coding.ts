import type { Transform } from 'node:stream'
import * as zlib from 'node:zlib'
import type { Header } from '../../../contract/index.ts'
import type { MaxSize } from './limits.ts'

/** Reason why the rest of a body cannot be read. */
interface CodingProblem {
  /** `truncated`: the body ends before its coding does. `excess`: the end of a sentence. */
  readonly kind: 'truncated' | 'undecodable' | 'excess'
  readonly message: string
}

export type ContentDecoder = NonNullable<ReturnType<typeof createContentDecoder>>

/** Codings that a body names, in the order of their application, without `identity`, also by its common name `none`. */
export function codingsOf(headers: readonly Header[]): string[] {
  return headers
    .filter(([name]) => name === 'content-encoding')
    .flatMap(([, value]) => value.split(','))
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => !['', 'identity', 'none'].includes(coding))
}

/** Value of Accept-Encoding, the same as in requests of SDKs. */
export const acceptEncoding = 'gzip, deflate, br, zstd'

/** A body has one coding; more than a few are an attempt to keep the reader busy. */
const maxCodings = 4

/** Decodes the content codings of one body as it arrives; undefined if a coding is unknown. */
export function createContentDecoder(
  codings: readonly string[],
  { maxBytes, maxBytesName }: MaxSize,
) {
  if (codings.length > maxCodings) return undefined
  const budget = { left: maxBytes, name: maxBytesName }
  const stages: Stage[] = []
  for (const coding of codings.toReversed()) {
    const open = openers.get(coding)
    if (open === undefined) return undefined
    stages.push(createStage(coding, open, budget))
  }
  return {
    /** Decodes the bytes piece by piece. */
    async push(bytes: Uint8Array): Promise<Uint8Array[]> {
      let pieces: Uint8Array[] = [bytes]
      for (const stage of stages) {
        const next: Uint8Array[] = []
        for (const piece of pieces) next.push(...(await stage.push(piece)))
        pieces = next
      }
      return pieces
    },
    /** Called once, after the last byte. */
    async end(): Promise<void> {
      for (const stage of stages) await stage.end()
    },
    /** Problem after which nothing more is decoded. */
    get problem(): CodingProblem | undefined {
      return stages.find((stage) => stage.problem !== undefined)?.problem
    },
  }
}

type Decoder = Transform & { readonly bytesWritten: number }
type Open = (first: number) => Decoder

/** zlib or bare deflate: senders confuse them (RFC 9110, section 8.4.1.2), and browsers read both. */
const openDeflate: Open = (first) =>
  (first & 0x0f) === 0x08 ? zlib.createInflate() : zlib.createInflateRaw()

const openers: ReadonlyMap<string, Open> = new Map<string, Open>([
  ['gzip', () => zlib.createGunzip()],
  ['x-gzip', () => zlib.createGunzip()],
  ['deflate', openDeflate],
  ['br', () => zlib.createBrotliDecompress()],
  ['zstd', () => zlib.createZstdDecompress()],
])

type Stage = ReturnType<typeof createStage>

/** Undoes one coding; `budget` is that of the decoded bytes of all codings of a body, with the name of its limit. */
function createStage(coding: string, open: Open, budget: { left: number; readonly name: string }) {
  const decoded: Uint8Array[] = []
  let problem: CodingProblem | undefined
  let stream: Decoder | undefined
  let bytesIn = 0
  let bytesOut = 0

  function start(first: number): Decoder {
    const opened = open(first)
    opened.on('data', (piece: Uint8Array) => {
      bytesOut += piece.length
      budget.left -= piece.length
      if (budget.left >= 0) {
        decoded.push(piece)
        return
      }
      const message = `sent ${bytesIn} bytes of ${coding} that decode to more than ${budget.name}`
      problem ??= { kind: 'excess', message }
      opened.destroy()
    })
    opened.on('error', (error) => {
      problem ??= problemOf(error)
    })
    return opened
  }

  function problemOf(error: Error): CodingProblem {
    const after = `after ${bytesOut} decoded bytes`
    if ('code' in error && error.code === 'Z_BUF_ERROR') {
      const message = `the body ends inside its ${coding} coding, ${after}`
      return { kind: 'truncated', message }
    }
    const message = `the ${coding} coding of the body is corrupt ${after}: ${error.message}`
    return { kind: 'undecodable', message }
  }

  return {
    get problem() {
      return problem
    },
    async push(bytes: Uint8Array): Promise<Uint8Array[]> {
      bytesIn += bytes.length
      for (let rest = bytes; rest.length > 0 && problem === undefined; ) {
        const current = stream ?? start(rest[0] ?? 0)
        stream = current
        const before = current.bytesWritten
        await new Promise<void>((resolve) => {
          // A failing stream closes without calling back.
          current.once('close', resolve)
          current.write(rest, () => {
            current.off('close', resolve)
            resolve()
          })
        })
        const read = current.bytesWritten - before
        // A coding of zstd is a sequence of frames (RFC 8878, section 3.1), of which a stream reads one at a time.
        if (coding !== 'zstd' || read === 0 || read === rest.length) break
        current.destroy()
        stream = undefined
        rest = rest.subarray(read)
      }
      return decoded.splice(0)
    },
    async end(): Promise<void> {
      const last = stream
      if (last === undefined || problem !== undefined) return
      await new Promise<void>((resolve) => {
        last.once('close', resolve)
        last.end()
      })
    },
  }
}
