import { createHmac, createPrivateKey, createPublicKey, hash, type KeyObject } from 'node:crypto'
import { z } from 'zod'
import { asConfigurationError, ConfigurationError } from '../conformance/errors.ts'
import { checkDocument, readDocument, type Source } from '../conformance/profile/document.ts'

/** Rounds of a certification run. */
export const rounds = [1, 2, 3] as const

const minLength = 16
const maxLength = 256

/**
 * Seed of one round: HMAC-SHA-256 (RFC 2104) of the round number, keyed with the challenge. Every nonce,
 * name, identifier and the order of the scenarios follow from it, so that requests recorded before
 * the challenge was issued are not those of the round.
 */
export function roundSeed(challenge: string, round: number): string {
  return createHmac('sha256', challenge).update(`round ${round}`).digest('hex').slice(0, 32)
}

/**
 * Start of a round, in milliseconds after the start of the first: the last round starts after `overMs`, those
 * between at times derived from the challenge.
 */
export function roundStart(challenge: string, round: number, overMs: number): number {
  const last = rounds.at(-1) ?? 1
  if (round === 1 || round === last) return round === last ? overMs : 0
  const share = Number.parseInt(roundSeed(challenge, round).slice(0, 8), 16) / 2 ** 32
  return overMs * share
}

/** @throws ConfigurationError if the text is too short to be unpredictable, or not one line of text */
export function checkChallenge(text: string): string {
  if (text.length < minLength || text.length > maxLength) {
    throw new ConfigurationError([
      `the challenge has ${text.length} characters; ${minLength} to ${maxLength} are needed`,
    ])
  }
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text) || text.trim() !== text) {
    throw new ConfigurationError([
      'the challenge has control characters, or leading or trailing spaces',
    ])
  }
  return text
}

/** Command that makes a key, for error messages. */
export const makeKey = 'openssl genpkey -algorithm ed25519 -out ed25519.pem'

/**
 * Reads a private Ed25519 key (PKCS #8, PEM).
 * @throws ConfigurationError that names the file and explains how to make a key
 */
export function readPrivateKey({ name, text }: Source): KeyObject {
  return ed25519(name, () => createPrivateKey(text))
}

/**
 * Reads a public Ed25519 key (SPKI, PEM). A private key is rejected: it does not belong on a verifier's
 * machine.
 * @throws ConfigurationError that names the file
 */
export function readPublicKey({ name, text }: Source): KeyObject {
  if (text.includes('PRIVATE KEY')) {
    throw new ConfigurationError([
      `${name} is a private key; its public part: openssl pkey -in ${name} -pubout`,
    ])
  }
  return ed25519(name, () => createPublicKey(text))
}

export function toPem(key: KeyObject): string {
  return String(key.export({ type: 'spki', format: 'pem' }))
}

/** `sha256:` and the digest of the key's SubjectPublicKeyInfo (RFC 8410), hexadecimal. */
export function keyIdOf(key: KeyObject): string {
  const der = key.export({ type: 'spki', format: 'der' })
  return `sha256:${hash('sha256', der)}`
}

function ed25519(name: string, read: () => KeyObject): KeyObject {
  const key = asConfigurationError(
    Error,
    read,
    ({ message }) => `${name} is not a key in PEM format (${message}): ${makeKey}`,
  )
  if (key.asymmetricKeyType === 'ed25519') return key
  throw new ConfigurationError([`${name} holds a key of ${key.asymmetricKeyType}: ${makeKey}`])
}

const line = z
  .string({ error: ({ input }) => (input === undefined ? 'It is missing' : undefined) })
  .trim()
  .min(1, { error: 'It is empty' })
  .max(200)
  .regex(/^[^\p{Cc}]*$/u, { error: 'Control characters are not allowed' })

export const product = z.strictObject({
  vendor: line,
  name: line,
  version: line,
  /** E-mail address or URL. */
  contact: line,
  /** Digest of the image or the commit: `sha256:…`, `gitCommit:…`. */
  digest: z
    .string()
    .regex(/^(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128}|gitCommit:[0-9a-f]{40}([0-9a-f]{24})?)$/, {
      error: 'Expected sha256:HEX, sha512:HEX or gitCommit:HEX, in lower case',
    })
    .optional(),
  url: z.url({ protocol: /^https?$/, error: 'Expected an http or https URL' }).optional(),
})
export type Product = z.infer<typeof product>

/**
 * Reads a product file, YAML or JSON.
 * @throws ConfigurationError that names file, line and field of every problem
 */
export function readProduct(source: Source): Product {
  const { value, place } = readDocument(source, 'a product file')
  return checkDocument(product, value, place)
}
