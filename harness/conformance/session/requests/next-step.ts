import { type Exchange, type Role, requestPath } from '../../../../contract/index.ts'
import { notRecorded } from '../../../client/index.ts'
import {
  findFailure,
  isTransient,
  type Repeat,
  repeatability,
  replacesFirstAnswer,
} from './failure.ts'

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
 * failed, is tried once more where that does no harm. `first` is the one that failed before.
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
  return undecided(`${describeRoute(exchange)} ${failure.description}`, exchange)
}

function afterSecond(exchange: Exchange, first: Exchange, timeoutMs: number): NextStep {
  const before = describeFailure(first, timeoutMs)
  if (isTransient(first) && isTransient(exchange)) return { kind: 'use', exchange }
  const failure = findFailure(exchange, timeoutMs)
  if (failure !== undefined || isTransient(exchange)) {
    const after = describeFailure(exchange, timeoutMs)
    const again = after === before ? 'and so was its repeat' : `and its repeat ${after}`
    return undecided(`${describeRoute(exchange)} ${before}, ${again}`, first, exchange)
  }
  if (exchange.labels.repeatOf === first.id && !replacesFirstAnswer(exchange)) {
    const status = exchange.response?.status
    const answered = `its repeat with the same Idempotency-Key was answered ${status}`
    return undecided(
      `${describeRoute(exchange)} ${before}, and ${answered} as a repeat`,
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
      `the recording lacks ${describeRoute(exchange)}, which this version sends`,
      exchange,
    )
  }
  if (isTransient(first)) return { kind: 'use', exchange: first }
  return undecided(`${describeRoute(first)} ${describeFailure(first, 0)}`, first)
}

function describeFailure(exchange: Exchange, timeoutMs: number): string {
  return (
    findFailure(exchange, timeoutMs)?.description ?? `was answered ${exchange.response?.status}`
  )
}

function describeRoute(exchange: Exchange): string {
  return `${exchange.request.method} ${requestPath(exchange)}`
}

function undecided(reason: string, ...evidence: readonly Exchange[]): NextStep {
  return { kind: 'open', reason, exchanges: evidence.map(({ id }) => id) }
}
