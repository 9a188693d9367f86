import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'

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

/** Compressed form of a file, stored as `NAME.gz`. */
export function compress(text: Uint8Array): Buffer {
  return gzipSync(text, { level: 9 })
}

/** Paths of all files of a folder, relative, with `/`, sorted. */
export function filesOf(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(dir).length + 1))
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
}

/** Logical name of a stored path: a compressed file is listed by the name of its content. */
export function contentName(path: string): string {
  return path.endsWith(compressed) ? path.slice(0, -compressed.length) : path
}

/** Maximum size of one file, uncompressed: an archive that unpacks without end is refused. */
const maxFileBytes = 256 * 1024 * 1024

/**
 * Content of a stored file, uncompressed.
 * @throws Error if the compressed form is damaged or larger than a bundle can be
 */
export function contentOf(dir: string, path: string): Buffer {
  const bytes = readFileSync(join(dir, path))
  if (!path.endsWith(compressed)) return bytes
  // RFC 1952, 2.3: no name, comment or time, so that nothing is stored beside the content.
  const isPlain = bytes[3] === 0 && bytes.readUInt32LE(4) === 0
  if (!isPlain) throw new Error('its gzip header holds more than the content (gzip -n writes none)')
  return gunzipSync(bytes, { maxOutputLength: maxFileBytes })
}

/** Text of the file of digests, in the form of `sha256sum`, sorted by name, without itself and the envelope. */
export function sumsText(dir: string): string {
  const listed = filesOf(dir).filter((path) => path !== sumsName && path !== envelopeName)
  return listed
    .map((path) => `${sha256(contentOf(dir, path))}  ${contentName(path)}\n`)
    .sort((a, b) => (nameIn(a) < nameIn(b) ? -1 : 1))
    .join('')
}

/**
 * Digests by name, from the file of digests: its lines in any order, with LF or CR LF at their ends.
 * @throws Error naming the line that is not one of `sha256sum`
 */
export function readSums(text: string): ReadonlyMap<string, string> {
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
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

/** The file of digests in its one form, whose own digest the certificate holds. */
export function canonicalSums(sums: ReadonlyMap<string, string>): string {
  return [...sums]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, digest]) => `${digest}  ${name}\n`)
    .join('')
}

export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/** Writes a file of the bundle. @throws the error of the file system */
export function writeInBundle(dir: string, path: string, content: string | Uint8Array): void {
  writeFileSync(join(dir, path), content)
}

function nameIn(line: string): string {
  return line.slice(66)
}
