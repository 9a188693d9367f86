import { hash } from 'node:crypto'
import { isIncognito, type RunSetup } from '../run-setup.ts'

const consonants = 'bdfgklmnprstvz'
const vowels = 'aeiou'

type Issuing = Pick<RunSetup, 'tag' | 'state'>

/** A word, or the reference of an ordinary customer in an incognito run; recorded in the state of the run. */
export function newNonce(setup: Issuing, text: string): string {
  const nonce = isIncognito(setup) ? toReference(text) : toWord(text)
  // Among tens of thousands of words, two may be the same.
  if (!setup.state.nonces.has(nonce)) setup.state.nonces.set(nonce, new Set())
  return nonce
}

/** Nonces of the run in a text, without words that a model made up or misspelled. */
export function issuedNonces({ state }: Issuing, text: string): readonly string[] {
  return wordsIn(text).filter((word) => state.nonces.has(word))
}

/** The same, if a request has said them: those of a document may be found by a search. */
export function saidNonces(setup: Issuing, text: string): readonly string[] {
  return issuedNonces(setup, text).filter((nonce) => setup.state.nonces.get(nonce)?.size)
}

/** A pronounceable word with four digits, for example `Tavoru7316`; the same for the same text. */
export function toWord(text: string): string {
  const digest = hash('sha256', text, 'buffer')
  const word = [...digest.subarray(0, 3)].map(syllable).join('')
  const number = String(digest.readUInt16BE(3) % 10_000).padStart(4, '0')
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}${number}`
}

/** Words in a format of `toWord` or `toReference` in a text; some languages write a reference beside other letters. */
export function wordsIn(text: string): readonly string[] {
  return (
    text.match(
      /\b[A-Z][aeiou](?:[a-z][aeiou]){2}\d{4}\b|\b[1-9]\d{9}\b|(?:[A-Z]{2}\d|[A-Z]?(?:[a-z][aeiou]){3})\d{8}(?!\d)/g,
    ) ?? []
  )
}

/**
 * A reference as in messages of users: an order number, a user name, a product code. The same for the same
 * text; at least eight digits, so that all in a run differ.
 */
export function toReference(text: string): string {
  const digest = hash('sha256', text, 'buffer')
  const word = [...digest.subarray(0, 3)].map(syllable).join('')
  const digits = String(digest.readUIntBE(4, 5) % 10 ** 9).padStart(9, '0')
  const letters = [...digest.subarray(10, 12)].map((byte) => String.fromCharCode(65 + (byte % 26)))
  const kinds = [
    `${letters.join('')}${digits}`,
    `${1 + (digest.readUInt8(13) % 9)}${digits}`,
    `${word}${digits.slice(1)}`,
  ]
  return kinds[digest.readUInt8(12) % 4] ?? `${letters[0]}${word}${digits.slice(1)}`
}

/** A version 4 UUID (RFC 9562), the same for the same text. */
export function toUuid(text: string): string {
  const hex = hash('sha256', text)
  const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) % 4)
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`]
  return [...parts, `${variant}${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-')
}

/** Generator of numbers from 0 to below a limit, the same for the same text. */
export function createRandomPicker(text: string): (size: number) => number {
  let count = 0
  return (below) => {
    const digest = hash('sha256', `${text}/${++count}`, 'buffer')
    return digest.readUInt32BE(0) % below
  }
}

/** The texts in an order that follows from the seed. */
export function shuffled<Text extends string>(texts: readonly Text[], seed: string): Text[] {
  return texts
    .map((text) => ({ text, place: toUuid(`${seed}/${text}`) }))
    .toSorted((a, b) => (a.place < b.place ? -1 : 1))
    .map(({ text }) => text)
}

function syllable(byte: number): string {
  const consonant = consonants.charAt(byte % consonants.length)
  return consonant + vowels.charAt(Math.floor(byte / consonants.length) % vowels.length)
}
