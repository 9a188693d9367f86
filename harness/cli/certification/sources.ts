import type { Option } from 'commander'
import type { Source } from '../../conformance/profile/document.ts'
import { flag } from '../flags.ts'
import { inputText } from '../input-text.ts'
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
  return { name: file, text: inputText(file, `${flag}: cannot read ${file}`) }
}
