import { type KeyObject, sign, verify } from 'node:crypto'
import { z } from 'zod'
import { keyIdOf, publicKeyOf } from './inputs.ts'

/** Dead Simple Signing Envelope (DSSE 1.0.2), with one Ed25519 signature (RFC 8032). */

export const payloadType = 'application/vnd.in-toto+json'

const envelope = z.strictObject({
  payload: z.string(),
  payloadType: z.literal(payloadType),
  signatures: z.tuple([z.strictObject({ keyid: z.string(), sig: z.string() })]),
})
export type Envelope = z.infer<typeof envelope>

/** Text of the envelope file. */
export function sealed(payload: Uint8Array, key: KeyObject): string {
  return written({
    payload: Buffer.from(payload).toString('base64'),
    payloadType,
    signatures: [
      {
        keyid: keyIdOf(publicKeyOf(key)),
        sig: sign(null, preAuthenticationEncoding(payloadType, payload), key).toString('base64'),
      },
    ],
  })
}

/**
 * Reads an envelope file. Accepts only the form that `sealed` writes, so that two files with the same content
 * are the same file.
 * @throws Error with the reason
 */
export function readEnvelope(text: string): Envelope {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Error('it is not JSON')
  }
  const result = envelope.safeParse(value)
  if (!result.success) throw new Error('it is not a DSSE envelope with one signature')
  if (written(result.data) !== text) throw new Error('it is not in the form that chatgen writes')
  const [{ sig }] = result.data.signatures
  for (const part of [result.data.payload, sig]) {
    if (Buffer.from(part, 'base64').toString('base64') !== part) {
      throw new Error('its base64 is not in the canonical form (RFC 4648, 3.5)')
    }
  }
  return result.data
}

export function payloadOf({ payload }: Envelope): Buffer {
  return Buffer.from(payload, 'base64')
}

/** Reason why the signature does not hold; null if it does. */
export function signatureProblem(envelope: Envelope, key: KeyObject): string | null {
  const [{ keyid, sig }] = envelope.signatures
  if (keyid !== keyIdOf(key)) return `it is signed with the key ${keyid}, not with ${keyIdOf(key)}`
  const signed = preAuthenticationEncoding(envelope.payloadType, payloadOf(envelope))
  return verify(null, signed, key, Buffer.from(sig, 'base64')) ? null : 'the signature is wrong'
}

/** Signed bytes (DSSE, "PAE"): `DSSEv1 LEN(type) type LEN(payload) payload`. */
export function preAuthenticationEncoding(type: string, payload: Uint8Array): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(type)} ${type} ${payload.byteLength} `
  return Buffer.concat([Buffer.from(head), payload])
}

function written(envelope: Envelope): string {
  return `${JSON.stringify(envelope, null, 2)}\n`
}
