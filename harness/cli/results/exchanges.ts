import { existsSync, statSync } from 'node:fs'
import type { Exchange } from '../../../contract/index.ts'
import { StoredRecording } from '../../client/index.ts'
import { ConfigurationError } from '../../conformance/errors.ts'

export interface Recording {
  /** Exchanges by id, in the order of the file; read lazily. */
  readonly exchanges: ReadonlyMap<string, Exchange>
  /** Number of unreadable lines: a run that is killed truncates its last one. Reads the whole file. */
  lost(): number
}

/** Opens the exchanges of a run; without the file there is no evidence, and the verdicts remain. */
export function readRecording(file: string): Recording {
  if (!existsSync(file)) return { exchanges: new Map(), lost: () => 0 }
  if (!statSync(file).isFile()) throw new ConfigurationError([`${file}: not a regular file`])
  const exchanges = new StoredRecording(file)
  return { exchanges, lost: () => exchanges.lost }
}
