import {
  bodyJson,
  bodyText,
  type Exchange,
  mediaType,
  type OperationId,
  type RequirementId,
  requestJson,
} from '../../../contract/index.ts'
import { asObject, asString, isObject, type JsonObject } from '../../../contract/json.ts'
import { v2Generation, v2Message } from '../../../contract/wire.ts'
import type { FindingCollector } from '../finding-collector.ts'
import { show } from '../json.ts'
import { judgeCompletion, judgeModels } from './openai.ts'
import { type BodyJudge, judgeShape } from './shape.ts'
import { judgeHistory, judgeResponseBody } from './v3.ts'

/** Judges the body of a successful response that was not streamed, by the requested operation. */
export function judgeBody(
  collector: FindingCollector,
  operation: OperationId,
  exchange: Exchange,
): void {
  if (exchange.ending.kind !== 'complete') return
  const body = bodyJson(exchange)
  if (operation === 'openai.models') {
    if (body !== undefined) judgeModels(collector, body)
    return
  }
  const [requirement, judgeMembers] = kinds[operation] ?? []
  if (requirement === undefined) return
  if (isObject(body)) {
    judgeMembers?.(collector, body, asObject(requestJson(exchange)) ?? {}, exchange)
    return
  }
  const why = `The body is ${show(bodyText(exchange))}, not a JSON object (${mediaType(exchange)}).`
  collector.broken(requirement, why)
}

/** An object without output whose `object` is no response breaks only the requirement of the one-shot. */
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
