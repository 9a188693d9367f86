/** JSON values that conform to a schema: arguments of tool calls and structured answers. */
import { generateSync } from 'json-schema-faker'
import { asArray } from '../../../contract/json.ts'
import { messageOf } from '../../../contract/text.ts'
import { type Draw, pick, seededDraw } from '../../runtime/random.ts'
import { type JsonSchema, UnsupportedSchema } from '../types.ts'
import { asSchema, merged } from './merge.ts'

/** Values of a conversation for schemas that allow any string or any number. */
export interface Hints {
  readonly strings: readonly string[]
  readonly numbers: readonly number[]
}

/** Limits, so that every schema of a caller is processed quickly. */
const maxValues = 2_000
const maxDepth = 24
const maxSize = 1_000
/** Optional fields below this depth are omitted, so that a recursive schema terminates. */
const optionalDepth = 3

/**
 * A value that conforms to the schema (JSON Schema 2020-12), the same for the same arguments.
 * Unconstrained strings and numbers take the hints in the order of the schema; the last one repeats.
 *
 * @throws UnsupportedSchema if no value is found within 2,000 parts and 24 levels
 */
export function conformingValue(schema: JsonSchema, seed: number, hints: Hints): unknown {
  const draw = seededDraw(seed, 'schema', JSON.stringify(schema))
  return new Generator(schema, draw, hints).any(schema, 0)
}

/** Numbers of a text, and its quoted words and names; if there are none, its last word. */
export function hintsIn(text: string): Hints {
  const quoted = [...text.matchAll(/["“'‘]([^"”'’]{1,200})["”'’]/g)].map(([, words]) => words ?? '')
  const names = [...text.matchAll(/(?<=\s)\p{Lu}[\p{L}\p{N}-]{1,60}/gu)].map(([word]) => word)
  const words = text.match(/\p{L}{4,60}/gu) ?? []
  const numbers = [...text.matchAll(/-?\d{1,12}(?:\.\d{1,6})?/g)].map(Number)
  const strings = [...quoted, ...names]
  return { strings: strings.length > 0 ? strings : words.slice(-1), numbers }
}

class Generator {
  readonly #root: JsonSchema
  readonly #draw: Draw
  readonly #hints: Hints
  #values = 0
  #strings = 0
  #numbers = 0
  /** True in a list of unique items, which the last hint must not fill. */
  #takesOnce = false

  constructor(root: JsonSchema, draw: Draw, hints: Hints) {
    this.#root = root
    this.#draw = draw
    this.#hints = hints
  }

  any(given: unknown, depth: number): unknown {
    this.#values += 1
    if (this.#values > maxValues)
      throw new UnsupportedSchema('the schema requires a value that is too large')
    if (depth > maxDepth)
      throw new UnsupportedSchema(`the schema is nested deeper than ${maxDepth}`)
    const schema = merged(asSchema(given), this.#root)
    if ('const' in schema) return schema['const']
    const values = schema['enum']
    if (Array.isArray(values)) {
      if (values.length === 0) throw new UnsupportedSchema('the schema has an empty enum')
      return pick(this.#draw, values)
    }
    const branches = schema['anyOf'] ?? schema['oneOf']
    if (Array.isArray(branches)) return this.#branch(schema, branches, depth)
    return this.#typed(schema, typeOf(schema), depth)
  }

  /** A value for the first branch that allows one; null only if nothing else is possible. */
  #branch(schema: JsonSchema, branches: readonly unknown[], depth: number): unknown {
    const { anyOf: _any, oneOf: _one, ...base } = schema
    const isNull = (branch: unknown) => typeOf(asSchema(branch)) === 'null'
    const ordered = [...branches.filter((b) => !isNull(b)), ...branches.filter(isNull)]
    let reason = new UnsupportedSchema('the schema has no branch to choose')
    for (const branch of ordered) {
      try {
        return this.any({ allOf: [base, branch] }, depth + 1)
      } catch (error) {
        if (!(error instanceof UnsupportedSchema)) throw error
        reason = error
      }
    }
    throw reason
  }

  #typed(schema: JsonSchema, type: unknown, depth: number): unknown {
    switch (type) {
      case 'object':
        return this.#object(schema, depth)
      case 'array':
        return this.#array(schema, depth)
      case 'boolean':
        return this.#draw() < 0.5
      case 'null':
        return null
      case 'integer':
      case 'number':
        return this.#number(schema, type) ?? this.#leaf(schema, type)
      case 'string':
        return this.#string(schema) ?? this.#leaf(schema, type)
      default:
        throw new UnsupportedSchema(`the type ${JSON.stringify(type)} is unknown`)
    }
  }

  #object(schema: JsonSchema, depth: number): object {
    const properties = asSchema(schema['properties'] ?? {})
    const required = new Set(asArray(schema['required']).map(String))
    const names = new Set([...Object.keys(properties), ...required])
    const value = new Map<string, unknown>()
    for (const name of names) {
      if (!required.has(name) && depth >= optionalDepth) continue
      value.set(name, this.any(Object.hasOwn(properties, name) ? properties[name] : {}, depth + 1))
    }
    const minCount = size(schema, 'minProperties') ?? 0
    for (let extra = 1; value.size < minCount; extra += 1) {
      value.set(`extra_${extra}`, this.any(schema['additionalProperties'] ?? {}, depth + 1))
    }
    return Object.fromEntries(value)
  }

  #array(schema: JsonSchema, depth: number): unknown[] {
    const first = asArray(schema['prefixItems'])
    const minItems = size(schema, 'minItems')
    const usualCount = minItems ?? Math.min(2, size(schema, 'maxItems') ?? 2)
    const count = depth >= optionalDepth ? (minItems ?? 0) : usualCount
    const value: unknown[] = first.map((item) => this.any(item, depth + 1))
    const tookOnce = this.#takesOnce
    this.#takesOnce ||= schema['uniqueItems'] === true
    for (let tries = 0; value.length < count && tries < 20 * count; tries += 1) {
      const item = this.any(schema['items'] ?? {}, depth + 1)
      const text = JSON.stringify(item)
      const isNew = () => !value.some((other) => JSON.stringify(other) === text)
      if (schema['uniqueItems'] !== true || isNew()) value.push(item)
    }
    this.#takesOnce = tookOnce
    if (value.length >= (minItems ?? 0)) return value
    throw new UnsupportedSchema('the schema has too few unique items')
  }

  #string(schema: JsonSchema): string | undefined {
    if ('pattern' in schema || 'format' in schema) return undefined
    const { strings } = this.#hints
    const hint = strings[this.#place(this.#strings++, strings)]
    const length = [...(hint ?? '')].length
    const fits = length >= bound(schema, 'minLength', 0) && length <= bound(schema, 'maxLength')
    return fits ? hint : undefined
  }

  #number(schema: JsonSchema, type: 'integer' | 'number'): number | undefined {
    if ('multipleOf' in schema) return undefined
    const fitting = this.#hints.numbers.filter(
      (number) =>
        (type === 'number' || Number.isInteger(number)) &&
        number >= bound(schema, 'minimum', -Infinity) &&
        number > bound(schema, 'exclusiveMinimum', -Infinity) &&
        number <= bound(schema, 'maximum') &&
        number < bound(schema, 'exclusiveMaximum'),
    )
    return fitting[this.#place(this.#numbers++, fitting)]
  }

  #place(given: number, { length }: readonly unknown[]): number {
    return this.#takesOnce ? given : Math.min(given, length - 1)
  }

  /** The library handles formats, patterns, ranges and steps; all references are resolved before. */
  #leaf(schema: JsonSchema, type: 'string' | 'integer' | 'number'): unknown {
    for (const key of ['minLength', 'maxLength']) size(schema, key)
    const { pattern } = schema
    if (typeof pattern === 'string' && isLargePattern(pattern)) {
      const beginning = JSON.stringify(pattern.slice(0, 40))
      throw new UnsupportedSchema(`the pattern ${beginning} is too large`)
    }
    const kept = Object.fromEntries(Object.entries(schema).filter(([key]) => leafKeywords.has(key)))
    try {
      return generateSync({ ...kept, type }, { seed: Math.floor(this.#draw() * 2 ** 31) })
    } catch (error) {
      throw new UnsupportedSchema(messageOf(error), { cause: error })
    }
  }
}

const leafKeywords = new Set([
  ...['pattern', 'format', 'minLength', 'maxLength', 'multipleOf'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
])

function bound(schema: JsonSchema, key: string, otherwise = Infinity): number {
  const value = schema[key]
  return typeof value === 'number' ? value : otherwise
}

/** The first type that is not null; without a type, the one that the keywords imply. */
function typeOf(schema: JsonSchema): unknown {
  const { type } = schema
  if (Array.isArray(type)) return type.find((one) => one !== 'null') ?? 'null'
  if (type !== undefined) return type
  if ('properties' in schema || 'required' in schema) return 'object'
  if ('items' in schema || 'prefixItems' in schema) return 'array'
  if ('minimum' in schema || 'maximum' in schema || 'multipleOf' in schema) return 'number'
  return 'string'
}

function size(schema: JsonSchema, key: string): number | undefined {
  const value = schema[key]
  if (typeof value !== 'number') return undefined
  if (key.startsWith('min') && value > maxSize) {
    throw new UnsupportedSchema(`${key} is ${value}; at most ${maxSize} is supported`)
  }
  return value
}

function isLargePattern(pattern: string): boolean {
  const repeats = [...pattern.matchAll(/\{(\d+)/g)].map(([, count]) => Number(count))
  return pattern.length > maxSize || repeats.reduce((product, n) => product * n, 1) > maxSize
}
