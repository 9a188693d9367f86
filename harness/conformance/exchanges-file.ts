import { closeSync, openSync, writeSync } from 'node:fs'
import { type Exchange, storedPieces } from '../contract/index.ts'

const writeSize = 1 << 18

/** Adds the line of an exchange, already redacted; a long one is written in pieces. */
export function appendExchange(file: string, exchange: Exchange): void {
  const descriptor = openSync(file, 'a')
  try {
    let text = ''
    for (const piece of storedPieces(exchange)) {
      text += piece
      if (text.length < writeSize) continue
      writeAll(descriptor, text)
      text = ''
    }
    writeAll(descriptor, text)
  } finally {
    closeSync(descriptor)
  }
}

function writeAll(descriptor: number, text: string): void {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at)
}
