import { mkdirSync, mkdtempSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { messageOf } from '../../../contract/text.ts'
import { asConfigurationError, ConfigurationError } from '../errors.ts'

/**
 * Creates a folder and its parents. Node's own recursive `mkdir` never ends if a file system reports ENOENT
 * for a folder that cannot be created, as Linux does below /proc.
 * @throws the error of the file system
 */
export function makeFolder(folder: string): void {
  if (isFolder(folder)) return
  const above = dirname(resolve(folder))
  if (above !== resolve(folder)) makeFolder(above)
  try {
    mkdirSync(folder)
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!isFolder(folder)) throw error
  }
}

/**
 * Creates a folder for files that nobody keeps.
 * @throws ConfigurationError if that is not possible, for example on a read-only file system
 */
export function temporaryFolder(name: string): string {
  return asConfigurationError(
    Error,
    () => mkdtempSync(join(tmpdir(), `chatgen-${name}-`)),
    ({ message }) =>
      `cannot create a temporary folder: ${message}. Set TMPDIR to a folder that can be written to`,
  )
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

/** Names the reason why a file cannot be written, with advice if the disk is full. */
export function writeProblem(error: unknown): string {
  const message = messageOf(error)
  const isFull = /^(ENOSPC|EDQUOT)\b/.test(message)
  return isFull ? `${message}. Free space, or choose another folder with --out` : message
}

/** The evidence of the run cannot be written; `code` survives serialization by vitest. */
export class EvidenceError extends ConfigurationError {
  override readonly name = 'EvidenceError'
  static readonly code = 'E_EVIDENCE'
  override readonly code = EvidenceError.code

  constructor(cause: unknown) {
    super([`the evidence of the run cannot be written: ${writeProblem(cause)}`])
  }
}

/** @throws EvidenceError if the write fails, for example on a full disk */
export function storeEvidence(write: () => void): void {
  try {
    write()
  } catch (error) {
    throw new EvidenceError(error)
  }
}
