import { type Command, InvalidArgumentError, Option } from 'commander'
import { ConfigurationError } from '../conformance/errors.ts'

/**
 * A flag with its environment twin: `--max-requests` is CHATGEN_MAX_REQUESTS. A negated flag keeps its
 * positive sense there: `--no-keep-alive` is CHATGEN_KEEP_ALIVE=false.
 * @param command qualifies the name, CHATGEN_INIT_OUT, where another command means something else by
 * the same flag
 */
export function flag(flags: string, description: string, command?: string): Option {
  const option = new Option(flags, description)
  const words = option.attributeName().replaceAll(/[A-Z]/g, '_$&')
  return option.env(['chatgen', ...(command ? [command] : []), words].join('_').toUpperCase())
}

/** Names the variable with the key, for every command that talks to a target. */
export function keyEnvFlag(): Option {
  return flag(
    '--key-env <name>',
    'variable that holds the key, in place of any key of the profile (default: CHATGEN_API_KEY, where the profile has no key)',
  )
}

/**
 * Gives the flags without a value that the environment sets their value; commander takes any value
 * for yes, `false` included.
 * @throws ConfigurationError that names each variable that is neither yes nor no
 */
export function readSwitches(
  command: Command,
  environment: Readonly<Record<string, string | undefined>>,
): void {
  const problems: string[] = []
  for (const option of command.options) {
    const name = option.envVar
    if (option.required || option.optional || name === undefined) continue
    if (command.getOptionValueSource(option.attributeName()) !== 'env') continue
    const text = environment[name] ?? ''
    const value = truthOf(text)
    if (value === undefined) {
      const said = text === '' ? 'is empty' : `is ${JSON.stringify(text)}`
      problems.push(`${name} ${said}: it must be true or false (or 1, 0, yes, no), or not be set`)
      continue
    }
    command.setOptionValueWithSource(option.attributeName(), value, 'env')
  }
  if (problems.length > 0) throw new ConfigurationError(problems)
}

function truthOf(text: string): boolean | undefined {
  const word = text.trim().toLowerCase()
  if (['true', '1', 'yes'].includes(word)) return true
  return ['false', '0', 'no'].includes(word) ? false : undefined
}

export function positiveInteger(text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1)
    throw new InvalidArgumentError('must be a whole number from 1 up')
  return value
}

export function portNumber(text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 0 || value > 65_535) {
    throw new InvalidArgumentError('must be a port from 0 to 65535')
  }
  return value
}

/** May be repeated, and split by commas. */
export function list(text: string, before: readonly string[] = []): string[] {
  return [
    ...before,
    ...text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  ]
}

/** Goes into headers and names. */
export function seed(text: string): string {
  if (!/^[A-Za-z0-9._-]{1,40}$/.test(text)) {
    throw new InvalidArgumentError('must be 1 to 40 letters, digits, dots, dashes or underscores')
  }
  return text
}
