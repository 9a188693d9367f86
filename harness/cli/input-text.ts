import { messageOf } from '../../contract/error-message.ts'
import { ConfigurationError } from '../conformance/errors.ts'
import { readInputFile } from '../conformance/input-file.ts'

/**
 * Text of a file that the command line names.
 * @param problem leads the message, such as `cannot read the baseline`
 * @throws ConfigurationError with the reason
 */
export function inputText(file: string, problem: string, maxBytes?: number): string {
  try {
    return readInputFile(file, maxBytes)
  } catch (error) {
    throw new ConfigurationError([`${problem}: ${messageOf(error)}`])
  }
}
