import { type Command, InvalidArgumentError, Option } from 'commander'
import { ConfigurationError } from '../conformance/errors.ts'

/**
 * Creates a flag with its environment variable: `--max-requests` is CHATGEN_MAX_REQUESTS. A negated flag
 * is set to false: `--no-keep-alive` is CHATGEN_KEEP_ALIVE=false.
 * @param command qualifies the variable, CHATGEN_INIT_OUT, if the flag has another meaning in another
 * command
 */
export function flag(flags: string, description: string, command?: string): Option {
  const option = new Option(flags, description)
  const words = option.attributeName().replaceAll(/[A-Z]/g, '_$&')
  return option.env(['chatgen', ...(command ? [command] : []), words].join('_').toUpperCase())
}

/** Adds flags to a command in their order. */
export function addFlags(command: Command, ...options: readonly Option[]): Command {
  for (const option of options) command.addOption(option)
  return command
}

/** The flags of every command that can print reports: formats, JSON, less output. */
export function addOutputFlags(
  command: Command,
  kind: { readonly file: string; readonly formats: Readonly<Record<string, unknown>> },
  verboseHelp: string,
  { defaults = 'console,json' } = {},
): Command {
  return addFlags(
    command,
    flag(
      '--report <formats>',
      `formats: ${Object.keys(kind.formats).join(', ')} (default: ${defaults})`,
    ).argParser(list),
    flag('--json', `print ${kind.file} on standard output`),
    flag('--quiet', 'print the outcome only'),
    flag('--verbose', verboseHelp),
    colorFlag(),
  )
}

/** Flags that `--help` shows by the name of their group only. */
export function grouped(option: Option, group: HelpGroup): Option {
  return option.helpGroup(helpGroups[group])
}

export const helpGroups = {
  network: 'Network:',
  containers: 'Containers:',
  run: 'Run:',
} as const

type HelpGroup = keyof typeof helpGroups

/** Folder of the results of a run. */
export function outFlag(): Option {
  return flag('--out <dir>', 'results folder').default('chatgen-results')
}

export function uiFlag(): Option {
  return flag('--ui', 'show the run on a page of this machine')
}

export function colorFlag(): Option {
  return flag('--no-color', 'disable colors')
}

/**
 * Parses the environment variables of boolean flags; commander takes any value for true, `false` included.
 * @throws ConfigurationError that names each variable with a value other than true or false
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
    const value = parseBoolean(text)
    if (value === undefined) {
      const state = text === '' ? 'is empty' : `is ${JSON.stringify(text)}`
      problems.push(`${name} ${state}: expected true or false (or 1, 0, yes, no), or unset`)
      continue
    }
    command.setOptionValueWithSource(option.attributeName(), value, 'env')
  }
  if (problems.length > 0) throw new ConfigurationError(problems)
}

function parseBoolean(text: string): boolean | undefined {
  const word = text.trim().toLowerCase()
  if (['true', '1', 'yes'].includes(word)) return true
  return ['false', '0', 'no'].includes(word) ? false : undefined
}

export function positiveInteger(text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1)
    throw new InvalidArgumentError('must be a positive integer')
  return value
}

export function wholeNumber(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isInteger(value) || value < 0)
    throw new InvalidArgumentError('must be 0 or a positive integer')
  return value
}

export function portNumber(text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 0 || value > 65_535) {
    throw new InvalidArgumentError('must be a port number from 0 to 65535')
  }
  return value
}

/** Parses a repeatable flag with comma-separated values. */
export function list(text: string, before: readonly string[] = []): string[] {
  return [
    ...before,
    ...text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  ]
}

/** Parses a seed, which becomes part of headers and of generated names. */
export function seed(text: string): string {
  if (!/^[A-Za-z0-9._-]{1,40}$/.test(text)) {
    throw new InvalidArgumentError('must be 1 to 40 letters, digits, dots, dashes or underscores')
  }
  return text
}
