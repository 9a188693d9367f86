import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** SHA-256 of a file, hexadecimal, read in chunks; null if it is missing or not a regular file. */
export function fileDigest(file: string): string | null {
  let handle: number
  try {
    handle = openSync(file, 'r')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
  try {
    // A device may be endless.
    if (!fstatSync(handle).isFile()) return null
    const hash = createHash('sha256')
    const piece = Buffer.alloc(1 << 20)
    for (let read = readSync(handle, piece); read > 0; read = readSync(handle, piece)) {
      hash.update(piece.subarray(0, read))
    }
    return hash.digest('hex')
  } finally {
    closeSync(handle)
  }
}
