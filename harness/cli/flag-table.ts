import { Option } from 'commander'
import { duration, list, milliseconds, positiveInteger, wholeNumber } from './values.ts'

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
 * CHATGEN_MAX_REQUESTS; a negated flag is set to false: `--no-keep-alive` is CHATGEN_KEEP_ALIVE=false.
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
    if (flags === '' || words.length === 0 || (kind !== value && value && parse === undefined))
      throw new Error(`no line of a flag table: ${row}`)
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
