import {
  bodyJson,
  bodyText,
  type Exchange,
  mediaType,
  type OperationId,
  type RequirementId,
  requestJson,
} from '../../../contract/index.ts'
import { asObject, isObject, type JsonObject } from '../../../contract/json.ts'
import type { FindingCollector } from '../finding-collector.ts'
import { show } from '../json.ts'
import { judgeCompletion } from './completion.ts'
import { judgeHistory } from './history.ts'
import { judgeModels } from './models.ts'
import { judgeResponseBody } from './response.ts'
import { judgeV2Generation, judgeV2Message } from './v2.ts'

/** Judges the body of a success that came in one piece, by the operation that was asked for. */
export function judgeBody(
  ledger: FindingCollector,
  operation: OperationId,
  exchange: Exchange,
): void {
  if (exchange.ending.kind !== 'complete') return
  const body = bodyJson(exchange)
  if (operation === 'openai.models') {
    if (body !== undefined) judgeModels(ledger, body)
    return
  }
  const row = rowOfKind[operation]
  if (row === undefined) return
  if (!isObject(body)) {
    const shown = show(bodyText(exchange))
    ledger.broken(row, `The body is ${shown}, not a JSON object (${mediaType(exchange)}).`)
    return
  }
  judgeMembers[operation]?.(ledger, body, exchange)
}

/** The row that says what kind of body an operation answers with. */
const rowOfKind: Partial<Record<OperationId, RequirementId>> = {
  'openai.chat': 'OAI-CHAT-01',
  'v2.message': 'V2-MSG-01',
  'v2.generate': 'V2-GEN-01',
  'v3.history': 'V3-HIST-01',
  'v3.generate': 'V3-GEN-01',
  'v3.oneShot': 'V3-ONE-01',
}

type BodyJudge = (ledger: FindingCollector, body: JsonObject, exchange: Exchange) => void

const requestOf = (exchange: Exchange) => asObject(requestJson(exchange)) ?? {}

const judgeMembers: Partial<Record<OperationId, BodyJudge>> = {
  'openai.chat': (ledger, body, exchange) =>
    judgeCompletion(ledger, body, requestOf(exchange), mediaType(exchange)),
  'v2.message': (ledger, body, exchange) => judgeV2Message(ledger, body, requestOf(exchange)),
  'v2.generate': judgeV2Generation,
  'v3.history': (ledger, body, exchange) =>
    judgeHistory(ledger, body, new URL(exchange.request.url).searchParams),
  'v3.generate': (ledger, body, exchange) => judgeResponseBody(ledger, body, requestOf(exchange)),
  'v3.oneShot': judgeOneShot,
}

/** Judges a one-shot answer: an object without output that is not called a response breaks only its row. */
function judgeOneShot(ledger: FindingCollector, body: JsonObject, exchange: Exchange): void {
  if (body['object'] === 'response' || 'output' in body) {
    judgeResponseBody(ledger, body, requestOf(exchange))
  } else ledger.broken('V3-ONE-01', `The body is ${show(body)}, not a response object.`)
}
