import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { z } from 'zod'
import { requirements } from '../../contract/index.ts'
import { parseJson } from '../../contract/json.ts'
import { suiteVersion } from '../conformance/defaults.ts'
import { sha256 } from './bundle.ts'
import { keyIdOf, type Product, rounds } from './inputs.ts'
import type { RoundsResult } from './rules.ts'

/**
 * The signed statement: in-toto Statement v1 with the predicate test-result v0.1
 * (https://in-toto.io/attestation/test-result/v0.1).
 */

const statementType = 'https://in-toto.io/Statement/v1'
const predicateType = 'https://in-toto.io/attestation/test-result/v0.1'

const digestSet = z.record(z.string(), z.string().regex(/^[0-9a-f]{40,128}$/))
const descriptor = z.strictObject({
  name: z.string(),
  digest: digestSet,
  annotations: z.record(z.string(), z.unknown()).optional(),
})

export const statement = z.strictObject({
  _type: z.literal(statementType),
  subject: z.tuple([z.strictObject({ name: z.string(), digest: digestSet })]),
  predicateType: z.literal(predicateType),
  predicate: z.strictObject({
    result: z.enum(['PASSED', 'WARNED']),
    configuration: z.array(descriptor),
    passedTests: z.array(z.string()),
    warnedTests: z.array(z.string()),
    failedTests: z.array(z.string()).max(0),
  }),
})
export type Statement = z.infer<typeof statement>

/** Content of a statement. */
export interface Certified {
  readonly product: Product
  /** Text of product.json in the bundle. */
  readonly productText: string
  readonly challenge: string
  readonly surfaces: string
  readonly result: RoundsResult
  /** Text of the profile as every round records it. */
  readonly profileText: string
  /** Text of the file of digests. */
  readonly sums: string
}

/** Names of the configuration's resource descriptors. */
export const configured = {
  kit: 'chatgen-conformance',
  catalog: 'catalog',
  profile: 'profile',
  challenge: 'challenge',
  evidence: 'SHA256SUMS',
  product: 'product.json',
} as const

export function statementOf(certified: Certified): Statement {
  const { product, productText, result, challenge, surfaces } = certified
  const { passed, warned, notApplicable, undecided } = result
  const version = suiteVersion()
  const profile = { surfaces, rounds: rounds.length, notApplicable, undecided }
  const digest = product.digest ?? `sha256:${sha256(productText)}`
  const [algorithm = '', value = ''] = digest.split(':')
  return {
    _type: statementType,
    subject: [
      {
        name: `${product.vendor} ${product.name} ${product.version}`,
        digest: { [algorithm]: value },
      },
    ],
    predicateType,
    predicate: {
      result: warned.length > 0 ? 'WARNED' : 'PASSED',
      configuration: [
        described(configured.kit, `${configured.kit} ${version}`, { version }),
        described(configured.catalog, JSON.stringify(requirements)),
        described(configured.profile, certified.profileText, profile),
        described(configured.challenge, challenge, { challenge }),
        described(configured.product, productText),
        described(configured.evidence, certified.sums),
      ],
      passedTests: [...passed],
      warnedTests: [...warned],
      failedTests: [],
    },
  }
}

/** SHA-256 of what the resource descriptor with this name describes. */
export function digestIn(signed: Statement, name: string): string | undefined {
  return descriptorOf(signed, name)?.digest['sha256']
}

/** Annotation of the resource descriptor with this name. */
export function annotationOf(signed: Statement, name: string, annotation: string): unknown {
  return descriptorOf(signed, name)?.annotations?.[annotation]
}

function descriptorOf({ predicate }: Statement, name: string) {
  return predicate.configuration.find((entry) => entry.name === name)
}

function described(name: string, content: string, annotations?: Record<string, unknown>) {
  return {
    name,
    digest: { sha256: sha256(content) },
    ...(annotations === undefined ? {} : { annotations }),
  }
}

/** Dead Simple Signing Envelope (DSSE 1.0.2), with one Ed25519 signature (RFC 8032). */

const payloadType = 'application/vnd.in-toto+json'

const envelope = z.strictObject({
  payload: z.string(),
  payloadType: z.literal(payloadType),
  signatures: z.tuple([z.strictObject({ keyid: z.string(), sig: z.string() })]),
})
export type Envelope = z.infer<typeof envelope>

/** Text of the envelope file. */
export function sealed(payload: Uint8Array, key: KeyObject): string {
  const keyid = keyIdOf(createPublicKey(key))
  const sig = sign(null, preAuthenticationEncoding(payloadType, payload), key).toString('base64')
  const text = Buffer.from(payload).toString('base64')
  return written({ payload: text, payloadType, signatures: [{ keyid, sig }] })
}

/**
 * Reads an envelope file. Accepts only the form that `sealed` writes, so that two files with the same content
 * are the same file.
 * @throws Error with the reason
 */
export function readEnvelope(text: string): Envelope {
  const value = parseJson(text)
  if (value === undefined) throw new Error('it is not JSON')
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
