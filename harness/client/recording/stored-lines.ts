import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** A line of a file, without its end; `length` and `start` in bytes. */
export interface StoredLine {
  readonly start: number
  readonly length: number
  /** Beginning of the line, enough to tell what it is about. */
  readonly head: string
}

const blockSize = 1 << 20
const headSize = 256
const LF = 10

/** The lines of a file that may be larger than memory; empty ones are left out. */
export function* storedLines(file: string): Generator<StoredLine> {
  const block = Buffer.allocUnsafe(blockSize)
  const descriptor = openSync(file, 'r')
  try {
    // A device may be endless.
    if (!fstatSync(descriptor).isFile()) throw new Error(`${file} is not a regular file`)
    let position = 0
    let start = 0
    let head = ''
    for (;;) {
      const size = readSync(descriptor, block, 0, blockSize, position)
      let from = 0
      while (from < size) {
        const found = block.subarray(0, size).indexOf(LF, from)
        const end = found < 0 ? size : found
        if (head.length < headSize) {
          head += block.toString('latin1', from, Math.min(end, from + headSize - head.length))
        }
        if (found < 0) break
        const length = position + found - start
        if (length > 0) yield { start, length, head }
        from = found + 1
        start = position + from
        head = ''
      }
      position += size
      if (size === 0) break
    }
    if (position > start) yield { start, length: position - start, head }
  } finally {
    closeSync(descriptor)
  }
}

/** The text of one line. */
export function readStoredLine(
  file: string,
  { start, length }: Pick<StoredLine, 'start' | 'length'>,
): string {
  const bytes = Buffer.allocUnsafe(length)
  const descriptor = openSync(file, 'r')
  try {
    let filled = 0
    while (filled < length) {
      const size = readSync(descriptor, bytes, filled, length - filled, start + filled)
      if (size === 0) break
      filled += size
    }
    return bytes.toString('utf8', 0, filled)
  } finally {
    closeSync(descriptor)
  }
}
