import type { KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ConformanceReport, conformanceReport } from '../../../contract/report/conformance.ts'
import { exchangesName, reportName, runRecordName } from '../../conformance/defaults.ts'
import { type RunRecord, runRecord } from '../../conformance/recording/record.ts'
import {
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
import { rounds } from '../challenge.ts'
import { type Envelope, payloadOf, readEnvelope, signatureProblem } from '../envelope.ts'
import { keyIdOf, readPublicKey, toPem } from '../keys.ts'
import { type Product, product } from '../product.ts'
import { configurationOf, configured, type Statement, statement } from '../statement.ts'

/** A round as the bundle holds it. */
export interface StoredRound {
  readonly round: number
  readonly record: RunRecord
  readonly recordText: string
  readonly report: ConformanceReport
  /** Text of exchanges.ndjson, uncompressed. */
  readonly exchanges: Buffer
}

export interface BundleContent {
  readonly statement: Statement
  readonly product: Product
  readonly productText: string
  readonly challenge: string
  readonly rounds: readonly StoredRound[]
  readonly keyId: string
}

/** Content of a bundle with the problems of its signature and its files. */
export interface ReadBundle {
  readonly signature: readonly string[]
  readonly files: readonly string[]
  readonly keyId?: string
  /** Present if there are no problems. */
  readonly content?: BundleContent
}

/** Reads a bundle as far as its signature and its digests hold. */
export function readBundle(dir: string, expected: KeyObject | undefined): ReadBundle {
  let envelope: Envelope
  let key: KeyObject
  try {
    envelope = readEnvelope(readFileSync(join(dir, envelopeName), 'utf8'))
  } catch (error) {
    return { signature: [`${envelopeName}: ${messageOf(error)}`], files: [] }
  }
  try {
    key = expected ?? bundledKey(dir)
  } catch (error) {
    return { signature: [messageOf(error)], files: [] }
  }
  const problem = signatureProblem(envelope, key)
  if (problem !== null) return { signature: [`${envelopeName}: ${problem}`], files: [] }
  const keyId = keyIdOf(key)
  const signed = readStatement(envelope)
  if (typeof signed === 'string') return { signature: [signed], files: [], keyId }
  try {
    const files = digestProblems(dir, signed)
    if (files.length > 0) return { signature: [], files, keyId }
    return { signature: [], files: [], keyId, content: contentFrom(dir, signed, keyId) }
  } catch (error) {
    return { signature: [], files: [messageOf(error)], keyId }
  }
}

function bundledKey(dir: string): KeyObject {
  const text = readFileSync(join(dir, publicKeyName), 'utf8')
  const key = readPublicKey({ name: publicKeyName, text })
  if (toPem(key) !== text)
    throw new Error(`${publicKeyName} is not in the form that chatgen writes`)
  return key
}

function readStatement(envelope: Envelope): Statement | string {
  const text = payloadOf(envelope).toString('utf8')
  try {
    return statement.parse(JSON.parse(text))
  } catch {
    return `${envelopeName}: the payload is not an in-toto statement with a test result`
  }
}

/** Digests of the certificate against the file of digests, and of that against every file. */
function digestProblems(dir: string, signed: Statement): string[] {
  const sums = readSums(readFileSync(join(dir, sumsName), 'utf8'))
  const evidence = configurationOf(signed, configured.evidence)?.digest['sha256']
  if (sha256(canonicalSums(sums)) !== evidence) {
    return [`${sumsName} is not the file that the certificate was signed with`]
  }
  const problems: string[] = []
  const seen = new Set<string>()
  for (const path of filesOf(dir)) {
    if (path === sumsName || path === envelopeName) continue
    const name = contentName(path)
    const listed = sums.get(name)
    if (listed === undefined) problems.push(`${path} is not a file of the certificate`)
    else if (seen.has(name)) problems.push(`${name} is there twice, compressed and not`)
    else if (digestOfFile(dir, path) !== listed) problems.push(`${path} was changed`)
    seen.add(name)
  }
  for (const name of sums.keys()) if (!seen.has(name)) problems.push(`${name} is missing`)
  return problems
}

function digestOfFile(dir: string, path: string): string | null {
  try {
    return sha256(contentOf(dir, path))
  } catch {
    return null
  }
}

function contentFrom(dir: string, signed: Statement, keyId: string): BundleContent {
  const challenge = configurationOf(signed, configured.challenge)?.annotations?.['challenge']
  if (typeof challenge !== 'string') throw new Error('the certificate names no challenge')
  const productText = readFileSync(join(dir, productName), 'utf8')
  return {
    statement: signed,
    product: product.parse(JSON.parse(productText)),
    productText,
    challenge,
    keyId,
    rounds: rounds.map((round) => readRound(dir, round)),
  }
}

function readRound(dir: string, round: number): StoredRound {
  const folder = roundFolder(round)
  const recordText = text(dir, `${folder}/${runRecordName}`)
  const report = conformanceReport.safeParse(JSON.parse(text(dir, `${folder}/${reportName}`)))
  const record = runRecord.safeParse(JSON.parse(recordText))
  if (!report.success) throw new Error(`${folder}/${reportName} is not a conformance report`)
  if (!record.success) throw new Error(`${folder}/${runRecordName} is not the record of a run`)
  return {
    round,
    recordText,
    record: record.data,
    report: report.data,
    exchanges: contentOf(dir, `${folder}/${exchangesName}.gz`),
  }
}

function text(dir: string, path: string): string {
  return contentOf(dir, path).toString('utf8')
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
