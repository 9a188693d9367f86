/** Conditions and changes whose names state a field and its value. No fault is drawn with them. */
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { isUuid, parseJson, valueAt } from '../../../contract/json.ts'
import { assistants } from '../../answering/assistant-context.ts'
import type { Circumstance } from '../grammar/history.ts'
import { type Condition, holdsText } from '../grammar/members.ts'
import { isGiven, isText, type Json, toList, toObject } from '../patches/json.ts'

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

type Change = (old: unknown) => unknown

/** Changes by their names, after `is` or `is read as`; values of another type stay unchanged. */
const changes: Readonly<Record<string, Change>> = {
  lost: () => undefined,
  'lost if it is null': (old) => old ?? undefined,
  'lost if it is 0': (old) => old || undefined,
  random: () => randomUUID(),
  another: text((old) => `${old}0`),
  cut: text((old) => old.slice(0, 20)),
  decomposed: text((old) => old.normalize('NFD')),
  'with masked long numbers': text((old) => old.replace(/\b\d{13,19}\b/g, '****')),
  'with masked mail addresses': text((old) => old.replace(/[\w.]+@[\w.]+/g, '[mail]')),
  'with linked addresses': text((old) => old.replace(/https?:\/\/\S+/g, '<$&>')),
  'with one blank line for several': text((old) => old.replace(/\n{3,}/g, '\n\n')),
  'with LF for CR alone': text((old) => old.replace(/\r(?!\n)/g, '\n')),
  'with spaces that break': text((old) => old.replaceAll('\u00a0', ' ')),
  'without variation selectors': text((old) => old.replaceAll('\ufe0f', '')),
  'cut after 65535 characters': text((old) => old.slice(0, 65_535)),
  'without variables': text((old) => old.replace(/\$\{\w+\}/g, '')),
  'without code fences': text((old) => old.replaceAll('```', '')),
  'without flags': text((old) => old.replace(/[\u{1f1e6}-\u{1f1ff}]/gu, '')),
  'without leading zeros': text((old) => (/^\d+$/.test(old) ? old.replace(/^0+/, '') : old)),
  'empty for null': text((old) => (old === 'null' ? '' : old)),
  'without brackets': text((old) => old.replace(/[()]/g, '')),
  'with an extension': text((old) => (old.includes('.') ? old : `${old}.txt`)),
  'in upper case': text((old) => old.toUpperCase()),
  'with ? for what is not ASCII': text((old) => old.replaceAll(/[^\0-\x7f]/g, '?')),
  'with U+FFFD for what is not ASCII': text((old) => old.replaceAll(/[^\0-\x7f]/g, '\ufffd')),
  'without its zone': text((old) => old.replace('Z', '')),
  'an object': text((old) => parseJson(old)),
  'a number': text(Number),
  'a boolean': text((old) => (old === 'true' ? true : old)),
  'a text': (old) => (isGiven(old) ? String(old) : old),
  'a time': number((old) => new Date(old * 1000).toISOString()),
  'one too high': number((old) => old + 1),
  'three hours ahead': number((old) => old + 3 * 3_600),
  'a thousand times too high': number((old) => old * 1000),
  doubled: (old) => (Array.isArray(old) ? [...old, ...old] : text((one) => one + one)(old)),
  'its first line': text((old) => old.split('\n')[0]),
  'its first element alone': list((old) => old.slice(0, 1)),
  'with an item more': list((old) => [
    { id: 'rs_0', type: 'reasoning', status: 'completed' },
    ...old,
  ]),
  'without its first element': list((old) => old.slice(1)),
  'the text of its first part': list((old) => old[0]?.['text']),
  'its id': (old) => (typeof old === 'object' && old !== null ? toObject(old)['id'] : old),
}

/** The change with a name, or to a value in JSON; undefined if there is none. */
export function changeNamed(name: string): Change | undefined {
  const [, side, bound] = /^at (least|most) (\d+)$/.exec(name) ?? []
  if (bound !== undefined) {
    return number((old) => Math[side === 'least' ? 'max' : 'min'](old, Number(bound)))
  }
  const [, prefix] = /^prefixed with (\S+)$/.exec(name) ?? []
  if (prefix !== undefined) return text((old) => prefix + old)
  const [, to, from] = /^(".+") instead of (".+")$/.exec(name) ?? []
  if (to && from) return (old) => (old === parseJson(from) ? parseJson(to) : old)
  const value = parseJson(name)
  if (Object.hasOwn(changes, name)) return changes[name]
  return value === undefined ? undefined : () => value
}

function text(change: (old: string) => unknown): Change {
  return (old) => (typeof old === 'string' ? change(old) : old)
}

function number(change: (old: number) => unknown): Change {
  return (old) => (typeof old === 'number' ? change(old) : old)
}

function list(change: (old: readonly Json[]) => unknown): Change {
  return (old) => (Array.isArray(old) ? change(toList(old)) : old)
}
