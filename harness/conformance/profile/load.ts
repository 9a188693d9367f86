import {
  isMap,
  isScalar,
  LineCounter,
  type ParsedNode,
  parseDocument,
  type Document as YamlDocument,
} from 'yaml'
import { z } from 'zod'
import { ConfigurationError } from '../errors.ts'
import { didYouMean } from '../suggest.ts'
import { type TargetProfile, targetProfile } from './schema.ts'

type Path = readonly PropertyKey[]

/**
 * Reads a profile from YAML or JSON. `overrides` win over the file (flag over profile).
 * @throws ConfigurationError that names file, line and field of every problem.
 */
export function loadProfile(
  source: { readonly name: string; readonly text: string },
  environment: Readonly<Record<string, string | undefined>>,
  overrides: Readonly<Record<string, unknown>> = {},
): TargetProfile {
  const lines = new LineCounter()
  const document = parseDocument(source.text, { lineCounter: lines, logLevel: 'error' })
  const place = (path: Path): string => `${source.name}${lineOf(document.contents, path, lines)}`

  if (document.errors.length > 0) {
    throw new ConfigurationError(
      document.errors.map((error) => {
        const line = error.linePos?.[0].line
        const what = error.message.split('\n')[0] ?? error.message
        return `${source.name}${line === undefined ? '' : `:${line}`}: ${what}`
      }),
    )
  }
  const value = contentOf(document, source.name) ?? {}
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ConfigurationError([`${source.name}: a profile is a mapping of fields`])
  }
  const problems: string[] = []
  const expanded = expand({ ...value, ...overrides }, [], (path, name) => {
    const found = environment[name]
    if (found === undefined || found === '') {
      problems.push(`${place(path)}: ${path.join('.')}: the variable ${name} is not set`)
    }
    return found ?? ''
  })
  if (problems.length > 0) throw new ConfigurationError(problems)
  return parseProfile(expanded, place)
}

/** An alias may name no anchor, or an anchor that contains itself. */
function contentOf(document: Pick<YamlDocument, 'toJS'>, name: string): unknown {
  try {
    const value: unknown = document.toJS()
    JSON.stringify(value)
    return value
  } catch (error) {
    const reason = error instanceof ReferenceError ? error.message : 'an anchor contains itself'
    throw new ConfigurationError([`${name}: ${reason}`])
  }
}

/** Checks a profile that is already a value. */
function parseProfile(value: unknown, place: (path: Path) => string): TargetProfile {
  const result = targetProfile.safeParse(value)
  if (result.success) return result.data
  throw new ConfigurationError(
    result.error.issues.flatMap((issue) =>
      describe(issue).map(({ path, text }) => `${place(path)}: ${text}`),
    ),
  )
}

function describe(issue: z.core.$ZodIssue): { path: Path; text: string }[] {
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(targetProfile, issue.path)
    return issue.keys.map((key) => ({
      path: [...issue.path, key],
      text: `${[...issue.path, key].join('.')}: there is no such field.${didYouMean(key, known)}`,
    }))
  }
  return [{ path: issue.path, text: `${issue.path.join('.')}: ${lowerFirst(issue.message)}` }]
}

/** Replaces `${NAME}` in every text. */
function expand(value: unknown, path: Path, lookUp: (path: Path, name: string) => string): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) =>
      lookUp(path, name),
    )
  }
  if (Array.isArray(value)) return value.map((entry, at) => expand(entry, [...path, at], lookUp))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, entry]) => [key, expand(entry, [...path, key], lookUp)]),
    )
  }
  return value
}

function keysAt(schema: z.ZodType, path: Path): string[] {
  let at: z.ZodType = schema
  for (const key of path) {
    at = unwrap(at)
    const inner = at instanceof z.ZodObject ? at.shape[String(key)] : undefined
    if (!(inner instanceof z.ZodType)) return []
    at = inner
  }
  at = unwrap(at)
  return at instanceof z.ZodObject ? Object.keys(at.shape) : []
}

function unwrap(schema: z.ZodType): z.ZodType {
  let at = schema
  while (at instanceof z.ZodOptional || at instanceof z.ZodDefault || at instanceof z.ZodPrefault) {
    const inner = at.unwrap()
    if (!(inner instanceof z.ZodType)) break
    at = inner
  }
  return at
}

function lineOf(contents: ParsedNode | null, path: Path, lines: LineCounter): string {
  let node: unknown = contents
  let offset: number | undefined
  for (const key of path) {
    if (!isMap(node)) break
    const pair = node.items.find((item) => isScalar(item.key) && item.key.value === key)
    if (!pair || !isScalar(pair.key)) break
    offset = pair.key.range?.[0]
    node = pair.value
  }
  return offset === undefined ? '' : `:${lines.linePos(offset).line}`
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
