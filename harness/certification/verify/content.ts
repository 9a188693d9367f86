import type { KeyObject } from 'node:crypto'
import { join } from 'node:path'
import type { z } from 'zod'
import { conformanceReport } from '../../../contract/report/conformance.ts'
import { messageOf } from '../../../contract/text.ts'
import { exchangesName, reportName, runRecordName } from '../../conformance/defaults.ts'
import { asConfigurationError } from '../../conformance/errors.ts'
import { readInputFile } from '../../conformance/input-file.ts'
import { runRecord } from '../../conformance/recording/record.ts'
import {
  bundleNames,
  canonicalSums,
  contentName,
  contentOf,
  envelopeName,
  filesOf,
  productName,
  publicKeyName,
  readSums,
  roundFolder,
  sha256,
  sumsName,
} from '../bundle.ts'
import { keyIdOf, type Product, product, readPublicKey, rounds, toPem } from '../inputs.ts'
import {
  annotationOf,
  configured,
  digestIn,
  type Envelope,
  payloadOf,
  readEnvelope,
  type Statement,
  signatureProblem,
  statement,
} from '../statement.ts'

export interface BundleContent {
  readonly statement: Statement
  readonly product: Product
  readonly productText: string
  readonly challenge: string
  /** SHA256SUMS in its one form. */
  readonly sums: string
  readonly rounds: readonly StoredRound[]
  readonly keyId: string
}

/**
 * Reads a bundle as far as its signature and its digests are valid: the problems of both, the id of the key, and
 * the content if it can be read.
 */
export function readBundle(dir: string, expected: KeyObject | undefined) {
  const irregular = filesOf(dir, { irregular: true })
  if (irregular.length > 0) {
    return { signature: irregular.map((path) => `${path} is not a regular file`), files: [] }
  }
  let keyId: string | undefined
  let signed: Statement
  try {
    const read = () => readEnvelope(readInputFile(join(dir, envelopeName)))
    const envelope = asConfigurationError(Error, read, envelopeName)
    const key = expected ?? bundledKey(dir)
    const problem = signatureProblem(envelope, key)
    if (problem !== null) throw new Error(`${envelopeName}: ${problem}`)
    keyId = keyIdOf(key)
    signed = readStatement(envelope)
  } catch (error) {
    return { signature: [messageOf(error)], files: [], keyId }
  }
  try {
    const sums = readSums(text(dir, sumsName))
    const files = digestProblems(dir, signed, sums)
    if (files.length > 0) return { signature: [], files, keyId }
    const challenge = annotationOf(signed, configured.challenge, 'challenge')
    if (typeof challenge !== 'string') throw new Error('the certificate names no challenge')
    const content = {
      statement: signed,
      sums: canonicalSums(sums),
      keyId,
      challenge,
      product: parsed(dir, productName, product, 'a product file'),
      productText: text(dir, productName),
      rounds: rounds.map((round) => readRound(dir, round)),
    }
    const isOfSigner = keyIdOf(bundledKey(dir)) === keyId
    const keyProblem = `${publicKeyName} is not the key of the signer`
    return { signature: [], files: isOfSigner ? [] : [keyProblem], keyId, content }
  } catch (error) {
    return { signature: [], files: [messageOf(error)], keyId }
  }
}

function bundledKey(dir: string): KeyObject {
  const text = readInputFile(join(dir, publicKeyName))
  const key = readPublicKey({ name: publicKeyName, text })
  if (toPem(key) !== text)
    throw new Error(`${publicKeyName} is not in the form that chatgen writes`)
  return key
}

function readStatement(envelope: Envelope): Statement {
  try {
    return statement.parse(JSON.parse(payloadOf(envelope).toString('utf8')))
  } catch {
    const what = 'the payload is not an in-toto statement with a test result'
    throw new Error(`${envelopeName}: ${what}`)
  }
}

/** Compares the digests of the certificate with the file of digests, and the latter with every file. */
function digestProblems(
  dir: string,
  signed: Statement,
  sums: ReadonlyMap<string, string>,
): string[] {
  if (sha256(canonicalSums(sums)) !== digestIn(signed, configured.evidence)) {
    return [`${sumsName} is not the file that the certificate was signed with`]
  }
  const paths = filesOf(dir).filter((path) => path !== sumsName && path !== envelopeName)
  const names = paths.map(contentName)
  const visited = new Set<string>()
  const listed = [...sums.keys()]
  const without = (some: readonly string[], others: readonly string[]) =>
    some.filter((name) => !others.includes(name))
  return [
    ...paths.flatMap((path) => {
      const name = contentName(path)
      if (visited.has(name) && sums.has(name))
        return [`${name} occurs twice, compressed and uncompressed`]
      visited.add(name)
      return changeOf(dir, path, sums.get(name))
    }),
    ...without(listed, names).map((name) => `${name} is missing`),
    ...without(bundleNames, listed).map((name) => `${sumsName} does not list ${name}`),
    ...without(listed, bundleNames).map((name) => `${name} does not belong in a bundle`),
  ]
}

/** Difference between a file and its digest; empty without any. */
function changeOf(dir: string, path: string, listed: string | undefined): string[] {
  if (listed === undefined) return [`${path} is not a file of the certificate`]
  try {
    return sha256(contentOf(dir, path)) === listed ? [] : [`${path} was changed`]
  } catch (error) {
    return [`${path} was changed: ${messageOf(error)}`]
  }
}

/** A round as the bundle holds it. */
function readRound(dir: string, round: number) {
  const folder = roundFolder(round)
  const recordName = `${folder}/${runRecordName}`
  const name = `${folder}/${reportName}`
  return {
    round,
    recordText: text(dir, recordName),
    record: parsed(dir, recordName, runRecord, 'the record of a run'),
    reportText: text(dir, name),
    report: parsed(dir, name, conformanceReport, 'a conformance report'),
    /** Text of exchanges.ndjson, uncompressed. */
    exchanges: contentOf(dir, `${folder}/${exchangesName}.gz`),
  }
}

export type StoredRound = Readonly<ReturnType<typeof readRound>>

/** @throws Error that names the file and the expected format */
function parsed<T>(dir: string, path: string, model: z.ZodType<T>, what: string): T {
  try {
    return model.parse(JSON.parse(text(dir, path)))
  } catch {
    throw new Error(`${path} is not ${what}`)
  }
}

function text(dir: string, path: string): string {
  try {
    return contentOf(dir, path).toString('utf8')
  } catch {
    throw new Error(`${path} cannot be read`)
  }
}
