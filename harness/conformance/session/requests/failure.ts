import {
  asObject,
  type Exchange,
  header,
  mediaType,
  type OperationId,
  operationOf,
  type Role,
  requestJson,
  succeeded,
} from '../../../../contract/index.ts'
import { terminalEvents } from '../../../../contract/wire.ts'
import { notRecorded } from '../../../client/index.ts'
import { isPage } from '../../preflight/classify-answer.ts'
import { describeRequest } from '../limits/limit-breaches.ts'

/**
 * A conversation that shows nothing about the service: a gateway answered in its place, or its response did
 * not arrive.
 */
export interface Failure {
  /** `was answered 502, which is a gateway's answer`; the subject is the request. */
  readonly description: string
  /** Another try would take as long, or end the same way. */
  readonly isFinal: boolean
}

/**
 * Effect of sending a request a second time. `harmless`: none that a requirement judges. `keyed`: its
 * Idempotency-Key marks it as a repeat. `idempotent`: the state is the same, but the repeat may be refused.
 * `unsafe`: it may create or store something twice.
 */
export type Repeat = 'harmless' | 'keyed' | 'idempotent' | 'unsafe'

/** RFC 9110, 15.6.3 and 15.6.5; 520 to 527 and 530 are those of a large CDN. */
export function isGatewayStatus(status: number): boolean {
  return status === 502 || status === 504 || (status >= 520 && status <= 527) || status === 530
}

/** Reason why the exchange has no response of the service; undefined if it has. */
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
 * The request was not carried out, and may be sent again (RFC 9110, 15.5.9 and 15.5.20; RFC 8470, 5.2). The
 * response counts if it is repeated: 421 may also name the right version of an interface.
 */
const unprocessedStatuses: readonly number[] = [408, 421, 425]

/** Tests for a response that counts only if it is repeated: a 500 and the like, a page, an unprocessed request. */
export function isTransient(exchange: Exchange): boolean {
  const status = exchange.response?.status ?? 0
  if (exchange.ending.kind !== 'complete' || isGatewayStatus(status)) return false
  return status >= 500 || unprocessedStatuses.includes(status) || isPage(exchange)
}

/** Tests if the response may come from a front instead of the service (see `report/confirmation.ts`). */
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

const idempotent: readonly OperationId[] = [
  'v3.updateChat',
  'v3.deleteChat',
  'v3.addFavorite',
  'v3.removeFavorite',
]

/** Effect of sending the same request again. */
export function repeatability(exchange: Exchange): Repeat {
  const { ending, labels, request, response } = exchange
  if (request.method === 'GET') return 'harmless'
  if (ending.kind === 'unreachable' && unsentCodes.has(ending.code)) return 'harmless'
  const operation = operationOf(exchange)
  if (operation === 'openai.chat' || operation === 'v3.oneShot') return 'harmless'
  // One more chat is none that a requirement counts, and cleanup finds it by its name.
  if (operation === 'v3.createChat' && labels.role === 'arrange') return 'harmless'
  const hasKey = header(request.headers, 'idempotency-key') !== undefined
  if (operation === 'v3.generate' && hasKey) return 'keyed'
  if (unprocessedStatuses.includes(response?.status ?? 0)) return 'harmless'
  return operation !== undefined && idempotent.includes(operation) ? 'idempotent' : 'unsafe'
}

/**
 * Tests if the response to a repeat with the same key replaces the lost one. The form of that response is
 * open: a refusal, the other form, or a short stream without the text.
 */
export function replacesFirstAnswer(repeat: Exchange): boolean {
  if (!succeeded(repeat)) return false
  const wantsStream = asObject(requestJson(repeat))?.['stream'] === true
  if (!wantsStream) return mediaType(repeat) !== 'text/event-stream'
  return repeat.events.some(({ name }) => name === 'response.output_item.added')
}

function isWholeStream({ events }: Exchange): boolean {
  const names: readonly (string | null)[] = terminalEvents
  return events.some(({ name, data }) => names.includes(name) || data.trim() === '[DONE]')
}

/** `use`: the response counts. `again`: the request is sent again. `open`: undecided. */
export type NextStep =
  | { readonly kind: 'use'; readonly exchange: Exchange }
  | { readonly kind: 'again'; readonly repeat: Repeat }
  | {
      readonly kind: 'open'
      readonly reason: string
      readonly exchanges: readonly string[]
      /** The request itself can't be sent again, but the scenario can, with a new one. */
      readonly mayPass: boolean
    }

export interface StepContext {
  readonly role: Role
  /** The scenario itself repeats an earlier request, and the response to the repeat is judged. */
  readonly isRepeat: boolean
  readonly timeoutMs: number
  /** Reason why the recorded run ended early, if it did. */
  readonly recordedEnd?: string | undefined
}

/**
 * Decides the next step after a response. A conversation that failed on its way, or in which the service
 * failed, is tried once more if that is harmless. `first` is the one that failed before.
 */
export function nextStep(
  exchange: Exchange,
  first: Exchange | undefined,
  stepContext: StepContext,
): NextStep {
  const { ending } = exchange
  if (ending.kind === 'unreachable' && ending.code === notRecorded)
    return missing(exchange, first, stepContext.recordedEnd)
  return first === undefined
    ? afterFirst(exchange, stepContext)
    : afterSecond(exchange, first, stepContext.timeoutMs)
}

function afterFirst(exchange: Exchange, { role, isRepeat, timeoutMs }: StepContext): NextStep {
  const failure = findFailure(exchange, timeoutMs)
  const repeat = repeatability(exchange)
  // The response to a repeat is judged, and a racing request must not become a later one.
  const isJudged =
    repeat === 'idempotent' || (repeat === 'keyed' && (role === 'negative' || isRepeat))
  if (failure === undefined && (!isTransient(exchange) || isJudged)) {
    return { kind: 'use', exchange }
  }
  if (repeat !== 'unsafe' && failure?.isFinal !== true) return { kind: 'again', repeat }
  if (failure === undefined) return { kind: 'use', exchange }
  const reason = `${describeRequest(exchange)} ${failure.description}`
  return undecided(reason, !failure.isFinal, exchange)
}

function afterSecond(exchange: Exchange, first: Exchange, timeoutMs: number): NextStep {
  const before = describeFailure(first, timeoutMs)
  if (isTransient(first) && isTransient(exchange)) return { kind: 'use', exchange }
  const failure = findFailure(exchange, timeoutMs)
  if (failure !== undefined || isTransient(exchange)) {
    const after = describeFailure(exchange, timeoutMs)
    const isSame = after === before && after.startsWith('was ')
    const again = isSame ? 'and so was its repeat' : `and its repeat ${after}`
    return undecided(`${describeRequest(exchange)} ${before}, ${again}`, false, first, exchange)
  }
  const isKeyed = exchange.labels.repeatOf === first.id
  const isRefused = repeatability(first) === 'idempotent' && isRefusedAsRepeat(exchange)
  if (isRefused || (isKeyed && !replacesFirstAnswer(exchange))) {
    const repeat = isKeyed ? 'its repeat with the same Idempotency-Key' : 'its repeat'
    const answered = `${repeat} was answered ${exchange.response?.status} as a repeat`
    const reason = `${describeRequest(exchange)} ${before}, and ${answered}`
    return undecided(reason, true, first, exchange)
  }
  return { kind: 'use', exchange }
}

/** The first request may have been carried out: a chat that is deleted is not found. */
function isRefusedAsRepeat(repeat: Exchange): boolean {
  return repeat.labels.role !== 'negative' && !succeeded(repeat)
}

/** The recording may be from a version that did not try again. */
function missing(exchange: Exchange, first: Exchange | undefined, end?: string): NextStep {
  if (first === undefined) {
    const lacks = `the recording lacks ${describeRequest(exchange)}, which this version sends`
    return undecided(end ?? lacks, false, exchange)
  }
  if (isTransient(first)) return { kind: 'use', exchange: first }
  return undecided(`${describeRequest(first)} ${describeFailure(first, 0)}`, false, first)
}

function describeFailure(exchange: Exchange, timeoutMs: number): string {
  return (
    findFailure(exchange, timeoutMs)?.description ?? `was answered ${exchange.response?.status}`
  )
}

function undecided(reason: string, mayPass: boolean, ...evidence: readonly Exchange[]): NextStep {
  return { kind: 'open', reason, mayPass, exchanges: evidence.map(({ id }) => id) }
}
