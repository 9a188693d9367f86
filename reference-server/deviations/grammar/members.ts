/** Conditions derived from the schema of a field: presence, types and sizes. */
import { isGiven, toList } from '../patches/json.ts'
import type { Circumstance } from './history.ts'
import { alternatives, constantsOf, type Schema } from './schemas.ts'

export interface Condition {
  /** Dimension and value: `stream: true`. */
  readonly name: string
  holds(circumstance: Circumstance): boolean
}

type Test = (circumstance: Circumstance) => boolean

export const dimension = (name: string, values: Readonly<Record<string, Test>>): Condition[] =>
  Object.entries(values).map(([value, holds]) => ({ name: `${name}: ${value}`, holds }))

/** Values that the document lists; a server may refuse others. */
const listed = /^(system|user|assistant|developer|input_text|input_image)$/

export function membersIn(
  where: 'body' | 'query',
  members: Readonly<Record<string, Schema>>,
): readonly Condition[] {
  return Object.entries(members).flatMap(([name, schema]) =>
    Object.entries(valuesOf(schema)).map(([value, test]) => ({
      name: `${name}: ${value}`,
      holds: (circumstance: Circumstance) => test(circumstance[where][name]),
    })),
  )
}

type Values = Readonly<Record<string, (value: unknown) => boolean>>

/** Kinds of values of a field, by its schema. */
function valuesOf(schema: Schema): Values {
  const types = alternatives(schema)
  const several = new Set(types.map(({ type }) => type)).size > 1
  const own = types.map((type): Values => {
    if (type.format === 'uuid') return {}
    if (type.const !== undefined || type.enum !== undefined) {
      const words = [type.const, ...(type.enum ?? [])].filter((word) => word !== undefined)
      return Object.fromEntries(words.map((word) => [String(word), (value) => value === word]))
    }
    return ofType(type, several)
  })
  return Object.assign({ given: isGiven, 'not given': (value: unknown) => !isGiven(value) }, ...own)
}

function ofType(schema: Schema, several: boolean): Values {
  switch (schema.type) {
    case 'boolean':
      return {
        true: (value) => value === true,
        false: (value) => value === false,
        'not true': (value) => value !== true,
      }
    case 'array':
      return {
        ...(several ? { 'a list': Array.isArray } : {}),
        ...((schema.minItems ?? 0) > 0
          ? {}
          : { 'an empty list': (value) => lengthOf(value) === 0 }),
        'one element': (value) => lengthOf(value) === 1,
        'several elements': (value) => lengthOf(value) > 1,
        ...Object.fromEntries(
          constantsOf(schema.items ?? {})
            .filter((word) => listed.test(word))
            .map((word) => [`with ${word}`, (value: unknown) => holdsText(value, word)]),
        ),
      }
    case 'integer':
      return {
        'of 1': (value) => Number(value) === 1,
        'up to 10': (value) => isGiven(value) && Number(value) <= 10,
        'above 10': (value) => Number(value) > 10,
        'above 20': (value) => Number(value) > 20,
        'above 50': (value) => Number(value) > 50,
      }
    case 'number':
      return {
        'at its minimum': (value) => value === schema.minimum,
        'at its maximum': (value) => value === schema.maximum,
      }
    default:
      if (!several) return {}
      return schema.type === 'object'
        ? { 'an object': (value) => isGiven(value) && typeof value === 'object' }
        : { 'a text': (value) => typeof value === 'string' }
  }
}

/** Length of a list; -1 for anything else. */
export function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : -1
}

/** Tests if a text is a value at any depth of a list. */
export function holdsText(value: unknown, text: string): boolean {
  return toList(value).length > 0 && JSON.stringify(value).includes(`:${JSON.stringify(text)}`)
}
