import { type Command, Option } from 'commander'
import { ConfigurationError } from '../conformance/errors.ts'
import { type ExitCode, exitCode } from './exit-codes.ts'
import type { Io } from './terminal/io.ts'
import { duration, list, milliseconds, positiveInteger, wholeNumber } from './values.ts'

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

/** Flags that `--help` lists only by the first word of their heading. */
export function grouped<F extends Option>(heading: string, flags: readonly F[]): readonly F[] {
  for (const one of flags) one.helpGroup(heading)
  return flags
}

export const outFlag = () => flagTable('--out <dir>=chatgen-results  results folder')
export const uiFlag = () => flagTable('--ui  show the run on a local web page')
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
  const switches = command.options.filter(({ required, optional }) => !required && !optional)
  const named = switches.flatMap((option) => {
    const { envVar: name = '' } = option
    const opposite = { option, name: name.replace('CHATGEN_', 'CHATGEN_NO_'), isOpposite: true }
    return [{ option, name, isOpposite: false }, ...(option.negate ? [opposite] : [])]
  })
  for (const { option, name, isOpposite } of named) {
    const source = command.getOptionValueSource(option.attributeName())
    const isGiven = isOpposite
      ? source !== 'cli' && environment[name] !== undefined
      : source === 'env'
    if (!isGiven) continue
    const text = environment[name] ?? ''
    const value = parseBoolean(text)
    if (value === undefined) {
      const state = text === '' ? 'is empty' : `is ${JSON.stringify(text)}`
      problems.push(`${name} ${state}: expected true or false (or 1, 0, yes, no), or unset`)
      continue
    }
    command.setOptionValueWithSource(option.attributeName(), value !== isOpposite, 'env')
  }
  if (problems.length > 0) throw new ConfigurationError(problems)
}

/** Flags, each of which replaces another one of its list that an environment variable sets. */
const alternatives = [
  ['rate', 'concurrency', 'ramp', 'steps', 'replay'],
  ['http1', 'http2'],
  ['image', 'compose'],
  ['script', 'replay'],
] as const

/** Unsets variables of flags for which the command line has an alternative. */
export function preferFlags(command: Command): void {
  const sourceOf = (name: string) => command.getOptionValueSource(name)
  for (const names of alternatives) {
    if (!names.some((name) => sourceOf(name) === 'cli')) continue
    for (const name of names)
      if (sourceOf(name) === 'env') command.setOptionValueWithSource(name, undefined, 'default')
  }
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

/** One invocation of a command. */
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
  /** Adds options that are not common flags. */
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
    // Every command accepts them, also one without colors or progress.
    for (const one of [...colorFlag(), ...flagTable('--quiet  print less')]) {
      const isThere = command.options.some(({ long }) => long === one.long)
      if (!isThere) command.addOption(one.hideHelp())
    }
    command.action(async (...given) => {
      const values = given.slice(0, -2) as unknown as Args
      finish((await run({ flags: command.opts(), io, command }, ...values)) ?? exitCode.done)
    })
  }
}

/** Parsers by the name of a value, without those that a table brings along; other values are texts. */
const common = { n: positiveInteger, whole: wholeNumber, time: duration, ms: milliseconds, list }

type Parser = (text: string, before: never) => unknown
/** Parsers of a table, or all values that a flag may have. */
type Kinds = Readonly<Record<string, Parser | readonly string[]>>

/** The values of the flags that a function lists, as commander parses them. */
export type FlagsOf<
  List extends (...given: never[]) => readonly (Option & { readonly shape?: AnyShape })[],
> = ValuesOf<NonNullable<ReturnType<List>[number]['shape']>>
type ValuesOf<S extends AnyShape> = {
  readonly [One in S as One['given'] extends true ? One['name'] : never]: One['value']
} & {
  readonly [One in S as One['given'] extends true ? never : One['name']]?: One['value']
}
type AnyShape = ShapeOf<string, unknown, boolean>

type Row<Line extends string, Own extends Kinds> = Line extends ` ${infer Rest}`
  ? Row<Rest, Own>
  : Line extends `--${infer Head}  ${string}`
    ? Head extends `${infer Name} <${infer Value}>${infer Tail}`
      ? ShapeOf<Camel<Name>, ValueOf<KindIn<Tail, Value>, Own>, IsGiven<Tail>>
      : Head extends `${infer Name} [${string}]${string}`
        ? ShapeOf<Camel<Name>, string | true, false>
        : Head extends `no-${infer Name}`
          ? ShapeOf<Camel<Name>, boolean, true>
          : ShapeOf<Camel<Before<Head, ' '>>, boolean, false>
    : never
type Camel<Words extends string> = Words extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Words
/** Attribute of a flag, type of its value, and whether it always has one. */
interface ShapeOf<Name extends string, Value, Given extends boolean> {
  readonly name: Name
  readonly value: Value
  readonly given: Given
}
type Rows<
  Text extends string,
  Own extends Kinds,
  Found = never,
> = Text extends `${infer Line}\n${infer Rest}`
  ? Rows<Rest, Own, Found | Row<Line, Own>>
  : Found | Row<Text, Own>
type IsGiven<Tail extends string> = Tail extends `${string}${'=' | '?'}${string}` ? true : false
type KindIn<Tail extends string, Value extends string> = Tail extends `:${infer Kind}`
  ? Before<Before<Before<Kind, ' '>, '='>, '?'>
  : Value
type Before<Text extends string, End extends string> = Text extends `${infer First}${End}${string}`
  ? First
  : Text
type ValueOf<Kind extends string, Own extends Kinds> = Kind extends keyof Own
  ? Own[Kind] extends readonly (infer Value)[]
    ? Value
    : Own[Kind] extends Parser
      ? ReturnType<Own[Kind]>
      : never
  : Kind extends keyof typeof common
    ? ReturnType<(typeof common)[Kind]>
    : string

/**
 * Flags, one a line, with two spaces before the description:
 *
 *     --budget <time>=20m     a default, which is parsed like any value
 *     --precision <share>=5%|about 5%  the same, with words for it
 *     --only <glob>:list?all  a parser other than that of the placeholder; no values by default, which means all
 *     --out <dir>=site @site  CHATGEN_SITE_OUT, as the flag has another meaning in another command
 *
 * Lines that do not begin with a flag continue the description. The environment variable of `--max-requests` is
 * CHATGEN_MAX_REQUESTS; `--no-keep-alive` is CHATGEN_NO_KEEP_ALIVE=true or CHATGEN_KEEP_ALIVE=false.
 * @param own parsers, or lists of all values, by the names of the table
 */
export function flagTable<
  const Text extends string,
  const Own extends Kinds = Readonly<Record<never, never>>,
>(text: Text, own?: Own): readonly (Option & { readonly shape?: Rows<Text, Own> })[] {
  const kinds: Readonly<Record<string, unknown>> = { ...common, ...own }
  const rows = text.trim().split(/\n\s*(?=--)/)
  return rows.map((row) => {
    const [head = '', ...words] = row.split(/ {2,}/)
    const [, flags = '', value, kind = value ?? '', sign, fallback = '', command] =
      /^(--[\w-]+(?: [<[](.+?)[>\]])?)(?::(\w+))?(?:([=?])(.*?))?(?: @(\w+))?$/.exec(head) ?? []
    const parse = kinds[kind]
    const option = new Option(flags, words.join(' ').replaceAll(/\s+/g, ' '))
    const name = option.attributeName().replaceAll(/[A-Z]/g, '_$&')
    option.env(['chatgen', ...(command ? [command] : []), name].join('_').toUpperCase())
    const [given = '', described = given] = fallback.split('|')
    if (Array.isArray(parse)) option.choices(parse)
    else if (typeof parse === 'function') {
      option.argParser((text, before) => parse(text, before))
    }
    if (sign === '=') {
      const standard: unknown = typeof parse === 'function' ? parse(given) : given
      option.default(standard, typeof standard === 'string' ? undefined : described)
    }
    if (sign === '?') option.default([], fallback)
    return option
  })
}
