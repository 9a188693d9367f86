import {
  type Exchange,
  type OpenQuestionId,
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
import { chatOf, noteSaid } from '../findings.ts'
import { giveUpReason, isDown, retryAfterMs } from '../limits/rate-limiter.ts'
import { countedExchange, lacksBackend, repeatability } from './failure.ts'
import {
  addedNames,
  type Members,
  missingMember,
  namedMembers,
  openQuestionFor,
  withMembers,
} from './supplements.ts'
import { buildWireRequest, type RequestSpec } from './wire-request.ts'

/** One request of a scenario, and what it needs of that. */
export interface Sending {
  readonly context: RunContext
  readonly slug: string
  readonly spec: RequestSpec
  readonly ordinal: number
  /** Undefined if the target has one endpoint. */
  readonly route: RequestRoute | undefined
  /** Ends all waiting. */
  readonly signal: AbortSignal
  /** Ends cleanup, somewhat later. */
  readonly lateSignal: AbortSignal
  /** Lets another scenario run while this one waits. */
  lendSlot(wait: () => Promise<void>): Promise<void>
  /** Waits until requests that must be refused may be sent. */
  waitForOthers(): Promise<void>
  /** Called when the first try has a status line. */
  onAnswered(): void
  /** Called for every try, to count and judge it. */
  recordExchange(exchange: Exchange): void
  observe(question: OpenQuestionId, answer: string, evidence: readonly Exchange[]): void
}

/** Pause before a failed conversation is tried once more: a gateway may be restarting. */
const pauseMs = 250

/** Pause before a request is sent again that a gateway answered, or that was accepted before: its backend may restart. */
const backendPauseMs = 1000

/** Maximum retries with further fields, as a target may name one required field at a time. */
const maxSupplements = 3

/**
 * Sends a request until it has a response that counts: once more after a failed conversation, as often as
 * allowed after a response that asks to wait, and with the fields that the target requires beyond those of the document.
 * @throws InconclusiveError if no response counts.
 */
export async function sendWithRetries(sending: Sending): Promise<Exchange> {
  const { context, slug, spec, ordinal } = sending
  const { lastingPages, setup } = context
  if (spec.role === 'negative') await sending.waitForOthers()
  noteSaid(setup, spec)
  const operation = operationAt(spec.method, spec.path)
  const chat = operation === 'v3.generate' ? (chatOf(spec) ?? '') : ''
  const { chatsWithTurns } = setup.state
  let members = operation ? context.suppliedAtFirst(operation, { scenario: slug, ordinal }) : {}
  let failed: Exchange | undefined
  let refused: Exchange | undefined
  let supplements = 0
  const pause = (ms: number) => context.gate.sleep(ms, signalsFor(sending).waitSignal)
  // Until what the scenario wrote at other endpoints must be visible at this one.
  const settlingMs = sending.route?.settlingMs() ?? 0
  if (settlingMs > 0) await sending.lendSlot(() => pause(settlingMs))
  for (let attempt = 0; ; attempt += 1) {
    const exchange = await sendOnce(sending, attempt, members, failed)
    if (chat !== '' && succeeded(exchange)) chatsWithTurns.add(chat)
    const mayBeBusy = chatsWithTurns.has(chat) && attempt < maxConflicts
    if (asksToWait(exchange, spec, mayBeBusy)) {
      const waitMs = context.gate.retryAfter(exchange, attempt)
      const reason = `the target ${giveUpReason(exchange, setup.profile.limits)}`
      // A conflict that lasts refuses what may be refused.
      const isRefusal = spec.role === 'probe' && exchange.response?.status === 409
      if (waitMs === null && !isRefusal) throw new InconclusiveError(reason, [exchange.id])
      if (waitMs !== null) {
        await pause(waitMs)
        continue
      }
    }
    const isContradiction = attempt === 0 && context.isContradiction(exchange)
    if (isContradiction && !isPage(exchange)) {
      await sending.lendSlot(() => pause(backendPauseMs))
      continue
    }
    const answer = countedExchange(exchange, failed, {
      role: spec.role ?? 'act',
      isRepeat: spec.repeatOf !== undefined,
      isRunAgain: slug.includes('@'),
      timeoutMs: setup.profile.limits.timeoutMs,
      recordedEnd: setup.recordedEnd,
    })
    if (answer === undefined) {
      failed = exchange
      if (!lastingPages.has(pageOf(exchange)))
        await pause(lacksBackend(exchange, isContradiction) ? backendPauseMs : pauseMs)
      continue
    }
    if (failed && isPage(failed) && pageOf(failed) === pageOf(answer))
      lastingPages.add(pageOf(answer))
    if (operation === undefined) return answer
    const { method, path } = operations[operation]
    // Which fields a target requires is an open question.
    const observe = (names: readonly string[], refusal: Exchange) => {
      const status = refusal.response?.status
      const observation = `${method} ${path} without ${names.join(', ')}: ${status}`
      sending.observe(openQuestionFor(operation), observation, [refusal])
    }
    const missing = missingMember(answer)
    if (missing !== undefined) observe([missing], answer)
    // The body of a repeat must equal that of the first request.
    const mayAdd = supplements < maxSupplements && spec.repeatOf === undefined
    const additions = mayAdd ? namedMembers(answer, withMembers(spec, members), setup.profile) : {}
    if (Object.keys(additions).length === 0) {
      if (refused === undefined) return answer
      // A refusal because of a missing field counts only if adding the field did not help. For a negative
      // request, the refusal with that field counts: it is for the right reason.
      const { role } = answer.labels
      if (!succeeded(answer)) return role === 'negative' || role === 'probe' ? answer : refused
      const { learned } = setup.state
      learned.set(operation, { ...learned.get(operation), ...members })
      observe(Object.keys(members), refused)
      return answer
    }
    supplements += 1
    refused ??= answer
    members = { ...members, ...additions }
    failed = undefined
  }
}

/** Retries of a generation that conflicts and does not say how long: a chat may be busy with its latest turn. */
const maxConflicts = 2

/** Tests for a 429 or 503, a target that is down for a moment, or a conflict that passes. */
function asksToWait(
  exchange: Exchange,
  { isLimitJudged }: RequestSpec,
  mayBeBusy: boolean,
): boolean {
  const { response, labels } = exchange
  if (isDown(exchange)) return true
  if (response?.status === 429) return isLimitJudged !== true
  if (response?.status !== 409) return response?.status === 503
  // Repeats and requests to be refused are judged by what they meet.
  const isJudged = labels.role === 'negative' || labels.repeatOf !== undefined
  return !isJudged && (mayBeBusy || retryAfterMs(exchange) !== undefined)
}

/** `404 openai.chat` for a page; empty for any other answer, which is never a lasting page. */
function pageOf(exchange: Exchange): string {
  return isPage(exchange) ? `${exchange.response?.status} ${operationOf(exchange)}` : ''
}

/**
 * @param members added to the body if the scenario does not set them
 * @param failed the try before this one, if it failed on its way
 */
async function sendOnce(
  sending: Sending,
  attempt: number,
  members: Members,
  failed: Exchange | undefined,
): Promise<Exchange> {
  const { context, slug, spec, ordinal, route } = sending
  if (spec.role !== 'cleanup') sending.signal.throwIfAborted()
  const { waitSignal, abortSignal } = signalsFor(sending)
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
    timeoutMs: setup.profile.limits.timeoutMs,
    signal: abortSignal,
    ...(spec.leaveAfterEvents === undefined ? {} : { leaveAfterEvents: spec.leaveAfterEvents }),
  }
  const inBurst = spec.inBurst === true && attempt === 0
  const pending = await context.send(outgoing, waitSignal, inBurst)
  pending.answered.then(sending.onAnswered)
  const exchange = await pending.exchange
  sending.recordExchange(exchange)
  if (exchange.ending.kind === 'aborted') abortSignal.throwIfAborted()
  context.gate.assertWithinLimits(exchange)
  return exchange
}

/** An interrupt ends all waits, except in cleanup. */
function signalsFor({ signal, lateSignal, spec }: Sending) {
  if (spec.role !== 'cleanup') return { waitSignal: signal, abortSignal: lateSignal }
  const cleanupSignal = signal.aborted ? AbortSignal.timeout(interruptRequestMs) : lateSignal
  return { waitSignal: cleanupSignal, abortSignal: cleanupSignal }
}
