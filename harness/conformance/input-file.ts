import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

const mebibyte = 1024 * 1024

/** Files that people write, and keys and certificates: 8 MiB. */
const maxInputBytes = 8 * mebibyte

/** Reports, journals and bundles of earlier runs: 256 MiB. */
export const maxStoredBytes = 256 * mebibyte

/**
 * Text of a file named on the command line, read as UTF-8, without a byte order mark. Devices and pipes may be endless, so only a
 * regular file is read, and at most `maxBytes` of it.
 * @throws Error whose message is a whole sentence, or the error of the file system
 */
export function readInputFile(file: string, maxBytes: number = maxInputBytes): string {
  return new TextDecoder().decode(readInputBytes(file, maxBytes))
}

/** The same as bytes. */
export function readInputBytes(file: string, maxBytes: number = maxInputBytes): Buffer {
  // Without O_NONBLOCK, opening a pipe waits for a writer.
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stat = fstatSync(descriptor)
    if (!stat.isFile()) {
      const what = stat.isDirectory() ? 'a folder' : 'a device, a pipe or a socket'
      throw new Error(`${file} is ${what}: pass a regular file`)
    }
    if (stat.size > maxBytes) throw tooLarge(file, maxBytes)
    return readAtMost(descriptor, file, maxBytes)
  } finally {
    closeSync(descriptor)
  }
}

/** Files of /proc report a size of 0, and others may grow meanwhile. */
function readAtMost(descriptor: number, file: string, maxBytes: number): Buffer {
  const pieces: Buffer[] = []
  let total = 0
  for (;;) {
    const piece = Buffer.allocUnsafe(Math.min(mebibyte, maxBytes + 1 - total))
    const read = readSync(descriptor, piece, 0, piece.length, null)
    if (read === 0) return Buffer.concat(pieces)
    pieces.push(piece.subarray(0, read))
    total += read
    if (total > maxBytes) throw tooLarge(file, maxBytes)
  }
}

function tooLarge(file: string, maxBytes: number): Error {
  return new Error(`${file} is larger than ${maxBytes / mebibyte} MiB: pass a smaller file`)
}
