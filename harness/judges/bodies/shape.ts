import { type RequirementId, requirements } from '../../../contract/index.ts'
import { asArray, isObject } from '../../../contract/json.ts'
import type { FindingCollector } from '../finding-collector.ts'
import { show } from '../json.ts'

/** Part of a zod schema that the judge needs. */
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
  /** The requirements that the schema decides. */
  readonly requirements: readonly RequirementId[]
  /** The requirement that an issue breaks, by the path of the field; undefined if none. */
  readonly requirementFor: (path: readonly PropertyKey[]) => RequirementId | undefined
}

/** Checks a body against a schema: an issue breaks the requirement of its field, all independent others hold. */
export function judgeShape(
  collector: FindingCollector,
  body: unknown,
  { schema, requirements: ids, requirementFor }: Shape,
): void {
  const result = schema.safeParse(body)
  for (const issue of result.success ? [] : result.error.issues) {
    const requirement = requirementFor(issue.path)
    if (requirement !== undefined) collector.broken(requirement, sentence(body, issue))
  }
  for (const requirement of ids) {
    if (!standsOnBroken(collector, requirement))
      collector.held(requirement, requirements[requirement].title)
  }
}

function standsOnBroken(collector: FindingCollector, requirement: RequirementId): boolean {
  const needs = requirements[requirement].needs ?? []
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
