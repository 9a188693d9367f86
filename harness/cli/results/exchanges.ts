import { existsSync, statSync } from 'node:fs'
import type { Exchange } from '../../../contract/index.ts'
import { StoredRecording } from '../../client/index.ts'
import { ConfigurationError } from '../../conformance/errors.ts'

export interface Recording {
  /** By id, in the order of the file; each is read when it is asked for. */
  readonly exchanges: ReadonlyMap<string, Exchange>
  /** Lines that hold no exchange: a run that is killed cuts its last one. Reads the whole file. */
  lost(): number
}

/** Where the file is gone, so is the evidence, and the verdicts stand without it. */
export function readRecording(file: string): Recording {
  if (!existsSync(file)) return { exchanges: new Map(), lost: () => 0 }
  if (!statSync(file).isFile()) throw new ConfigurationError([`${file}: not a regular file`])
  const exchanges = new StoredRecording(file)
  return { exchanges, lost: () => exchanges.lost }
}
