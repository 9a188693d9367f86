import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { messageOf } from '../../contract/error-message.ts'
import { ConfigurationError } from '../conformance/errors.ts'
import type { Source } from '../conformance/profile/document.ts'

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

export function publicKeyOf(key: KeyObject): KeyObject {
  return createPublicKey(key)
}

export function toPem(key: KeyObject): string {
  return String(key.export({ type: 'spki', format: 'pem' }))
}

/** `sha256:` and the digest of the key's SubjectPublicKeyInfo (RFC 8410), hexadecimal. */
export function keyIdOf(key: KeyObject): string {
  const der = key.export({ type: 'spki', format: 'der' })
  return `sha256:${createHash('sha256').update(der).digest('hex')}`
}

function ed25519(name: string, read: () => KeyObject): KeyObject {
  let key: KeyObject
  try {
    key = read()
  } catch (error) {
    const reason = messageOf(error)
    throw new ConfigurationError([`${name} is not a key in PEM form (${reason}): ${makeKey}`])
  }
  if (key.asymmetricKeyType === 'ed25519') return key
  throw new ConfigurationError([`${name} holds a key of ${key.asymmetricKeyType}: ${makeKey}`])
}
