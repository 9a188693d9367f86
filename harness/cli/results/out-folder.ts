import { mkdtempSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../../../contract/error-message.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { makeFolder } from '../../conformance/recording/result-files.ts'

/**
 * Creates the folder of --out before anything is sent, and tries to write to it: permissions tell nothing
 * about a read-only file system, or about root.
 * @throws ConfigurationError if the folder cannot be created or written to
 */
export function makeOutFolder(folder: string): void {
  let attempt = 'create'
  try {
    makeFolder(folder)
    attempt = 'write to'
    rmdirSync(mkdtempSync(join(folder, '.chatgen-')))
  } catch (error) {
    const reason = messageOf(error)
    throw new ConfigurationError([`--out: cannot ${attempt} the folder ${folder}: ${reason}`])
  }
}
