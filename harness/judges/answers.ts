import {
  bodyJson,
  type Exchange,
  mediaType,
  type OperationId,
  operationOf,
  succeeded,
} from '../../contract/index.ts'
import { asArray, asObject, asString, type JsonObject, parseJson } from '../../contract/json.ts'
import { finalText } from './final-response.ts'
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
  if (isStreamed(exchange)) return streamedText(exchange)
  return textOfBody[operation]?.(asObject(bodyJson(exchange)) ?? {})
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
  const textOf = operationOf(exchange) === 'openai.chat' ? textOfChunk : textOfEvent
  return blocksOf(exchange).flatMap((block) => {
    const text = textOf(block)
    return text === undefined ? [] : [{ atMs: block.atMs, text }]
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

/** A replay may have its text in the final response alone. */
function streamedText(exchange: Exchange): string | undefined {
  const deltas = deltasOf(exchange)
  if (deltas.length > 0) return deltas.map(({ text }) => text).join('')
  const final = finalResponse(exchange)
  return final === undefined ? undefined : finalText(final)
}

function isStreamed(exchange: Exchange): boolean {
  return mediaType(exchange) === 'text/event-stream' || asObject(bodyJson(exchange)) === undefined
}

interface ReadBlock {
  readonly atMs: number
  readonly name: unknown
  readonly json: JsonObject
}

function blocksOf(exchange: Exchange): ReadBlock[] {
  const scanner = new SseScanner()
  const blocks = (exchange.response?.chunks ?? []).flatMap(({ bytes, atMs }) =>
    scanner.feed(bytes, atMs),
  )
  return blocks.flatMap(({ atMs, name, data }) => {
    const json = data === null ? undefined : asObject(parseJson(data))
    return json === undefined ? [] : [{ atMs, name: meaningOf(name, json['type']), json }]
  })
}

function textOfChunk({ json }: ReadBlock): string | undefined {
  const choice = asObject(asArray(json['choices'])[0])
  if (choice === undefined || (choice['index'] ?? 0) !== 0) return undefined
  return asString(asObject(choice['delta'])?.['content'])
}

function textOfEvent({ name, json }: ReadBlock): string | undefined {
  return name === 'response.output_text.delta' ? asString(json['delta']) : undefined
}
