import { terminalEvents } from '../../../../contract/event-names.ts'
import {
  type Exchange,
  header,
  mediaType,
  operationAt,
  type Role,
  requestJson,
  requestPath,
  succeeded,
} from '../../../../contract/index.ts'
import { notRecorded } from '../../../client/index.ts'
import { isPage } from '../../preflight/classify-answer.ts'
import { describeRequest } from '../limits/limit-breaches.ts'

/**
 * A conversation that says nothing of the service: a gateway answered in its place, or what it
 * answered did not arrive.
 */
export interface Failure {
  /** `was answered 502, which is a gateway's answer`; the subject is the request. */
  readonly description: string
  /** Another try would take as long again, or end the same way. */
  readonly isFinal: boolean
}

/**
 * Effect of a request that is sent a second time. `harmless`: nothing that a requirement judges.
 * `keyed`: its Idempotency-Key tells the service that it is a repeat. `unsafe`: it may create or
 * store something twice.
 */
export type Repeat = 'harmless' | 'keyed' | 'unsafe'

/** RFC 9110, 15.6.3 and 15.6.5; 520 to 527 and 530 are those of a large content network. */
export function isGatewayStatus(status: number): boolean {
  return status === 502 || status === 504 || (status >= 520 && status <= 527) || status === 530
}

/** Reason why the exchange cannot stand for an answer of the service; undefined if it can. */
export function findFailure(exchange: Exchange, timeoutMs: number): Failure | undefined {
  const { ending, response } = exchange
  if (ending.kind === 'timeout') {
    return { description: `was silent for more than ${timeoutMs} ms`, isFinal: true }
  }
  if (ending.kind === 'undecodable')
    return { description: `was answered, but ${ending.error}`, isFinal: true }
  if (response === null) {
    const error = 'error' in ending ? ending.error : ending.kind
    return { description: `got no answer (${error})`, isFinal: false }
  }
  if (isGatewayStatus(response.status)) {
    return { description: `was answered ${response.status}, a gateway's error`, isFinal: false }
  }
  if (ending.kind === 'cut' && !isWholeStream(exchange)) {
    return { description: `got an answer that was cut (${ending.error})`, isFinal: false }
  }
  return undefined
}

/**
 * The request was not carried out, and may be sent again (RFC 9110, 15.5.9 and 15.5.20; RFC 8470, 5.2).
 * The answer counts if it comes again: 421 is also a way to name the right version of an interface.
 */
const unprocessedStatuses: readonly number[] = [408, 421, 425]

/** Tests for an answer that counts only if it comes again: a 500 and the like, a page, an unprocessed request. */
export function isTransient(exchange: Exchange): boolean {
  const status = exchange.response?.status ?? 0
  if (exchange.ending.kind !== 'complete' || isGatewayStatus(status)) return false
  return status >= 500 || unprocessedStatuses.includes(status) || isPage(exchange)
}

/** Tests if a front may have given the answer in place of the service (see `report/confirmation.ts`). */
export function isOdd(exchange: Exchange): boolean {
  const { kind } = exchange.ending
  const isWhole = kind === 'complete' || kind === 'aborted'
  return !isWhole || !succeeded(exchange) || isPage(exchange)
}

/** A connection that was never made carried no request. */
const unsentCodes = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Effect of sending the same request again. */
export function repeatability(exchange: Exchange): Repeat {
  const { ending, request, response } = exchange
  if (request.method === 'GET') return 'harmless'
  if (ending.kind === 'unreachable' && unsentCodes.has(ending.code)) return 'harmless'
  const operation = operationAt(request.method, requestPath(exchange))
  if (operation === 'openai.chat' || operation === 'v3.oneShot') return 'harmless'
  const hasKey = header(request.headers, 'idempotency-key') !== undefined
  if (operation === 'v3.generate' && hasKey) return 'keyed'
  return unprocessedStatuses.includes(response?.status ?? 0) ? 'harmless' : 'unsafe'
}

/**
 * Tests if the answer to a repeat with the same key replaces the lost answer. The answer to a repeat
 * is open: a refusal, the other form, or a short stream without the text.
 */
export function replacesFirstAnswer(repeat: Exchange): boolean {
  if (!succeeded(repeat)) return false
  const body = requestJson(repeat)
  const wantsStream = typeof body === 'object' && body !== null && 'stream' in body && body.stream
  if (wantsStream !== true) return mediaType(repeat) !== 'text/event-stream'
  return repeat.events.some(({ name }) => name === 'response.output_item.added')
}

function isWholeStream({ events }: Exchange): boolean {
  const names: readonly (string | null)[] = terminalEvents
  return events.some(({ name, data }) => names.includes(name) || data.trim() === '[DONE]')
}

/** `use`: the answer counts. `again`: the request is sent once more. `open`: nothing can be said. */
export type NextStep =
  | { readonly kind: 'use'; readonly exchange: Exchange }
  | { readonly kind: 'again'; readonly repeat: Repeat }
  | { readonly kind: 'open'; readonly reason: string; readonly exchanges: readonly string[] }

export interface StepContext {
  readonly role: Role
  /** The scenario itself repeats an earlier request, and how that is answered is judged. */
  readonly isRepeat: boolean
  readonly timeoutMs: number
}

/**
 * Decides the next step after an answer. A conversation that failed on its way, or in which the service
 * failed, is tried once more if that does no harm. `first` is the one that failed before.
 */
export function nextStep(
  exchange: Exchange,
  first: Exchange | undefined,
  stepContext: StepContext,
): NextStep {
  const { ending } = exchange
  if (ending.kind === 'unreachable' && ending.code === notRecorded) return missing(exchange, first)
  return first === undefined
    ? afterFirst(exchange, stepContext)
    : afterSecond(exchange, first, stepContext.timeoutMs)
}

function afterFirst(exchange: Exchange, { role, isRepeat, timeoutMs }: StepContext): NextStep {
  const failure = findFailure(exchange, timeoutMs)
  const repeat = repeatability(exchange)
  // How a repeat is answered is judged, and a racing request must not become one that comes later.
  const isJudged = repeat === 'keyed' && (role === 'negative' || isRepeat)
  if (failure === undefined && (!isTransient(exchange) || isJudged)) {
    return { kind: 'use', exchange }
  }
  if (repeat !== 'unsafe' && failure?.isFinal !== true) return { kind: 'again', repeat }
  if (failure === undefined) return { kind: 'use', exchange }
  return undecided(`${describeRequest(exchange)} ${failure.description}`, exchange)
}

function afterSecond(exchange: Exchange, first: Exchange, timeoutMs: number): NextStep {
  const before = describeFailure(first, timeoutMs)
  if (isTransient(first) && isTransient(exchange)) return { kind: 'use', exchange }
  const failure = findFailure(exchange, timeoutMs)
  if (failure !== undefined || isTransient(exchange)) {
    const after = describeFailure(exchange, timeoutMs)
    const again = after === before ? 'and so was its repeat' : `and its repeat ${after}`
    return undecided(`${describeRequest(exchange)} ${before}, ${again}`, first, exchange)
  }
  if (exchange.labels.repeatOf === first.id && !replacesFirstAnswer(exchange)) {
    const status = exchange.response?.status
    const answered = `its repeat with the same Idempotency-Key was answered ${status}`
    return undecided(
      `${describeRequest(exchange)} ${before}, and ${answered} as a repeat`,
      first,
      exchange,
    )
  }
  return { kind: 'use', exchange }
}

/** A recording was perhaps made by a kit that tried nothing again. */
function missing(exchange: Exchange, first: Exchange | undefined): NextStep {
  if (first === undefined) {
    return undecided(
      `the recording lacks ${describeRequest(exchange)}, which this version sends`,
      exchange,
    )
  }
  if (isTransient(first)) return { kind: 'use', exchange: first }
  return undecided(`${describeRequest(first)} ${describeFailure(first, 0)}`, first)
}

function describeFailure(exchange: Exchange, timeoutMs: number): string {
  return (
    findFailure(exchange, timeoutMs)?.description ?? `was answered ${exchange.response?.status}`
  )
}

function undecided(reason: string, ...evidence: readonly Exchange[]): NextStep {
  return { kind: 'open', reason, exchanges: evidence.map(({ id }) => id) }
}
