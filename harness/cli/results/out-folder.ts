import { messageOf } from '../../../contract/error-message.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { makeFolder } from '../../conformance/recording/result-files.ts'
import { lockFolder } from './folder-lock.ts'

/**
 * Creates the folder of --out before anything is sent, and reserves it for this process. Only a file that
 * is written shows that one can be: permissions tell nothing about a read-only file system, or about root.
 * @throws ConfigurationError if the folder cannot be created or written to, or is in use by another run
 */
export function makeOutFolder(folder: string): void {
  let attempt = 'create'
  try {
    makeFolder(folder)
    attempt = 'write to'
    lockFolder(folder)
  } catch (error) {
    if (error instanceof ConfigurationError) throw error
    const reason = messageOf(error)
    throw new ConfigurationError([`--out: cannot ${attempt} the folder ${folder}: ${reason}`])
  }
}
