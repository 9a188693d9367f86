import { ConfigurationError } from '../../conformance/errors.ts'
import { makeFolder } from '../../conformance/recording/make-folder.ts'

/** @throws ConfigurationError if the folder of --out cannot be created */
export function makeOutFolder(folder: string): void {
  try {
    makeFolder(folder)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigurationError([`--out: cannot create the folder: ${reason}`])
  }
}
