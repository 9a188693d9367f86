import { existsSync, readFileSync } from 'node:fs'
import { type Exchange, restoreExchanges } from '../contract/index.ts'

export interface Recording {
  /** By id, in the order of the file. */
  readonly exchanges: ReadonlyMap<string, Exchange>
  /** Lines that hold no exchange: a run that is killed cuts its last one. */
  readonly lost: number
}

/** Where the file is gone, so is the evidence, and the verdicts stand without it. */
export function readRecording(file: string): Recording {
  if (!existsSync(file)) return { exchanges: new Map(), lost: 0 }
  const { exchanges, lost } = restoreExchanges(readFileSync(file, 'utf8'))
  return { exchanges: new Map(exchanges.map((exchange) => [exchange.id, exchange])), lost }
}
