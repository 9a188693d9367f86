import {
  appendFileSync,
  chmodSync,
  closeSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { createRedactor, type Secret } from './redaction.ts'

const writeSize = 1 << 18

/**
 * Writes all files and standard streams. Secrets are replaced here, at the last moment, in any encoding that
 * they have by then; no other module of chatgen writes (a test checks this).
 */
export class RedactingWriter {
  #secrets: readonly Secret[] = []
  #redact: (text: string) => string = String

  constructor(secrets: readonly Secret[] = []) {
    this.keepBack(secrets)
  }

  /** Redacts these secrets in everything that is written from now on. */
  keepBack(secrets: readonly Secret[]): void {
    const values = new Set(this.#secrets.map(({ value }) => value))
    const added = secrets.filter(({ value }) => !values.has(value))
    if (added.length === 0) return
    this.#secrets = [...this.#secrets, ...added]
    this.#redact = createRedactor(this.#secrets).output
  }

  /** Redacts text that another module shows, such as a progress line. */
  clean(text: string): string {
    return this.#redact(text)
  }

  out(text: string): void {
    process.stdout.write(this.#redact(text))
  }

  err(text: string): void {
    process.stderr.write(this.#redact(text))
  }

  /**
   * Writes the whole file or leaves it as it was. `flag` as in `node:fs`.
   * @throws the error of the file system
   */
  write(file: string, text: string, flag: 'w' | 'wx' = 'w'): void {
    writeWholeFile(file, this.#redact(text), flag)
  }

  /** @throws the error of the file system */
  append(file: string, text: string): void {
    appendFileSync(file, this.#redact(text))
  }

  /** The same for a text too long to hold in memory; each piece is redacted separately. */
  appendPieces(file: string, pieces: Iterable<string>): void {
    const descriptor = openSync(file, 'a')
    try {
      let text = ''
      for (const piece of pieces) {
        text += piece
        if (text.length < writeSize) continue
        writeAll(descriptor, this.#redact(text))
        text = ''
      }
      writeAll(descriptor, this.#redact(text))
    } finally {
      closeSync(descriptor)
    }
  }

  /** Rejects with the error of the file system. */
  appendSoon(file: string, text: string): Promise<void> {
    return appendFile(file, this.#redact(text))
  }
}

function writeWholeFile(file: string, text: string, flag: 'w' | 'wx'): void {
  const existing = lstatSync(file, { throwIfNoEntry: false })
  // Links and devices stay what they are, a file keeps its owner, and `wx` refuses any file.
  const isOwn = existing?.isFile() && existing.uid === process.geteuid?.()
  if (existing !== undefined && !(flag === 'w' && isOwn)) {
    writeFileSync(file, text, { flag })
    return
  }
  const partial = `${file}.${process.pid}.partial`
  try {
    writeFileSync(partial, text)
    if (existing !== undefined) chmodSync(partial, existing.mode)
    // Unlike a rename, a link never replaces a file.
    if (flag === 'wx') linkSync(partial, file)
    else renameSync(partial, file)
  } catch (error) {
    if (isOfContent(error)) throw error
    // A mounted file, or one in a read-only folder, can be written but not replaced.
    writeFileSync(file, text, { flag })
  } finally {
    rmSync(partial, { force: true })
  }
}

/** Tests if an error is due to the content, e.g. to a full disk: it then happens again. */
function isOfContent(error: unknown): boolean {
  if (!(error instanceof Error)) return true
  const { syscall, code } = error as NodeJS.ErrnoException
  return syscall === 'write' || code === 'ENOSPC' || code === 'EDQUOT'
}

function writeAll(descriptor: number, text: string): void {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at)
}
