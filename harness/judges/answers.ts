import {
  bodyJson,
  type Exchange,
  mediaType,
  type OperationId,
  operationOf,
  succeeded,
} from '../../contract/index.ts'
import {
  asArray,
  asObject,
  asString,
  isObject,
  type JsonObject,
  parseJson,
} from '../../contract/json.ts'
import { finalText } from './final-response.ts'
import { show } from './json.ts'
import { SseScanner } from './sse/scanner.ts'
import { meaningOf } from './v3-stream/framing.ts'

/** A fragment of the answer's text, and when it arrived. */
export interface Delta {
  readonly atMs: number
  readonly text: string
}

/** The text of the answer in an exchange, on any surface; undefined without an answer. */
export function answerText(exchange: Exchange): string | undefined {
  const operation = operationOf(exchange)
  if (operation === undefined || !succeeded(exchange)) return undefined
  if (!isStreamed(exchange)) return textOfBody[operation]?.(asObject(bodyJson(exchange)) ?? {})
  const deltas = deltasOf(exchange)
  if (deltas.length > 0) return deltas.map(({ text }) => text).join('')
  // A replay may have its text in the final response alone.
  const final = finalResponse(exchange)
  return final && finalText(final)
}

/** The final response of a v3 reply: of its terminal event, or the JSON body. */
export function finalResponse(exchange: Exchange): JsonObject | undefined {
  if (!succeeded(exchange)) return undefined
  if (!isStreamed(exchange)) return asObject(bodyJson(exchange))
  const last = blocksOf(exchange).findLast(({ name }) => terminal.has(name))
  return asObject(last?.json['response'])
}

/** The text fragments of a streamed answer, empty ones too, in the order of arrival. */
export function deltasOf(exchange: Exchange): readonly Delta[] {
  const isCompletion = operationOf(exchange) === 'openai.chat'
  const blocks = blocksOf(exchange)
  // The answer is choice 0; a server that counts from 1 has none.
  const indexes = blocks.flatMap(({ json }) => asArray(json['choices']).map(indexOf))
  const main = indexes.includes(0) ? 0 : indexes[0]
  return blocks.flatMap(({ atMs, name, json }) => {
    const isDelta = name === 'response.output_text.delta'
    const text = isCompletion
      ? textOfChunk(json, main)
      : isDelta
        ? asString(json['delta'])
        : undefined
    return text === undefined ? [] : [{ atMs, text }]
  })
}

const terminal: ReadonlySet<unknown> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
])

const textOfBody: Partial<Record<OperationId, (body: JsonObject) => string | undefined>> = {
  'openai.chat': (body) =>
    asString(asObject(asObject(asArray(body['choices'])[0])?.['message'])?.['content']),
  'v2.generate': (body) => asString(asObject(body['message'])?.['content']),
  'v3.generate': responseText,
  'v3.oneShot': responseText,
}

function responseText(body: JsonObject): string | undefined {
  return Array.isArray(body['output']) ? finalText(body) : undefined
}

function isStreamed(exchange: Exchange): boolean {
  return mediaType(exchange) === 'text/event-stream' || asObject(bodyJson(exchange)) === undefined
}

function blocksOf(exchange: Exchange) {
  const scanner = new SseScanner()
  const blocks = (exchange.response?.chunks ?? []).flatMap(({ bytes, atMs }) =>
    scanner.feed(bytes, atMs),
  )
  return blocks.flatMap(({ atMs, name, data }) => {
    const json = data === null ? undefined : asObject(parseJson(data))
    return json === undefined ? [] : [{ atMs, name: meaningOf(name, json['type']), json }]
  })
}

function textOfChunk(json: JsonObject, main: unknown): string | undefined {
  const choice = asArray(json['choices']).find((one, at) => indexOf(one, at) === main)
  return asString(asObject(asObject(choice)?.['delta'])?.['content'])
}

function indexOf(choice: unknown, at: number): unknown {
  return asObject(choice)?.['index'] ?? at
}

/**
 * R22: compares the response object of the JSON form with that of the stream: the fields of the object and of
 * the objects in it, except those that depend on the answer itself. Items differ between generations, and
 * null stands for any field without a value this time.
 */
export function compareForms(jsonBody: unknown, finalResponse: unknown) {
  /** V3-GEN-03: fields of both forms with different types. */
  const differentTypes: string[] = []
  /** V3-GEN-04: fields of only one form. */
  const differentMembers: string[] = []
  const compare = (json: unknown, stream: unknown, path: string): void => {
    if (json === null || stream === null) return
    if (typeOf(json) !== typeOf(stream)) {
      const types = `${typeOf(json)} in the JSON form and ${typeOf(stream)} in the stream form`
      differentTypes.push(`${path} is ${types}`)
      return
    }
    if (!isObject(json) || !isObject(stream) || opaque.has(path)) return
    for (const key of new Set([...Object.keys(json), ...Object.keys(stream)])) {
      const name = path === '' ? key : `${path}.${key}`
      if (!Object.hasOwn(json, key)) differentMembers.push(`${name} is only in the stream form`)
      else if (!Object.hasOwn(stream, key)) {
        differentMembers.push(`${name} is only in the JSON form`)
      } else compare(json[key], stream[key], name)
    }
  }
  if (isObject(jsonBody) && isObject(finalResponse)) compare(jsonBody, finalResponse, '')
  else {
    const [json, stream] = [typeOf(jsonBody), typeOf(finalResponse)]
    differentTypes.push(`The JSON form is ${json}, the stream form ${stream}.`)
  }
  return { differentTypes, differentMembers }
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

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (value === undefined) return 'nothing'
  return Array.isArray(value) ? 'array' : typeof value
}
