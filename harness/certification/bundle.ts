import { hash } from 'node:crypto'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { crc32, inflateRawSync } from 'node:zlib'
import { z } from 'zod'
import type { ConformanceReport } from '../../contract/report/conformance.ts'
import { conformanceDocument } from '../../reports/conformance/document.ts'
import { reportToBadge } from '../../reports/conformance/github.ts'
import type { Fact } from '../../reports/document/document.ts'
import { toHtml } from '../../reports/document/html.ts'
import { reportToJson, withEvidence } from '../../reports/text/digest.ts'
import { StoredRecording } from '../client/index.ts'
import { exchangesName, lockName, reportName, runRecordName } from '../conformance/defaults.ts'
import { asConfigurationError } from '../conformance/errors.ts'
import { maxStoredBytes, readInputBytes } from '../conformance/input-file.ts'
import type { TargetProfile } from '../conformance/profile/index.ts'
import { limits } from '../conformance/profile/schema-requests.ts'
import { type RunRecord, readRunRecord } from '../conformance/recording/record.ts'
import { writeProblem } from '../conformance/recording/result-files.ts'
import { type Product, rounds } from './inputs.ts'
import { certifiedDepth, certifiedReport, certifiedSelection } from './rules.ts'

/** Files of a certification bundle. */

export const envelopeName = 'certificate.intoto.json'
export const sumsName = 'SHA256SUMS'
export const productName = 'product.json'
export const publicKeyName = 'public-key.pem'
export const pageName = 'report.html'
export const badgeName = 'badge.svg'
const compressed = '.gz'

export function roundFolder(round: number): string {
  return `rounds/${round}`
}

/** File names in a bundle, apart from the envelope and the digests; of compressed files, those of their content. */
export const bundleNames: readonly string[] = [
  productName,
  publicKeyName,
  pageName,
  badgeName,
  ...rounds.flatMap((round) =>
    [exchangesName, reportName, runRecordName].map((name) => `${roundFolder(round)}/${name}`),
  ),
]

/**
 * Paths of all files of a folder, relative, with `/`, sorted. `irregular`: those that are not regular: a link
 * may lead out of the bundle, reading a pipe may never end.
 */
export function filesOf(dir: string, { irregular = false } = {}): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && !(irregular && entry.isFile()))
    .map((entry) => relative(dir, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort()
}

/** Logical name of a stored path: a compressed file is listed by the name of its content. */
export function contentName(path: string): string {
  return path.endsWith(compressed) ? path.slice(0, -compressed.length) : path
}

/**
 * Content of a stored file, uncompressed.
 * @throws Error if the compressed form is damaged or larger than a bundle can be
 */
export function contentOf(dir: string, path: string): Buffer {
  const bytes = readInputBytes(join(dir, path), maxStoredBytes)
  return path.endsWith(compressed) ? decompress(bytes) : bytes
}

/** Result with `info: true`: the content and the number of compressed bytes that were read. */
const inflated = z.object({
  buffer: z.instanceof(Buffer),
  engine: z.object({ bytesWritten: z.number() }),
})

/**
 * Content of one gzip member (RFC 1952) without name, comment, time or trailing bytes, so that the file holds
 * no other data.
 */
function decompress(bytes: Buffer): Buffer {
  const [headerLength, trailerLength] = [10, 8]
  const isGzip =
    bytes.length > headerLength + trailerLength && bytes.readUInt32BE(0) >>> 8 === 0x1f8b08
  if (!isGzip) throw new Error('it is not a gzip file')
  const isPlain = bytes[3] === 0 && bytes.readUInt32LE(4) === 0
  if (!isPlain) throw new Error('its gzip header holds more than the content (gzip -n writes none)')
  const deflated = bytes.subarray(headerLength, -trailerLength)
  const { buffer, engine } = inflated.parse(
    inflateRawSync(deflated, { maxOutputLength: maxStoredBytes, info: true }),
  )
  const trailer = bytes.subarray(-trailerLength)
  const isWhole =
    engine.bytesWritten === deflated.length &&
    trailer.readUInt32LE(0) === crc32(buffer) &&
    trailer.readUInt32LE(4) === buffer.length % 2 ** 32
  if (!isWhole) throw new Error('its gzip trailer does not match its content, or bytes follow it')
  return buffer
}

/** The lock file is removed when the command ends. */
const unlisted = [sumsName, envelopeName, lockName]

/** Text of the file of digests, without itself and the envelope. */
export function sumsText(dir: string): string {
  const listed = filesOf(dir).filter((path) => !unlisted.includes(path))
  return canonicalSums(
    new Map(listed.map((path) => [contentName(path), sha256(contentOf(dir, path))])),
  )
}

/**
 * Digests by name, from the file of digests: its lines in any order, with LF or CR LF at their ends.
 * @throws Error that names the line that is not in the format of `sha256sum`
 */
export function readSums(text: string): ReadonlyMap<string, string> {
  const lines = text.split(/\r?\n/)
  if (lines.pop() !== '') throw new Error('the last line has no line end')
  const sums = new Map<string, string>()
  for (const [at, line] of lines.entries()) {
    const [, digest, name] = /^([0-9a-f]{64}) {2}(\S.*)$/.exec(line) ?? []
    if (digest === undefined || name === undefined)
      throw new Error(`line ${at + 1} is not a digest`)
    if (sums.has(name)) throw new Error(`line ${at + 1} lists ${name} a second time`)
    sums.set(name, digest)
  }
  return sums
}

/** File of digests in the form of `sha256sum`, sorted by name; the certificate contains its digest. */
export function canonicalSums(sums: ReadonlyMap<string, string>): string {
  return [...sums]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, digest]) => `${digest}  ${name}\n`)
    .join('')
}

export function sha256(content: string | Uint8Array): string {
  return hash('sha256', content)
}

/** Writes a file of the bundle. @throws ConfigurationError if it cannot be written; nothing is left of it then */
export function writeInBundle(dir: string, path: string, content: string | Uint8Array): void {
  const file = join(dir, path)
  const problemOf = (error: Error) => {
    rmSync(file, { force: true })
    return `cannot write ${file}: ${writeProblem(error)}`
  }
  asConfigurationError(Error, () => writeFileSync(file, content), problemOf)
}

/** Profile of a round from its record, as the text that is digested. */
export function profileText(recordFile: string): string {
  return JSON.stringify(readRunRecord(recordFile).profile)
}

/** Reason why a record is not one of a certification round; null if it is. */
export function recordProblem(record: RunRecord, seed: string): string | null {
  const { selection, strict, explore } = record
  if (record.seed !== seed) {
    return `its seed is ${record.seed}; ${seed} follows from the challenge`
  }
  const { profile } = selection
  if (JSON.stringify(selection) !== JSON.stringify(certifiedSelection(profile))) {
    return 'requirements were selected or skipped'
  }
  if (record.depth !== certifiedDepth) return `it was run at depth ${record.depth}`
  if (!record.incognito) return 'its requests named chatgen'
  if (explore !== undefined) return 'it was run with --explore'
  return strict ? 'it was run with --strict' : null
}

/** Files of a bundle that are made from reports: `certify` writes them, `verify` compares them. */

/** Text of a round's report.json. `exchanges`: SHA-256 of its exchanges.ndjson, hexadecimal. */
export function reportText(report: ConformanceReport, exchanges: string): string {
  return reportToJson(withEvidence(report, { exchanges }))
}

/** Content of the page in addition to the last round. */
export interface Certificate {
  readonly product: Product
  readonly challenge: string
  /** One for each round, in their order. */
  readonly reports: readonly ConformanceReport[]
  /** Settings in `run.json` of a round. */
  readonly profile: Pick<
    TargetProfile,
    'limits' | 'models' | 'prefixes' | 'recall' | 'requests' | 'v2Chat'
  >
}

/** Texts of the page and the badge, by name. `exchangesFile`: exchanges.ndjson of the last round. */
export function pagesOf(
  certificate: Certificate,
  exchangesFile: string,
): ReadonlyMap<string, string> {
  const last = certifiedReport(certificate.reports)
  if (last === undefined) return new Map()
  const document = conformanceDocument(last, new StoredRecording(exchangesFile))
  const page = { ...document, facts: [...certificateFacts(certificate), ...(document.facts ?? [])] }
  return new Map([
    [pageName, toHtml(page, { isCompact: true })],
    [badgeName, reportToBadge(last)],
  ])
}

/** Holder of the certificate, and settings by which a server could tell its requests from those of users. */
function certificateFacts({ product, challenge, reports, profile }: Certificate): readonly Fact[] {
  const { vendor, name, version, contact, digest, url } = product
  const { main, aliases, vision } = profile.models
  const usual = new Map<string, unknown>(Object.entries(limits.parse(undefined)))
  const changed = Object.entries(profile.limits).filter(([key, value]) => usual.get(key) !== value)
  const { prefixes, recall, requests, v2Chat } = profile
  const own = Object.entries({ prefixes, recall, requests, v2Chat }).filter(([, value]) => value)
  const dates = reports.map(({ startedAt }) => startedAt)
  return [
    ['product: ', [name, version, digest, url].filter((text) => text !== undefined).join(', ')],
    ['vendor: ', `${vendor}, ${contact}`],
    ['challenge: ', [{ code: challenge }]],
    [
      'rounds: ',
      `${reports.length}, begun ${dates.join(', ')}; this page shows the last, and the worst results of expected requirements`,
    ],
    ['models: ', [main, ...aliases, vision].join(', ')],
    ['requests: ', own.map(([key, value]) => ({ code: JSON.stringify({ [key]: value }) }))],
    ['limits: ', changed.map(([key, value]) => `${key} ${value}`).join(', ') || 'as by default'],
  ]
}
