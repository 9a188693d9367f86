import { type Exchange, type RequirementId, requirements } from '../../../contract/index.ts'
import { asArray, isObject, type JsonObject } from '../../../contract/json.ts'
import type { FindingCollector } from '../finding-collector.ts'
import { show } from '../json.ts'

/** Judge of the members of a JSON body, with the body of its request. */
export type BodyJudge = (
  collector: FindingCollector,
  body: JsonObject,
  request: JsonObject,
  exchange: Exchange,
) => void

/** Part of a zod schema that the judge needs. */
interface Schema {
  safeParse(value: unknown): { error?: { issues: readonly Issue[] } | undefined }
}

interface Issue {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/**
 * Checks a body against a schema: an issue breaks the requirement of its field, all independent others hold.
 * @param decides the only requirement, or those of the fields
 * @param fieldOf the field that an issue is about, by its path
 */
export function judgeShape(
  collector: FindingCollector,
  body: unknown,
  schema: Schema,
  decides: RequirementId | Readonly<Record<string, RequirementId>>,
  fieldOf: (path: readonly PropertyKey[]) => PropertyKey | undefined = ([field]) => field,
): void {
  const isOne = typeof decides === 'string'
  for (const { path, why } of faultsOf(body, schema)) {
    const requirement = isOne ? decides : decides[String(fieldOf(path))]
    if (requirement !== undefined) collector.broken(requirement, why)
  }
  for (const requirement of isOne ? [decides] : Object.values(decides)) {
    const { needs = [], title } = requirements[requirement]
    const isBlocked = needs.some((need) => collector.isBroken(need as RequirementId))
    if (!isBlocked) collector.held(requirement, title)
  }
}

/** Faults of a body by a schema: the path of a field, and a sentence. */
export function faultsOf(body: unknown, schema: Schema) {
  const { error } = schema.safeParse(body)
  return (error?.issues ?? []).map((issue) => ({ path: issue.path, why: sentence(body, issue) }))
}

function sentence(body: unknown, { path, message }: Issue): string {
  const value = show(valueAt(body, path))
  const expectation = message
    .replace(/^Invalid \w+: /, '')
    .replace(/, received \w+$/, '')
    .replace(/\bexpected (\w+)\b/, (whole, type: string) =>
      whole.replace(type, nouns.get(type) ?? type),
    )
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
