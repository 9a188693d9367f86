import { createHash } from 'node:crypto'
import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Exchanges } from '../../../reports/text/curl/chat.ts'
import type { Evidence } from '../../../reports/text/digest.ts'
import { StoredRecording } from '../../client/index.ts'
import { exchangesName, runRecordName } from '../../conformance/defaults.ts'
import { ConfigurationError } from '../../conformance/errors.ts'

export interface Recording {
  /** Exchanges by id, in the order of the file; read lazily. */
  readonly exchanges: Exchanges
  /** Number of unreadable lines: a run that is killed truncates its last one. Reads the whole file. */
  lost(): number
}

/** Opens the exchanges of a run; without the file there is no evidence, and the verdicts remain. */
export function readRecording(file: string): Recording {
  if (!existsSync(file)) return { exchanges: new Map(), lost: () => 0 }
  if (!statSync(file).isFile()) throw new ConfigurationError([`${file}: not a regular file`])
  const exchanges = new StoredRecording(file, dirname(file))
  return { exchanges, lost: () => exchanges.lost }
}

/** Digests of the evidence of a run in a folder. */
export function evidenceIn(dir: string): Evidence {
  return {
    exchanges: fileDigest(join(dir, exchangesName)),
    settings: fileDigest(join(dir, runRecordName)),
  }
}

/** SHA-256 of a file, hexadecimal, read in chunks; null if it is missing or not a regular file. */
function fileDigest(file: string): string | null {
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
