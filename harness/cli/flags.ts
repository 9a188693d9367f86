import { type Command, InvalidArgumentError, Option } from 'commander'
import { ConfigurationError } from '../conformance/errors.ts'
import { type ExitCode, exitCode } from './exit-codes.ts'
import type { Io } from './terminal/io.ts'

/** Attribute of a flag, type of its value, and whether it always has one. */
interface Shape {
  readonly name: string
  readonly value: unknown
  readonly given: boolean
}

/** An option with the type of its value. */
type Flag<Name extends string, Value, Given extends boolean> = Typed<Name, Value, Given> & Option

interface Typed<Name extends string, Value, Given extends boolean> {
  /** Exists as a type only. */
  readonly shape?: { readonly name: Name; readonly value: Value; readonly given: Given }
  argParser<T>(parse: (text: string, before: T) => T): Flag<Name, T, Given>
  choices<const T extends string>(values: readonly T[]): Flag<Name, T, Given>
  default(value: Value, description?: string): Flag<Name, Value, true>
}

/** The values of the flags that a function lists, as commander parses them. */
export type FlagsOf<
  List extends (...given: never[]) => readonly (Option & { readonly shape?: Shape })[],
> = ValuesOf<NonNullable<ReturnType<List>[number]['shape']>>

type ValuesOf<S extends Shape> = {
  readonly [One in S as One['given'] extends true ? One['name'] : never]: One['value']
} & {
  readonly [One in S as One['given'] extends true ? never : One['name']]?: One['value']
}

/** `maxRequests` of `--max-requests <n>`. */
type NameIn<Text extends string> = Text extends `--no-${infer Rest}` | `--${infer Rest}`
  ? Camel<Rest extends `${infer Word} ${string}` ? Word : Rest>
  : never

type Camel<Words extends string> = Words extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Words

type ValueIn<Text extends string> = Text extends `${string}<${string}`
  ? string
  : Text extends `${string}[${string}`
    ? string | true
    : boolean

type IsNegated<Text extends string> = Text extends `--no-${string}` ? true : false

/**
 * Creates a flag with its environment variable: `--max-requests` is CHATGEN_MAX_REQUESTS. A negated flag
 * is set to false: `--no-keep-alive` is CHATGEN_KEEP_ALIVE=false.
 * @param command qualifies the variable, CHATGEN_INIT_OUT, if the flag has another meaning in another
 * command
 */
export function flag<const Text extends string>(
  text: Text,
  description: string,
  command?: string,
): Flag<NameIn<Text>, ValueIn<Text>, IsNegated<Text>> {
  const option = new Option(text, description)
  const words = option.attributeName().replaceAll(/[A-Z]/g, '_$&')
  const variable = ['chatgen', ...(command ? [command] : []), words].join('_').toUpperCase()
  return option.env(variable) as Flag<NameIn<Text>, ValueIn<Text>, IsNegated<Text>>
}

/** Adds flags to a command in their order. */
export function addFlags(command: Command, ...options: readonly Option[]): Command {
  for (const option of options) command.addOption(option)
  return command
}

/** The flags of every command that can print reports: formats, JSON, less output. */
export function outputFlags(
  kind: { readonly file: string; readonly formats: Readonly<Record<string, unknown>> },
  verboseHelp: string,
  defaults = 'console,json',
) {
  return [
    flag(
      '--report <formats>',
      `formats: ${Object.keys(kind.formats).join(', ')} (default: ${defaults})`,
    ).argParser(list),
    flag('--json', `print ${kind.file} on standard output`),
    flag('--quiet', 'print the outcome only'),
    flag('--verbose', verboseHelp),
    colorFlag(),
  ]
}

/** Flags that `--help` shows by the first word of their heading only. */
export function grouped<F extends Option>(heading: string, flags: readonly F[]): readonly F[] {
  for (const one of flags) one.helpGroup(heading)
  return flags
}

/** Folder of the results of a run. */
export function outFlag() {
  return flag('--out <dir>', 'results folder').default('chatgen-results')
}

export function uiFlag() {
  return flag('--ui', 'show the run on a page of this machine')
}

export function colorFlag() {
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

/**
 * Refuses flags with an empty value; an empty environment variable counts as unset.
 * @throws ConfigurationError that names each flag
 */
export function refuseEmpty(command: Command): void {
  const isEmpty = (value: unknown) => value === '' || (Array.isArray(value) && value.length === 0)
  const problems: string[] = []
  for (const option of command.options) {
    const name = option.attributeName()
    if (!isEmpty(command.getOptionValue(name))) continue
    const source = command.getOptionValueSource(name)
    if (source === 'env') command.setOptionValueWithSource(name, option.defaultValue, 'default')
    if (source === 'cli') problems.push(`${option.long} is empty: give it a value, or omit it`)
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
  if (Number.isInteger(value) && value >= 1) return value
  throw new InvalidArgumentError('must be a positive integer')
}

export function wholeNumber(text: string): number {
  const value = Number(text)
  if (text.trim() !== '' && Number.isInteger(value) && value >= 0) return value
  throw new InvalidArgumentError('must be 0 or a positive integer')
}

export function portNumber(text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 0 || value > 65_535) {
    throw new InvalidArgumentError('must be a port number from 0 to 65535')
  }
  return value
}

/** Parses a repeatable flag with comma-separated values. */
export function list(text: string, before: readonly string[] = []): readonly string[] {
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

/** Fills in a command; `finish` receives its exit code. */
export type AddCommand = (command: Command, io: Io, finish: (code: ExitCode) => void) => void

/** One use of a command. */
export interface CommandRun<Flags> {
  readonly flags: Flags
  readonly io: Io
  readonly command: Command
}

interface CommandOptions<
  List extends (...given: never[]) => readonly Option[],
  Args extends readonly unknown[],
> {
  /** Positional arguments with their help: `<dir>`, `[url]`, `<dir...>`. */
  readonly args?: Readonly<Record<string, string>>
  readonly flags: List
  /** Examples and exit codes, printed after the flags. */
  readonly help: string
  /** Adds options that are no common flags. */
  extend?(command: Command): unknown
  /** Resolves to the exit code; undefined is 0. */
  run(
    run: CommandRun<FlagsOf<List>>,
    ...args: Args
  ): Promise<ExitCode | undefined> | ExitCode | undefined
}

/** Defines a command; its name and description are in the table of main.ts. */
export function defineCommand<
  List extends () => readonly Option[],
  Args extends readonly unknown[],
>({ args = {}, flags, help, extend, run }: CommandOptions<List, Args>): AddCommand {
  return (command, io, finish) => {
    for (const [name, text] of Object.entries(args)) command.argument(name, text)
    addFlags(command, ...flags()).addHelpText('after', help)
    extend?.(command)
    command.action(async (...given) => {
      const values = given.slice(0, -2) as unknown as Args
      finish((await run({ flags: command.opts(), io, command }, ...values)) ?? exitCode.done)
    })
  }
}
