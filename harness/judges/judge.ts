import { isUtf8 } from 'node:buffer'
import {
  bodyBytes,
  bodyJson,
  bodyText,
  type Exchange,
  header,
  isDeclined,
  type Judgement,
  mediaType,
  type OperationId,
  operationOf,
  type RequirementId,
  requestJson,
  succeeded,
} from '../../contract/index.ts'
import { asObject, asString, isObject, type JsonObject } from '../../contract/json.ts'
import { v2Generation, v2Message } from '../../contract/wire.ts'
import { judgeCompletion, judgeModels } from './bodies/openai.ts'
import { type BodyJudge, judgeShape } from './bodies/shape.ts'
import { judgeHistory, judgeResponseBody } from './bodies/v3.ts'
import { CompletionsJudge } from './completions/judge.ts'
import { FindingCollector } from './finding-collector.ts'
import { show } from './json.ts'
import type { StreamContext, StreamJudge } from './streams.ts'
import { ResponsesJudge } from './v3-stream/stream-judge.ts'

const eventStream = 'text/event-stream'

/** Judges what one exchange shows by itself, not refusals or responses to negative requests. Never throws. */
export function judge(exchange: Exchange): Judgement {
  const operation = operationOf(exchange)
  if (operation === undefined || !succeeded(exchange) || exchange.labels.role === 'negative') {
    return nothing
  }
  if (operation === 'openai.chat') return judgeChat(exchange)
  // Native surfaces may decline with any status (section 7), and a request of this role may be declined.
  if (exchange.labels.role === 'probe' && isDeclined(exchange)) return nothing
  if (operation === 'v3.generate' || operation === 'v3.oneShot')
    return judgeReply(exchange, operation)
  return judgeInOnePiece(exchange, operation)
}

/** Operations that can answer with a stream. */
export type StreamedOperation = 'openai.chat' | 'v3.generate' | 'v3.oneShot'

/** Judges a stream as {@link judge} does, but while it arrives, without requirements about status and headers. */
export function createStreamJudge(
  operation: StreamedOperation,
  request: unknown,
  options: Omit<StreamContext, 'request'> = {},
): StreamJudge {
  const context: StreamContext = { request, ...options }
  return operation === 'openai.chat' ? new CompletionsJudge(context) : new ResponsesJudge(context)
}

const nothing: Judgement = { findings: [], observations: [] }

function judgeChat(exchange: Exchange): Judgement {
  if (asObject(requestJson(exchange))?.['stream'] !== true) {
    return judgeInOnePiece(exchange, 'openai.chat')
  }
  const judgement = judgeStream(exchange, 'openai.chat')
  const collector = new FindingCollector()
  // A body that is not a stream does not need the media type of one.
  const isNone = judgement.findings.some(
    ({ requirement, verdict }) => requirement === 'OAI-STREAM-01' && verdict === 'broken',
  )
  if (isStream(exchange) || !isNone) {
    const other = `The media type is ${show(mediaType(exchange))}, not ${eventStream}.`
    collector.decide('OAI-STREAM-02', !isStream(exchange) && other, `It is ${eventStream}.`)
  }
  return joined(collector.judgement([exchange.id]), judgement)
}

function judgeReply(exchange: Exchange, operation: 'v3.generate' | 'v3.oneShot'): Judgement {
  const { repeatOf } = exchange.labels
  const streamFlag = asObject(requestJson(exchange))?.['stream']
  // The form of the response to a repeat is open: it may be the other form, or be marked as a repeat.
  if (repeatOf !== undefined) return isStream(exchange) ? judgeStream(exchange, operation) : nothing
  // The same applies to the form without a `stream` field.
  const wantsStream = typeof streamFlag === 'boolean' ? streamFlag : isStream(exchange)
  if (!wantsStream) return judgeInOnePiece(exchange, operation)
  const requirement = operation === 'v3.generate' ? 'V3-SSE-01' : 'V3-ONE-02'
  const collector = new FindingCollector()
  const status = exchange.response?.status
  const received = `status ${status} with ${mediaType(exchange) || 'no media type'}`
  if (status !== 200 || !isStream(exchange)) {
    collector.broken(requirement, `Expected status 200 with ${eventStream}, received ${received}.`)
    return collector.judgement([exchange.id])
  }
  // The scenario of the one-shot claims that it answers in this form.
  if (operation === 'v3.generate') collector.held(requirement, `Received ${received}.`)
  return joined(collector.judgement([exchange.id]), judgeStream(exchange, operation))
}

/** Judges the body of a response that was not streamed, by the requested operation. */
function judgeInOnePiece(exchange: Exchange, operation: OperationId): Judgement {
  if (exchange.ending.kind !== 'complete') return nothing
  const collector = new FindingCollector()
  const body = bodyJson(exchange)
  const [requirement, judgeMembers] = kinds[operation] ?? []
  // RFC 8259, 8.1: other readers refuse such a body, or lose characters of it.
  if (requirement !== undefined && !hasCharset(exchange) && !isUtf8(bodyBytes(exchange)))
    collector.broken(requirement, `The body is not valid UTF-8: ${show(bodyText(exchange))}.`)
  if (operation === 'openai.models') {
    if (body !== undefined) judgeModels(collector, body)
  } else if (isObject(body)) {
    judgeMembers?.(collector, body, asObject(requestJson(exchange)) ?? {}, exchange)
  } else if (requirement !== undefined) {
    const why = `The body is ${show(bodyText(exchange))}, not a JSON object (${mediaType(exchange)}).`
    collector.broken(requirement, why)
  }
  return collector.judgement([exchange.id])
}

function judgeStream(exchange: Exchange, operation: StreamedOperation): Judgement {
  const { id, labels, response, ending } = exchange
  const repeat = labels.repeatOf !== undefined
  const judge = createStreamJudge(operation, requestJson(exchange), { exchangeId: id, repeat })
  for (const chunk of response?.chunks ?? []) judge.push(chunk)
  return judge.end(ending)
}

function isStream(exchange: Exchange): boolean {
  return mediaType(exchange) === eventStream
}

function joined(a: Judgement, b: Judgement): Judgement {
  return {
    findings: [...a.findings, ...b.findings],
    observations: [...a.observations, ...b.observations],
  }
}

/** Tests for a media type that names another character set. */
function hasCharset({ response }: Exchange): boolean {
  return /charset="?(?!utf-?8)/i.test(header(response?.headers ?? [], 'content-type') ?? '')
}

/** An object without output whose `object` is not a response breaks only the requirement of the one-shot. */
const judgeOneShot: BodyJudge = (collector, body, request, exchange) => {
  if (body['object'] === 'response' || 'output' in body) {
    judgeResponseBody(collector, body, request, exchange)
  } else collector.broken('V3-ONE-01', `The body is ${show(body)}, not a response object.`)
}

/** The requirement for the kind of body of an operation's response, and the judge of its members. */
const kinds: Partial<Record<OperationId, readonly [RequirementId, BodyJudge]>> = {
  'openai.chat': ['OAI-CHAT-01', judgeCompletion],
  'v2.message': ['V2-MSG-01', judgeV2Message],
  'v2.generate': ['V2-GEN-01', judgeV2Generation],
  'v3.history': ['V3-HIST-01', judgeHistory],
  'v3.generate': ['V3-GEN-01', judgeResponseBody],
  'v3.oneShot': ['V3-ONE-01', judgeOneShot],
}

/** Section 2.3: a stored message, compared with the request that stored it. */
function judgeV2Message(collector: FindingCollector, body: JsonObject, request: JsonObject): void {
  const { id: _, ...others } = requirementOfMember
  // Objects of every kind have an id.
  if (!Object.keys(others).some((member) => member in body)) {
    const why = 'it has no member of a message, or only its id'
    collector.broken('V2-MSG-01', `The answer is ${show(body)}: ${why}.`)
    return
  }
  judgeShape(collector, body, v2Message, requirementOfMember)
  const { chat_id: sentChat, content: sentContent } = request
  const [chat, content] = [asString(body['chat_id']), body['content']]
  if (typeof sentChat === 'string' && chat?.toLowerCase() !== sentChat.toLowerCase()) {
    collector.broken('V2-MSG-03', `The chat_id is ${show(chat)}; ${show(sentChat)} was sent.`)
  }
  if (typeof sentContent === 'string' && content !== sentContent) {
    collector.broken('V2-MSG-06', `The content is ${show(content)}; ${show(sentContent)} was sent.`)
  }
}

/** Section 4.2: the result of a v2 generation; only `message.content` is shown. */
function judgeV2Generation(collector: FindingCollector, body: JsonObject): void {
  judgeShape(collector, body, v2Generation, 'V2-GEN-01')
  const beside = [
    ...Object.keys(body).filter((key) => key !== 'message'),
    ...Object.keys(asObject(body['message']) ?? {})
      .filter((key) => key !== 'content')
      .map((key) => `message.${key}`),
  ]
  collector.observed('OPEN-01', beside.sort().join(', ') || 'none')
}

const requirementOfMember = {
  id: 'V2-MSG-02',
  chat_id: 'V2-MSG-03',
  model_id: 'V2-MSG-04',
  role: 'V2-MSG-05',
  content: 'V2-MSG-06',
  created_at: 'V2-MSG-07',
} as const satisfies Record<string, RequirementId>
