/** Conditions whose names state a field of a request and its value. No fault is drawn with them. */
import { isDeepStrictEqual } from 'node:util'
import { isUuid, parseJson, valueAt } from '../../../contract/json.ts'
import { assistants } from '../../answering/assistant-context.ts'
import type { Circumstance } from '../grammar/history.ts'
import { type Condition, holdsText } from '../grammar/members.ts'
import { isGiven, isText } from '../patches/json.ts'

const kinds: Readonly<Record<string, (value: unknown) => boolean>> = {
  given: isGiven,
  'not given': (value) => !isGiven(value),
  'a text': isText,
  'a UUID': isUuid,
  'no UUID': (value) => isText(value) && !isUuid(value),
  'no number': (value) => isGiven(value) && typeof value !== 'number',
  'a fraction': (value) => typeof value === 'number' && value % 1 > 0,
  'below 0': (value) => typeof value === 'number' && value < 0,
  'above 2': (value) => typeof value === 'number' && value > 2,
  'with a base': (value) => assistants.some(({ id, baseId }) => id === value && baseId !== null),
  'without a base': (value) => assistants.some(({ id, baseId }) => id === value && baseId === null),
  'of four': (value) => Array.isArray(value) && value.length === 4,
}

/** The condition with a name such as `rag.search_type: "dense"`; undefined if there is none. */
export function statedCondition(name: string): Condition | undefined {
  const [, path = '', value = ''] = /^([\w.-]+): (.+)$/.exec(name) ?? []
  const test = testNamed(value)
  return test && { name, holds: (circumstance) => test(memberOf(circumstance, path)) }
}

function testNamed(value: string): ((given: unknown) => boolean) | undefined {
  const [, word] = /^with (\S+)$/.exec(value) ?? []
  if (word !== undefined) return (given) => holdsText(given, word)
  const json = parseJson(value)
  if (Object.hasOwn(kinds, value)) return kinds[value]
  return json === undefined ? undefined : (given) => isDeepStrictEqual(given, json)
}

/** A field of the body, or the header Idempotency-Key. */
function memberOf({ call, body }: Circumstance, path: string): unknown {
  return path === 'Idempotency-Key'
    ? call.headers['idempotency-key']
    : valueAt(body, `/${path.replaceAll('.', '/')}`)
}
