import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type JsonSchema, UnsupportedSchema } from '../types.ts'
import { conformingValue, hintsIn } from './conforming.ts'

const ajv = new Ajv2020({ strict: false, validateFormats: false })
const someHints = { strings: ['Ann', 'Brno'], numbers: [3, 2.5] }

const requiring = (name: string) => ({ properties: { [name]: true }, required: [name] })
const leaf = fc.oneof(
  fc.constantFrom<JsonSchema>(
    { type: 'string' },
    { type: 'string', description: 'A name' },
    { type: 'number' },
    { type: 'integer', minimum: 3, maximum: 9 },
    { type: 'integer', multipleOf: 5, minimum: 1, maximum: 100 },
    { type: 'boolean' },
    { type: 'null' },
    { type: ['string', 'null'] },
    { enum: ['a', 1, null, { b: [] }] },
    { const: { deep: true } },
    { type: 'string', minLength: 5, maxLength: 7 },
    { type: 'string', pattern: '^[a-z]{3}-\\d+$' },
    { minimum: 5 },
    { prefixItems: [{ const: 1 }], items: { type: 'integer' }, minItems: 2, uniqueItems: true },
    { type: 'object', minProperties: 2, additionalProperties: { type: 'boolean' } },
    { ...requiring('a'), allOf: [requiring('b')] },
    {},
  ),
)
const { schema } = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc
      .record({
        properties: fc.dictionary(fc.stringMatching(/^[a-z$_]{1,8}$/), tie('schema'), {
          maxKeys: 4,
        }),
        extra: fc.boolean(),
        some: fc.boolean(),
      })
      .map(({ properties, extra, some }) => ({
        type: 'object',
        properties,
        required: Object.keys(properties).slice(0, some ? 2 : undefined),
        additionalProperties: extra,
      })),
    fc
      .record({ items: tie('schema'), minItems: fc.nat(3) })
      .map((array) => ({ type: 'array', ...array })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
  ),
}))

describe('conformingValue', () => {
  it('is valid by an independent validator, and deterministic', () => {
    fc.assert(
      fc.property(schema, fc.nat(), (one, seed) => {
        const value = conformingValue(one, seed, someHints)
        expect(ajv.validate(one, value), JSON.stringify({ one, value })).toBe(true)
        expect(conformingValue(one, seed, someHints)).toEqual(value)
      }),
    )
  })

  it('terminates for a recursive schema', () => {
    const tree = {
      $defs: {
        node: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
            children: { type: 'array', items: { $ref: '#/$defs/node' } },
          },
          required: ['name', 'children'],
          additionalProperties: false,
        },
      },
      $ref: '#/$defs/node',
    }
    expect(ajv.validate(tree, conformingValue(tree, 1, someHints))).toBe(true)
  })

  it('uses names and numbers of the conversation if the schema allows them', () => {
    const person = {
      properties: {
        name: { type: 'string' },
        age: { type: 'integer' },
        unit: { type: 'string', enum: ['years'] },
      },
    }
    const hints = hintsIn('Please extract: Zoë Novák is 41.5, no, 42.')
    expect(conformingValue(person, 1, hints)).toEqual({ name: 'Zoë', age: 42, unit: 'years' })
    const list = { items: { type: 'integer' }, minItems: 4, uniqueItems: true }
    const values = conformingValue(list, 1, { strings: [], numbers: [7] })
    expect([...new Set(values as number[])]).toHaveLength(4)
  })
})

it.each<[string, JsonSchema]>([
  ['asks for a billion elements', { type: 'array', minItems: 1e9 }],
  ['multiplies', { type: 'array', minItems: 900, items: { type: 'array', minItems: 900 } }],
  ['requires itself', { type: 'object', required: ['a'], properties: { a: { $ref: '#' } } }],
  ['refers to itself', { $ref: '#' }],
  ['is composed of itself', { allOf: [{ $ref: '#' }, { $ref: '#' }] }],
  ['refers to another document', { $ref: 'https://example.org/schema' }],
  ['refers to nothing', { $ref: '#/$defs/none' }],
  ['refers to no URI', { $ref: '#%' }],
  ['has an unknown type', { type: 'text' }],
  ['asks for a third boolean', { items: { type: 'boolean' }, minItems: 3, uniqueItems: true }],
  [
    'branches endlessly',
    { oneOf: Array.from({ length: 1000 }, () => ({ allOf: [{ $ref: '#' }] })) },
  ],
  ['has a huge pattern', { type: 'string', pattern: '(a{999}){999}' }],
  ['allows nothing', { enum: [] }],
  ['needs a validator', { not: {} }],
  ['has properties that are not schemas', { properties: { a: 5 } }],
])('rejects a schema that %s', (_, hostile) => {
  expect(() => conformingValue(hostile, 1, someHints)).toThrow(UnsupportedSchema)
})
