import { type RequirementId, requirements } from '../../../contract/index.ts'
import { asArray, isObject } from '../../../contract/json.ts'
import type { FindingCollector } from '../finding-collector.ts'
import { show } from '../json.ts'

/** Part of a zod schema that judging needs. */
interface Schema {
  safeParse(
    value: unknown,
  ): { success: true } | { success: false; error: { issues: readonly Issue[] } }
}

interface Issue {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

export interface Shape {
  readonly schema: Schema
  /** The rows that the schema decides. */
  readonly rows: readonly RequirementId[]
  /** The row that an issue breaks, by the path of the member; undefined: none. */
  readonly rowOf: (path: readonly PropertyKey[]) => RequirementId | undefined
}

/**
 * Holds a body against a schema: each issue breaks the row of its member, every other row held,
 * unless it stands on one that broke.
 */
export function judgeShape(
  collector: FindingCollector,
  body: unknown,
  { schema, rows, rowOf }: Shape,
): void {
  const result = schema.safeParse(body)
  for (const issue of result.success ? [] : result.error.issues) {
    const row = rowOf(issue.path)
    if (row !== undefined) collector.broken(row, sentence(body, issue))
  }
  for (const row of rows) {
    if (!standsOnBroken(collector, row)) collector.held(row, requirements[row].title)
  }
}

function standsOnBroken(collector: FindingCollector, row: RequirementId): boolean {
  const needs = requirements[row].needs ?? []
  return needs.some((need) => collector.isBroken(need as RequirementId))
}

function sentence(body: unknown, { path, message }: Issue): string {
  const value = show(valueAt(body, path))
  const expectation = message
    .replace(/^Invalid \w+: /, '')
    .replace(/, received \w+$/, '')
    .replace(/\bexpected (\w+)\b/, (whole, type: string) => {
      const noun = nouns.get(type)
      return noun === undefined ? whole : `expected ${noun}`
    })
  return `${pathText(path)} is ${value}: ${expectation}.`
}

/** Types of a schema, as a sentence names them. */
const nouns: ReadonlyMap<string, string> = new Map([
  ['array', 'an array'],
  ['boolean', 'a boolean'],
  ['int', 'an integer'],
  ['number', 'a number'],
  ['object', 'an object'],
  ['record', 'an object'],
  ['string', 'a string'],
])

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => {
    if (typeof key === 'number') return asArray(value)[key]
    return isObject(value) && typeof key === 'string' ? value[key] : undefined
  }, body)
}

function pathText(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'The body'
  return path
    .map((key, at) => (typeof key === 'number' ? `[${key}]` : `${at > 0 ? '.' : ''}${String(key)}`))
    .join('')
}
