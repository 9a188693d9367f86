import { asObject, isObject } from '../../contract/json.ts'
import { show } from './json.ts'

/** Differences between the two forms of a response; both lists are empty if there are none. */
export interface FormComparison {
  /** V3-GEN-03: fields of both forms with different types. */
  readonly differentTypes: readonly string[]
  /** V3-GEN-04: fields of only one form. */
  readonly differentMembers: readonly string[]
}

/**
 * R22: compares the response object of the JSON form with that of the stream: the fields of the object and of
 * the objects in it, except those that depend on the answer itself. Items differ between generations, and
 * null stands for any field without a value this time.
 */
export function compareForms(jsonBody: unknown, finalResponse: unknown): FormComparison {
  const json = asObject(jsonBody)
  const stream = asObject(finalResponse)
  if (json === undefined || stream === undefined) {
    const why = `The JSON form is ${typeOf(jsonBody)}, the stream form ${typeOf(finalResponse)}.`
    return { differentTypes: [why], differentMembers: [] }
  }
  return compareMembers(json, stream, '')
}

/**
 * R23 (V3-HIST-06): items of a response that the history does not show unchanged. A sentence for each; empty
 * if every item is there. Rows of other runs and the order of rows do not matter.
 */
export function compareOutputWithHistory(
  output: readonly unknown[],
  rows: readonly unknown[],
): readonly string[] {
  const stored = rows.map((row) => asObject(row)?.['item']).filter(isObject)
  return output.flatMap((item, at) => {
    if (stored.some((candidate) => shows(candidate, item))) return []
    const same = stored.find(({ id }) => id !== undefined && id === asObject(item)?.['id'])
    if (same === undefined || !isObject(item))
      return [`No row contains output[${at}], ${show(item)}.`]
    const members = Object.keys(item).filter((key) => !shows(same[key], item[key]))
    return [`The row of output[${at}] differs from it in ${members.join(', ')}.`]
  })
}

/** Tests if a row shows all content of an item; it may have more, and lack empty content. */
function shows(row: unknown, item: unknown): boolean {
  if (item == null || (Array.isArray(item) && item.length === 0 && row == null)) return true
  if (Array.isArray(item)) {
    return (
      Array.isArray(row) &&
      row.length === item.length &&
      item.every((value, at) => shows(row[at], value))
    )
  }
  if (!isObject(item)) return row === item
  return isObject(row) && Object.keys(item).every((key) => shows(row[key], item[key]))
}

/** Names of objects whose fields are defined by the caller or the answer. */
const opaque = new Set(['output', 'metadata', 'tools', 'tool_choice', 'output_text'])

function compareMembers(
  json: Readonly<Record<string, unknown>>,
  stream: Readonly<Record<string, unknown>>,
  path: string,
): FormComparison {
  const differentTypes: string[] = []
  const differentMembers: string[] = []
  for (const key of new Set([...Object.keys(json), ...Object.keys(stream)])) {
    const name = path + key
    if (!Object.hasOwn(json, key)) differentMembers.push(`${name} is only in the stream form`)
    else if (!Object.hasOwn(stream, key)) differentMembers.push(`${name} is only in the JSON form`)
    else {
      const inside = compareValues(json[key], stream[key], name)
      differentTypes.push(...inside.differentTypes)
      differentMembers.push(...inside.differentMembers)
    }
  }
  return { differentTypes, differentMembers }
}

function compareValues(json: unknown, stream: unknown, name: string): FormComparison {
  const none = { differentTypes: [], differentMembers: [] }
  if (json === null || stream === null) return none
  if (typeOf(json) !== typeOf(stream)) {
    const why = `${name} is ${typeOf(json)} in the JSON form and ${typeOf(stream)} in the stream form`
    return { ...none, differentTypes: [why] }
  }
  if (!isObject(json) || !isObject(stream) || opaque.has(name)) return none
  return compareMembers(json, stream, `${name}.`)
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (value === undefined) return 'nothing'
  return Array.isArray(value) ? 'array' : typeof value
}
