import type { Command, Option } from 'commander'
import { ConfigurationError } from '../conformance/errors.ts'
import { type ExitCode, exitCode } from './exit-codes.ts'
import { type FlagsOf, flagTable } from './flag-table.ts'
import type { Io } from './terminal/io.ts'

/** Adds flags to a command in their order. A variable without a value counts as unset, if the flag takes one. */
export function addFlags(command: Command, ...options: readonly Option[]): Command {
  for (const option of options) {
    const { envVar = '', required, optional } = option
    // commander would parse it.
    if ((required || optional) && process.env[envVar] === '') delete process.env[envVar]
    command.addOption(option)
  }
  return command
}

/** The flags of every command that can print reports: formats, JSON, less output. */
export function outputFlags(
  kind: { readonly file: string; readonly formats: Readonly<Record<string, unknown>> },
  verboseHelp: string,
  defaults = 'console,json',
) {
  return [
    ...flagTable(`
      --report <formats>:list  formats: ${Object.keys(kind.formats).join(', ')} (default: ${defaults})
      --json  print ${kind.file} on standard output
      --quiet  print the outcome only
      --verbose  ${verboseHelp}`),
    ...colorFlag(),
  ]
}

/** Flags that `--help` shows by the first word of their heading only. */
export function grouped<F extends Option>(heading: string, flags: readonly F[]): readonly F[] {
  for (const one of flags) one.helpGroup(heading)
  return flags
}

/** Folder of the results of a run. */
export const outFlag = () => flagTable('--out <dir>=chatgen-results  results folder')
export const uiFlag = () => flagTable('--ui  show the run on a page of this machine')
export const colorFlag = () => flagTable('--no-color  disable colors')

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
