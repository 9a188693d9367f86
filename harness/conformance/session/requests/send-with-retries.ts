import {
  type Exchange,
  type OpenQuestionId,
  type OperationId,
  operationAt,
  operationOf,
  operations,
  succeeded,
} from '../../../../contract/index.ts'
import { interruptRequestMs } from '../../defaults.ts'
import { isPage } from '../../preflight/classify-answer.ts'
import { profileOfEndpoint } from '../../profile/index.ts'
import type { RunContext } from '../context.ts'
import type { RequestRoute } from '../endpoint-routing.ts'
import { InconclusiveError } from '../errors.ts'
import { noteSaid } from '../foreign-rows.ts'
import { giveUpReason, isDown, retryAfterMs } from '../limits/rate-limiter.ts'
import { nextStep, repeatability } from './failure.ts'
import {
  addedNames,
  type Members,
  missingMember,
  openQuestionFor,
  withMembers,
} from './supplements.ts'
import { buildWireRequest, type RequestSpec } from './wire-request.ts'

/** Context that a request needs from the scenario that sends it. */
export interface SendContext {
  readonly context: RunContext
  readonly slug: string
  /** Ends all waiting. */
  readonly signal: AbortSignal
  /** Ends cleanup, somewhat later. */
  readonly lateSignal: AbortSignal
  /** Lets another scenario run while this one waits. */
  lendSlot(wait: () => Promise<void>): Promise<void>
  /** Called for every try, to count and judge it. */
  recordExchange(exchange: Exchange): void
  observe(question: OpenQuestionId, answer: string, evidence: readonly Exchange[]): void
}

export interface OrderedRequest {
  readonly spec: RequestSpec
  readonly ordinal: number
  /** Absent if the target has one endpoint. */
  readonly route?: RequestRoute
}

/** Pause before a failed conversation is tried once more: a gateway may be restarting. */
const pauseMs = 250

/** Maximum retries with further fields, as a target may name one required field at a time. */
const maxSupplements = 3

/**
 * Sends a request until it has a response that counts: once more after a failed conversation, as often as
 * allowed after a response that asks to wait, and with the fields that the target requires beyond those of the document.
 * `onAnswered` is called when the first try has a status line.
 * @throws InconclusiveError if no response counts.
 */
export async function sendWithRetries(
  sendContext: SendContext,
  ordered: OrderedRequest,
  onAnswered: () => void,
): Promise<Exchange> {
  const { context, slug } = sendContext
  const { spec, ordinal } = ordered
  noteSaid(context.setup, spec)
  const operation = operationAt(spec.method, spec.path)
  let members = operation ? context.suppliedAtFirst(operation, { scenario: slug, ordinal }) : {}
  let failed: Exchange | undefined
  let refused: Exchange | undefined
  let supplements = 0
  if (ordered.route !== undefined) await waitUntilSettled(sendContext, spec, ordered.route)
  for (let attempt = 0; ; attempt += 1) {
    const exchange = await sendOnce(sendContext, ordered, { attempt, members, failed }, onAnswered)
    if (asksToWait(exchange)) {
      await waitForRetry(sendContext, spec, exchange, attempt)
      continue
    }
    const next = nextStep(exchange, failed, {
      role: spec.role ?? 'act',
      isRepeat: spec.repeatOf !== undefined,
      timeoutMs: context.setup.profile.limits.timeoutMs,
      recordedEnd: context.setup.recordedEnd,
    })
    if (next.kind === 'open') throw new InconclusiveError(next.reason, next.exchanges, next.mayPass)
    if (next.kind === 'again') {
      failed = exchange
      if (!context.lastingPages.has(pageOf(exchange)))
        await context.gate.sleep(pauseMs, signalsFor(sendContext, spec).waitSignal)
      continue
    }
    const answer = next.exchange
    if (failed && isPage(failed) && pageOf(failed) === pageOf(answer))
      context.lastingPages.add(pageOf(answer))
    const additions =
      supplements < maxSupplements ? missingMembers(context, answer, spec, members) : {}
    const missing = missingMember(answer)
    if (missing !== undefined && operation) observeWant(sendContext, operation, [missing], answer)
    if (operation === undefined || Object.keys(additions).length === 0) {
      return operation && refused
        ? learn(sendContext, { answer, refused, operation, members })
        : answer
    }
    supplements += 1
    refused ??= answer
    members = { ...members, ...additions }
    failed = undefined
  }
}

/**
 * Tests for a 429 or 503, a target that is down for a moment, or a conflict that passes: a chat may be busy with its
 * latest turn.
 */
function asksToWait(exchange: Exchange): boolean {
  const { response, labels } = exchange
  if (isDown(exchange)) return true
  if (response?.status !== 409) return response?.status === 429 || response?.status === 503
  // Repeats and requests to be refused are judged by what they meet.
  const isJudged = labels.role === 'negative' || labels.repeatOf !== undefined
  return !isJudged && retryAfterMs(exchange) !== undefined
}

/** `404 openai.chat` for a page; empty for any other answer, which is never a lasting page. */
function pageOf(exchange: Exchange): string {
  return isPage(exchange) ? `${exchange.response?.status} ${operationOf(exchange)}` : ''
}

interface Attempt {
  readonly attempt: number
  /** Added to the body if the scenario does not set them. */
  readonly members: Members
  /** The try before this one, if it failed on its way. */
  readonly failed: Exchange | undefined
}

async function sendOnce(
  sendContext: SendContext,
  { spec, ordinal, route }: OrderedRequest,
  { attempt, members, failed }: Attempt,
  onAnswered: () => void,
): Promise<Exchange> {
  const { context, slug } = sendContext
  if (spec.role !== 'cleanup') sendContext.signal.throwIfAborted()
  const { waitSignal, abortSignal } = signalsFor(sendContext, spec)
  const supplied = addedNames(spec, members)
  const isKeyed = failed !== undefined && repeatability(failed) === 'keyed'
  const repeatOf = spec.repeatOf ?? (isKeyed ? failed.id : undefined)
  const { setup } = context
  const client =
    route === undefined
      ? setup
      : { ...setup, profile: profileOfEndpoint(setup.profile, route.endpoint) }
  const outgoing = {
    labels: {
      scenario: slug,
      ordinal,
      attempt,
      role: spec.role ?? 'act',
      ...(repeatOf === undefined ? {} : { repeatOf }),
      ...(supplied.length === 0 ? {} : { supplied }),
      ...(route === undefined ? {} : { endpoint: route.endpoint.name }),
    },
    ...buildWireRequest(withMembers(spec, members), client, `${slug}/${ordinal}`),
    timeoutMs: context.setup.profile.limits.timeoutMs,
    signal: abortSignal,
    ...(spec.leaveAfterEvents === undefined ? {} : { leaveAfterEvents: spec.leaveAfterEvents }),
  }
  const inBurst = spec.inBurst === true && attempt === 0
  const pending = await context.send(outgoing, waitSignal, { inBurst })
  pending.answered.then(onAnswered)
  const exchange = await pending.exchange
  sendContext.recordExchange(exchange)
  if (exchange.ending.kind === 'aborted') abortSignal.throwIfAborted()
  context.gate.assertWithinLimits(exchange)
  return exchange
}

/** Waits until what the scenario wrote at other endpoints must be visible at this one. */
async function waitUntilSettled(
  sendContext: SendContext,
  spec: RequestSpec,
  { settlingMs }: RequestRoute,
): Promise<void> {
  const waitMs = settlingMs()
  if (waitMs === 0) return
  const { waitSignal } = signalsFor(sendContext, spec)
  await sendContext.lendSlot(() => sendContext.context.gate.sleep(waitMs, waitSignal))
}

/** An interrupt ends all waits, except in cleanup. */
function signalsFor({ signal, lateSignal }: SendContext, { role }: RequestSpec) {
  if (role !== 'cleanup') return { waitSignal: signal, abortSignal: lateSignal }
  const cleanupSignal = signal.aborted ? AbortSignal.timeout(interruptRequestMs) : lateSignal
  return { waitSignal: cleanupSignal, abortSignal: cleanupSignal }
}

/** Waits as long as the target requests, or gives up. */
async function waitForRetry(
  sendContext: SendContext,
  spec: RequestSpec,
  exchange: Exchange,
  attempt: number,
): Promise<void> {
  const waitMs = sendContext.context.gate.retryAfter(exchange, attempt)
  if (waitMs === null) {
    const { limits } = sendContext.context.setup.profile
    throw new InconclusiveError(`the target ${giveUpReason(exchange, limits)}`, [exchange.id])
  }
  await sendContext.context.gate.sleep(waitMs, signalsFor(sendContext, spec).waitSignal)
}

/** The fields that a refusal names; none for a repeat, whose body must equal that of the first request. */
function missingMembers(
  { supplements }: RunContext,
  answer: Exchange,
  spec: RequestSpec,
  members: Members,
): Members {
  if (spec.repeatOf !== undefined) return {}
  return supplements.namedIn(answer, withMembers(spec, members))
}

interface LearnedMembers {
  readonly answer: Exchange
  readonly refused: Exchange
  readonly operation: OperationId
  readonly members: Members
}

/**
 * A refusal because of a missing field is observed, and counts only if adding the field did not help. For a
 * negative request, the refusal with that field counts: it is for the right reason.
 */
function learn(
  sendContext: SendContext,
  { answer, refused, operation, members }: LearnedMembers,
): Exchange {
  const { role } = answer.labels
  if (!succeeded(answer)) return role === 'negative' || role === 'probe' ? answer : refused
  sendContext.context.supplements.learn(operation, members)
  observeWant(sendContext, operation, Object.keys(members), refused)
  return answer
}

/** Records that a target requires fields, which answers an open question. */
function observeWant(
  sendContext: SendContext,
  operation: OperationId,
  names: readonly string[],
  refused: Exchange,
): void {
  const { method, path } = operations[operation]
  const observation = `${method} ${path} without ${names.join(', ')}: ${refused.response?.status}`
  sendContext.observe(openQuestionFor(operation), observation, [refused])
}
