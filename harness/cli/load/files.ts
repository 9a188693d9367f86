import { existsSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { messageOf } from '../../../contract/error-message.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { readInputFile } from '../../conformance/input-file.ts'
import { checkDocument, didYouMean, readDocument } from '../../conformance/profile/document.ts'
import { builtInMixes, type Mix } from '../../load/plan/mix.ts'
import { mixFile, mixOfFile } from '../../load/plan/mix-schema.ts'
import { readTrace, type TraceLine, TraceSyntaxError } from '../../load/plan/trace.ts'

/**
 * Looks up a built-in mix by name, or reads a file.
 * @throws ConfigurationError that names file, line and field
 */
export function mixNamed(name: string): Mix {
  const builtIn = builtInMixes.get(name)
  if (builtIn !== undefined) return builtIn
  if (!existsSync(name)) {
    const names = [...builtInMixes.keys()]
    throw new ConfigurationError([
      `--mix: no such file or built-in mix: ${name}.${didYouMean(name, names)} Mixes: ${names.join(', ')}`,
    ])
  }
  const { value, place } = readDocument({ name, text: textOf('--mix', name) }, 'a mix')
  return mixOfFile(checkDocument(mixFile, value, place), basename(name, extname(name)))
}

/** @throws ConfigurationError that names file and line */
export function traceIn(file: string, mix: Mix): TraceLine[] {
  const lines = readLines(file)
  const names = mix.entries.map(({ name }) => name)
  for (const { transaction } of lines) {
    if (transaction === undefined || names.includes(transaction)) continue
    throw new ConfigurationError([
      `${file}: the mix ${mix.name} has no transaction ${transaction}.${didYouMean(transaction, names)} Transactions: ${names.join(', ')}`,
    ])
  }
  return lines
}

function readLines(file: string): TraceLine[] {
  try {
    return readTrace(textOf('--replay', file))
  } catch (error) {
    if (!(error instanceof TraceSyntaxError)) throw error
    throw new ConfigurationError([`${file}:${error.line}: ${error.message}`])
  }
}

function textOf(flag: string, file: string): string {
  try {
    return readInputFile(file)
  } catch (error) {
    const reason = messageOf(error)
    throw new ConfigurationError([`${flag}: cannot read the file: ${reason}`])
  }
}
