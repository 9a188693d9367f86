import type { Option } from 'commander'
import { messageOf } from '../../../contract/error-message.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { readInputFile } from '../../conformance/input-file.ts'
import type { Source } from '../../conformance/profile/document.ts'
import { flag } from '../flags.ts'
import { duration } from '../values.ts'

export function challengeFlag(): Option {
  return flag('--challenge <text>', 'challenge that the certification program issued for this run')
}

export function overFlag(description: string): Option {
  return flag('--over <time>', description).argParser(duration)
}

/**
 * Reads the file of a flag.
 * @throws ConfigurationError that names the flag and the reason
 */
export function readSource(flag: string, file: string): Source {
  try {
    return { name: file, text: readInputFile(file) }
  } catch (error) {
    const reason = messageOf(error)
    throw new ConfigurationError([`${flag}: cannot read ${file}: ${reason}`])
  }
}
