import type { Outlet } from '../client/index.ts'
import { type Exchange, storedPieces } from '../contract/index.ts'

/** Adds the line of an exchange, already redacted; a long one is written in pieces. */
export function appendExchange(outlet: Outlet, file: string, exchange: Exchange): void {
  outlet.appendPieces(file, storedPieces(exchange))
}
