import { readFileSync } from 'node:fs'
import { ConfigurationError } from '../../conformance/errors.ts'
import type { Source } from '../../conformance/profile/document.ts'

/**
 * Reads the file of a flag.
 * @throws ConfigurationError that names the flag and the reason
 */
export function readSource(flag: string, file: string): Source {
  try {
    return { name: file, text: readFileSync(file, 'utf8') }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigurationError([`${flag}: cannot read ${file}: ${reason}`])
  }
}
