import { type Exchange, storedPieces } from '../../../contract/index.ts'
import type { RedactingWriter } from '../../client/index.ts'

/** Begins the message of a scenario whose exchange could not be stored. */
export const evidenceUnwritable = 'the evidence of the run cannot be written'

/**
 * Adds the line of an exchange, already redacted; a long one is written in pieces.
 * @throws Error whose message begins with `evidenceUnwritable`, on a full disk for one
 */
export function appendExchange(outlet: RedactingWriter, file: string, exchange: Exchange): void {
  try {
    outlet.appendPieces(file, storedPieces(exchange))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`${evidenceUnwritable}: ${reason}`, { cause: error })
  }
}
