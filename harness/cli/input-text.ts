import { refusing } from '../conformance/errors.ts'
import { readInputFile } from '../conformance/input-file.ts'
import type { Source } from '../conformance/profile/document.ts'
import { flag } from './flags.ts'
import { duration } from './values.ts'

/**
 * Text of a file that the command line names.
 * @param problem start of the message, such as `cannot read the baseline`
 * @throws ConfigurationError with the reason
 */
export function inputText(file: string, problem: string, maxBytes?: number): string {
  const read = () => readInputFile(file, maxBytes)
  return refusing(Error, read, ({ message }) => `${problem}: ${message}`)
}

export function challengeFlag() {
  return flag('--challenge <text>', 'challenge issued by the certification program')
}

export function overFlag(description: string) {
  return flag('--over <time>', description).argParser(duration)
}

/**
 * Reads the file of a flag.
 * @throws ConfigurationError that names the flag and the reason
 */
export function readSource(flag: string, file: string): Source {
  return { name: file, text: inputText(file, `${flag}: cannot read ${file}`) }
}
