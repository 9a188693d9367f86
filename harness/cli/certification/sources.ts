import { readFileSync } from 'node:fs'
import type { Option } from 'commander'
import { ConfigurationError } from '../../conformance/errors.ts'
import type { Source } from '../../conformance/profile/document.ts'
import { flag } from '../flags.ts'

export function challengeFlag(): Option {
  return flag(
    '--challenge <text>',
    'challenge that the certification programme issued for this run',
  )
}

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
