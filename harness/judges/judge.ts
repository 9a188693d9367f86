import {
  type Exchange,
  isDeclined,
  type Judgement,
  mediaType,
  type OperationId,
  operationOf,
  requestJson,
  succeeded,
} from '../../contract/index.ts'
import { asObject } from '../../contract/json.ts'
import { judgeBody } from './bodies/judge.ts'
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

function judgeInOnePiece(exchange: Exchange, operation: OperationId): Judgement {
  const collector = new FindingCollector()
  judgeBody(collector, operation, exchange)
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
