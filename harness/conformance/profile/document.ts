import { closest, distance } from 'fastest-levenshtein'
import {
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type ParsedNode,
  parseDocument,
  type Document as YamlDocument,
} from 'yaml'
import { z } from 'zod'
import { isObject } from '../../../contract/index.ts'
import { asConfigurationError, ConfigurationError } from '../errors.ts'

export type Path = readonly PropertyKey[]

/** Text of a YAML or JSON file. */
export interface Source {
  readonly name: string
  readonly text: string
}

/**
 * Reads a mapping from YAML or JSON; `what` names it in messages. An empty file is an empty mapping. `place`
 * gives the position of a field, as `file.yaml:12`.
 * @throws ConfigurationError that names file and line
 */
export function readDocument({ name, text }: Source, what: string, maxLength = maxDocumentLength) {
  const lines = new LineCounter()
  if (text.length > maxLength) {
    throw new ConfigurationError([
      `${name}: ${text.length} characters exceed the maximum of ${maxLength}`,
    ])
  }
  const parse = () =>
    parseDocument(text, { lineCounter: lines, logLevel: 'error', prettyErrors: false })
  const document = asConfigurationError(RangeError, parse, () => `${name}: ${tooDeep}`)
  if (document.errors.length > 0) {
    const problems = document.errors.map(({ message, pos: [start] }) => {
      // The parser reports a stack overflow like a syntax error.
      const what = /call stack/.test(message) ? tooDeep : message
      return `${name}:${lines.linePos(start).line}: ${what}`
    })
    throw new ConfigurationError([...new Set(problems)])
  }
  const value = contentOf(document, name) ?? {}
  if (!isObject(value)) {
    throw new ConfigurationError([`${name}: ${what} is a mapping of fields`])
  }
  return {
    value,
    place: (path: Path) => `${name}${lineOf(document.contents, path, lines)}`,
  }
}

/**
 * Checks a value against its schema.
 * @throws ConfigurationError that names file, line and field of every problem
 */
export function checkDocument<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  place: (path: Path) => string,
): z.output<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw new ConfigurationError(
    result.error.issues.flatMap((issue) =>
      describe(schema, issue).map(({ path, text }) => `${place(path)}: ${text}`),
    ),
  )
}

/** Maximum length in characters; a longer file was not written by hand, and takes minutes to parse. */
const maxDocumentLength = 256 * 1024
const tooDeep = 'it is nested too deeply'

/** An alias may name a missing anchor, or one that contains itself. */
function contentOf(document: Pick<YamlDocument, 'toJS'>, name: string): unknown {
  const reason = (error: Error) => {
    if (error instanceof ReferenceError) return error.message
    return error instanceof RangeError ? tooDeep : 'an anchor contains itself'
  }
  const read = () => {
    const value: unknown = document.toJS()
    JSON.stringify(value)
    return value
  }
  return asConfigurationError(Error, read, (error) => `${name}: ${reason(error)}`)
}

function describe(schema: z.ZodType, issue: z.core.$ZodIssue): { path: Path; text: string }[] {
  if (issue.code === 'unrecognized_keys') {
    const at = schemaAt(schema, issue.path)
    return issue.keys.map((key) => {
      const path = [...issue.path, key]
      return { path, text: `${path.join('.')}: ${unknownKey(at, key)}` }
    })
  }
  const isMissing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined')
  const { message } = (issue.code === 'invalid_key' ? issue.issues[0] : undefined) ?? issue
  const problem = isMissing ? 'it is missing' : message.charAt(0).toLowerCase() + message.slice(1)
  return [{ path: issue.path, text: `${issue.path.join('.')}: ${problem}` }]
}

function unknownKey(at: z.ZodType | undefined, key: string): string | undefined {
  if (at instanceof z.ZodRecord) return z.safeParse(at.keyType, key).error?.issues[0]?.message
  const keys = at instanceof z.ZodObject ? Object.keys(at.shape) : []
  return `there is no such field.${didYouMean(key, keys)}`
}

function schemaAt(schema: z.ZodType, path: Path): z.ZodType | undefined {
  let at: unknown = unwrap(schema)
  for (const key of path) {
    if (at instanceof z.ZodArray) at = unwrap(at.element)
    else if (at instanceof z.ZodRecord) at = unwrap(at.valueType)
    else at = at instanceof z.ZodObject ? unwrap(at.shape[String(key)]) : undefined
  }
  return at instanceof z.ZodType ? at : undefined
}

function unwrap(schema: unknown): unknown {
  const isWrapper =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  return isWrapper ? unwrap(schema.unwrap()) : schema
}

/** Line of the last field of the path that the file has. */
function lineOf(contents: ParsedNode | null, path: Path, lines: LineCounter): string {
  let node: unknown = contents
  let offset: number | undefined
  for (const key of path) {
    if (isSeq(node)) {
      node = node.items[Number(key)]
      offset = (isNode(node) ? node.range?.[0] : undefined) ?? offset
      continue
    }
    if (!isMap(node)) break
    const pair = node.items.find((item) => isScalar(item.key) && item.key.value === key)
    if (!pair || !isScalar(pair.key)) break
    offset = pair.key.range?.[0]
    node = pair.value
  }
  return offset === undefined ? '' : `:${lines.linePos(offset).line}`
}

/** ` Did you mean X?`, or nothing if no candidate is near. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  if (candidates.length === 0) return ''
  const names = candidates.map((candidate) => candidate.toLowerCase())
  const near = closest(word.toLowerCase(), names)
  const found = candidates.find((candidate) => candidate.toLowerCase() === near)
  const tolerance = word.length < 4 ? 1 : Math.max(2, Math.floor(word.length / 3))
  if (!found || distance(word.toLowerCase(), near) > tolerance) return ''
  return ` Did you mean ${found}?`
}
