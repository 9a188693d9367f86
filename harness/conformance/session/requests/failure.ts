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
import { InconclusiveError } from '../errors.ts'
import { describeRequest } from '../limits/limit-breaches.ts'

/**
 * Effect of sending a request a second time. `harmless`: none that a requirement judges. `keyed`: its
 * Idempotency-Key marks it as a repeat. `refusable`: none that a requirement judges, but it may be refused.
 * `unsafe`: it may create or store something twice, which a list would show.
 */
type Repeat = 'harmless' | 'keyed' | 'refusable' | 'unsafe'

/** RFC 9110, 15.6.3 and 15.6.5; 520 to 527 and 530 are those of a large CDN. */
function isOfGateway({ response }: Exchange): boolean {
  const status = response?.status ?? 0
  return status === 502 || status === 504 || (status >= 520 && status <= 527) || status === 530
}

/**
 * Reason why a conversation shows nothing about the service: a gateway answered in its place, or its response did
 * not arrive. `description`: `was answered 502, a gateway's error`. `isFinal`: another try would take as long,
 * or end the same way.
 */
function findFailure(exchange: Exchange, timeoutMs: number) {
  const { ending, response } = exchange
  const failure = (description: string, isFinal = false) => ({ description, isFinal })
  if (ending.kind === 'timeout') return failure(`was silent for more than ${timeoutMs} ms`, true)
  if (ending.kind === 'undecodable') return failure(`was answered, but ${ending.error}`, true)
  if (response === null) {
    return failure(`got no answer (${'error' in ending ? ending.error : ending.kind})`)
  }
  if (isOfGateway(exchange)) {
    return failure(`was answered ${response.status}, a gateway's error`)
  }
  if (ending.kind !== 'cut' || isWholeStream(exchange)) return undefined
  return failure(`got an answer that was cut (${ending.error})`)
}

/**
 * The request was not carried out, and may be sent again (RFC 9110, 15.5.9 and 15.5.20; RFC 8470, 5.2). The
 * response counts if it is repeated: 421 may also name the right version of an interface.
 */
const unprocessedStatuses: readonly number[] = [408, 421, 425]

/** Tests for a response that counts only if it is repeated: a 500 and the like, a page, an unprocessed request. */
function isTransient(exchange: Exchange): boolean {
  const status = exchange.response?.status ?? 0
  if (exchange.ending.kind !== 'complete' || isOfGateway(exchange)) return false
  return status >= 500 || unprocessedStatuses.includes(status) || isPage(exchange)
}

/** Tests if the backend of a gateway seems to be missing, which lasts longer than a passing error. */
export function lacksBackend(exchange: Exchange, isContradiction: boolean): boolean {
  const status = exchange.response?.status ?? 0
  const isPassing = status >= 500 || unprocessedStatuses.includes(status)
  return isOfGateway(exchange) || (isContradiction && !isPassing)
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

/** Changes that are the same twice, and messages of v2 chats, which no route lists. */
const refusable: readonly OperationId[] = [
  'v2.message',
  'v2.generate',
  'v3.generateName',
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
  return operation !== undefined && refusable.includes(operation) ? 'refusable' : 'unsafe'
}

/**
 * Tests if the response to a repeat with the same key replaces the lost one. The form of that response is
 * open: a refusal, the other form, or a short stream without the text.
 */
function replacesFirstAnswer(repeat: Exchange): boolean {
  if (!succeeded(repeat)) return false
  const wantsStream = asObject(requestJson(repeat))?.['stream'] === true
  if (!wantsStream) return mediaType(repeat) !== 'text/event-stream'
  return repeat.events.some(({ name }) => name === 'response.output_item.added')
}

/** Tests for the refusal of a mistake, not of a repeat, which may conflict with the first request. */
function refusesMistake({ labels, response }: Exchange): boolean {
  const status = response?.status ?? 0
  return labels.role === 'negative' && status >= 400 && status < 500 && status !== 409
}

function isWholeStream({ events }: Exchange): boolean {
  const names: readonly (string | null)[] = terminalEvents
  return events.some(({ name, data }) => names.includes(name) || data.trim() === '[DONE]')
}

interface SentRequest {
  readonly role: Role
  /** The scenario itself repeats an earlier request, and the response to the repeat is judged. */
  readonly isRepeat: boolean
  /** The scenario runs again, or for one endpoint alone. */
  readonly isRunAgain: boolean
  readonly timeoutMs: number
  /** Reason why the recorded run ended early, if it did. */
  readonly recordedEnd?: string | undefined
}

/**
 * The exchange that counts after one more try; undefined if the request is to be sent once more: a
 * conversation failed on its way, or the service failed in it, and a repeat is harmless. `first` is the one
 * that failed before.
 * @throws InconclusiveError if none counts
 */
export function countedExchange(
  exchange: Exchange,
  first: Exchange | undefined,
  sent: SentRequest,
): Exchange | undefined {
  const { ending } = exchange
  const isAbsent = ending.kind === 'unreachable' && ending.code === notRecorded
  if (first === undefined) {
    if (!isAbsent) return afterFirst(exchange, sent)
    const lacks = `the recording lacks ${describeRequest(exchange)}, which this version sends`
    const { recordedEnd } = sent
    throw new InconclusiveError(recordedEnd ?? lacks, [exchange.id], {
      isCut: recordedEnd !== undefined,
    })
  }
  // A gateway answers so for a service that breaks down; whether it does on this request, the next run of the scenario shows.
  const isSame = exchange.response?.status === first.response?.status
  const isRefused =
    sent.role === 'negative' && sent.isRunAgain && isSame && repeatability(first) !== 'keyed'
  if (isRefused && isOfGateway(exchange)) return exchange
  if (!isAbsent) return afterSecond(exchange, first, sent.timeoutMs)
  // The recording may be from a version that did not try again.
  if (isTransient(first)) return first
  throw undecided(describeFailure(first, 0), false, first)
}

function afterFirst(exchange: Exchange, { role, isRepeat, timeoutMs }: SentRequest) {
  const failure = findFailure(exchange, timeoutMs)
  const repeat = repeatability(exchange)
  // The response to a repeat is judged, and a racing request must not become a later one.
  const isJudged =
    repeat === 'refusable' || (repeat === 'keyed' && (role === 'negative' || isRepeat))
  if (failure === undefined && (!isTransient(exchange) || isJudged)) return exchange
  if (repeat !== 'unsafe' && failure?.isFinal !== true) return undefined
  if (failure === undefined) return exchange
  // The request itself can't be sent again, but the scenario can, with a new one.
  throw undecided(failure.description, !failure.isFinal, exchange)
}

function afterSecond(exchange: Exchange, first: Exchange, timeoutMs: number): Exchange {
  if (isTransient(first) && isTransient(exchange)) return exchange
  const before = describeFailure(first, timeoutMs)
  const failure = findFailure(exchange, timeoutMs)
  if (failure !== undefined || isTransient(exchange)) {
    const after = describeFailure(exchange, timeoutMs)
    const isSame = after === before && after.startsWith('was ')
    const again = isSame ? 'and so was its repeat' : `and its repeat ${after}`
    // A backend that restarts may be away for longer than the pause.
    throw undecided(`${before}, ${again}`, !failure?.isFinal, first, exchange)
  }
  const isKeyed = exchange.labels.repeatOf === first.id
  // The first request may have been carried out: a chat that is deleted is not found, a message has its reply.
  const isRefused =
    repeatability(first) === 'refusable' &&
    exchange.labels.role !== 'negative' &&
    !succeeded(exchange)
  if (!isRefused && (!isKeyed || replacesFirstAnswer(exchange) || refusesMistake(exchange)))
    return exchange
  const repeat = isKeyed ? 'its repeat with the same Idempotency-Key' : 'its repeat'
  const answered = `${repeat} was answered ${exchange.response?.status} as a repeat`
  throw undecided(`${before}, and ${answered}`, true, first, exchange)
}

function describeFailure(exchange: Exchange, timeoutMs: number): string {
  return (
    findFailure(exchange, timeoutMs)?.description ?? `was answered ${exchange.response?.status}`
  )
}

/** @param description of what the request met */
function undecided(description: string, mayPass: boolean, ...evidence: [Exchange, ...Exchange[]]) {
  const ids = evidence.map(({ id }) => id)
  return new InconclusiveError(`${describeRequest(evidence[0])} ${description}`, ids, { mayPass })
}
