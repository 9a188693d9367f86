import type { Transform } from 'node:stream'
import * as zlib from 'node:zlib'
import type { Header } from '../../../contract/index.ts'
import type { BodyGauge } from './limits.ts'

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
  { maxBytes, maxBytesName }: Pick<BodyGauge, 'maxBytes' | 'maxBytesName'>,
) {
  if (codings.length > maxCodings) return undefined
  const decoders = codings.map((coding) => ({ coding, open: openers.get(coding) }))
  const budget: Budget = { left: maxBytes, name: maxBytesName }
  const stages: Stage[] = []
  for (const { coding, open } of decoders.toReversed()) {
    if (open === undefined) return undefined
    stages.push(new Stage(coding, open, budget))
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

/** Shared by all codings of a body. */
interface Budget {
  left: number
  /** Name of the limit, for a message. */
  readonly name: string
}

class Stage {
  problem: CodingProblem | undefined
  readonly #coding: string
  readonly #open: Open
  readonly #budget: Budget
  #stream: Decoder | undefined
  #decoded: Uint8Array[] = []
  #bytesIn = 0
  #bytesOut = 0

  constructor(coding: string, open: Open, budget: Budget) {
    this.#coding = coding
    this.#open = open
    this.#budget = budget
  }

  async push(bytes: Uint8Array): Promise<Uint8Array[]> {
    this.#bytesIn += bytes.length
    for (let rest = bytes; rest.length > 0 && this.problem === undefined; ) {
      const read = await this.#write(rest)
      // A coding of zstd is a sequence of frames (RFC 8878, section 3.1), of which a stream reads one at a time.
      if (this.#coding !== 'zstd' || read === 0 || read === rest.length) break
      this.#stream?.destroy()
      this.#stream = undefined
      rest = rest.subarray(read)
    }
    return this.#decoded.splice(0)
  }

  /** @returns number of bytes that were read */
  async #write(bytes: Uint8Array): Promise<number> {
    this.#stream ??= this.#start(bytes[0] ?? 0)
    const stream = this.#stream
    const before = stream.bytesWritten
    await new Promise<void>((resolve) => {
      // A failing stream closes without calling back.
      stream.once('close', resolve)
      stream.write(bytes, () => {
        stream.off('close', resolve)
        resolve()
      })
    })
    return stream.bytesWritten - before
  }

  async end(): Promise<void> {
    const stream = this.#stream
    if (stream === undefined || this.problem !== undefined) return
    await new Promise<void>((resolve) => {
      stream.once('close', resolve)
      stream.end()
    })
  }

  #start(first: number): Decoder {
    const stream = this.#open(first)
    stream.on('data', (piece: Uint8Array) => this.#take(piece, stream))
    stream.on('error', (error) => {
      this.problem ??= this.#problemOf(error)
    })
    return stream
  }

  #problemOf(error: Error): CodingProblem {
    const after = `after ${this.#bytesOut} decoded bytes`
    return 'code' in error && error.code === 'Z_BUF_ERROR'
      ? { kind: 'truncated', message: `the body ends inside its ${this.#coding} coding, ${after}` }
      : {
          kind: 'undecodable',
          message: `the ${this.#coding} coding of the body is corrupt ${after}: ${error.message}`,
        }
  }

  #take(piece: Uint8Array, stream: Transform): void {
    this.#bytesOut += piece.length
    this.#budget.left -= piece.length
    if (this.#budget.left >= 0) {
      this.#decoded.push(piece)
      return
    }
    this.problem ??= {
      kind: 'excess',
      message: `sent ${this.#bytesIn} bytes of ${this.#coding} that decode to more than ${this.#budget.name}`,
    }
    stream.destroy()
  }
}
