/** Simplifies a JSON Schema: follows references, merges `allOf`, refuses unsupported keywords. */
import { isObject, valueAt } from '../../../contract/json.ts'
import { type JsonSchema, UnsupportedSchema } from '../types.ts'

const maxReferences = 32

/**
 * One level without `$ref` and `allOf`; deeper levels stay unchanged.
 *
 * @throws UnsupportedSchema for external or circular references, and for keywords that only a validator can
 * decide
 */
export function merged(schema: JsonSchema, root: JsonSchema, followed = 0): JsonSchema {
  if (followed > maxReferences)
    throw new UnsupportedSchema('the references of the schema are circular')
  const refused = undecidable.find((keyword) => keyword in schema)
  if (refused !== undefined) throw new UnsupportedSchema(`${refused} is not supported in a schema`)
  const { $ref, allOf, ...own } = schema
  const parts = [
    ...(typeof $ref === 'string' ? [target($ref, root)] : []),
    ...(Array.isArray(allOf) ? allOf.map(asSchema) : []),
  ]
  return parts
    .map((part) => merged(part, root, followed + parts.length))
    .reduce<JsonSchema>(both, own)
}

/** `true` allows any value, like `{}`. @throws UnsupportedSchema for `false` and values that are not a schema */
export function asSchema(value: unknown): JsonSchema {
  if (value === true) return {}
  if (isObject(value)) return value
  throw new UnsupportedSchema(`${JSON.stringify(value)} is a schema that no value can satisfy`)
}

const undecidable = [
  'not',
  'if',
  'contains',
  'dependentSchemas',
  'patternProperties',
  'propertyNames',
  '$dynamicRef',
]

function target(reference: string, root: JsonSchema): JsonSchema {
  if (!reference.startsWith('#')) {
    throw new UnsupportedSchema(`$ref ${JSON.stringify(reference)} points outside the schema`)
  }
  const found = valueAt(root, pointerOf(reference))
  if (found === undefined) {
    throw new UnsupportedSchema(`$ref ${JSON.stringify(reference)} does not resolve`)
  }
  return asSchema(found)
}

function pointerOf(reference: string): string {
  try {
    return decodeURIComponent(reference.slice(1))
  } catch {
    throw new UnsupportedSchema(`$ref ${JSON.stringify(reference)} is not a URI`)
  }
}

function both(a: JsonSchema, b: JsonSchema): JsonSchema {
  return {
    ...a,
    ...b,
    ...('properties' in a && 'properties' in b
      ? { properties: { ...asSchema(a['properties']), ...asSchema(b['properties']) } }
      : {}),
    ...(Array.isArray(a['required']) && Array.isArray(b['required'])
      ? { required: [...a['required'], ...b['required']] }
      : {}),
  }
}
