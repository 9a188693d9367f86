/** Seeded randomness, the same on every machine, and random identifiers. */
import { randomBytes, randomUUID } from 'node:crypto'

/** The next draw, in [0, 1). */
export type Draw = () => number

export function seededDraw(seed: number, ...words: readonly string[]): Draw {
  let state = mix(fnv1a(`${seed}\u0000${words.join('\u0000')}`))
  return () => {
    state = (state + 0x9e3779b9) | 0
    return mix(state) / 2 ** 32
  }
}

export function pick<T>(draw: Draw, from: readonly T[]): T {
  return from[Math.floor(draw() * from.length)] as T
}

/** FNV-1a over UTF-16 units. */
export function fnv1a(text: string): number {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  }
  return value
}

/** A 32-bit finalizer: consecutive states give unrelated numbers. */
function mix(state: number): number {
  let value = state
  value = Math.imul(value ^ (value >>> 16), 0x21f0aaad)
  value = Math.imul(value ^ (value >>> 15), 0x735a2d97)
  return (value ^ (value >>> 15)) >>> 0
}

export interface Ids {
  uuid(): string
  /** `<prefix>_` and 32 characters that are unique within this server. */
  tagged(prefix: string): string
}

export const randomIds: Ids = {
  uuid: randomUUID,
  tagged: (prefix) => `${prefix}_${randomDigits()}`,
}

let digits = ''

/** 32 hexadecimal digits. A call for each id would cost more than the digits. */
function randomDigits(): string {
  if (digits === '') digits = randomBytes(1024).toString('hex')
  const own = digits.slice(0, 32)
  digits = digits.slice(32)
  return own
}
