import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Address,
  chatIdNames,
  type Exchange,
  isUuid,
  leavesOf,
  storedPieces,
} from '../../../contract/index.ts'
import { createNetworkTransport, createRedactor, RedactingWriter } from '../../client/index.ts'
import { networkOf } from '../profile/index.ts'
import { appendExchange } from '../recording/result-files.ts'
import type { ClientIdentity, RunSetup } from '../run-setup.ts'
import { createCircuitBreaker } from '../session/limits/circuit-breaker.ts'
import { findExcess, withoutBody } from '../session/limits/limit-breaches.ts'
import { createRateLimiter } from '../session/limits/rate-limiter.ts'
import { createSemaphore } from '../session/limits/semaphore.ts'
import { buildWireRequest, type RequestSpec } from '../session/requests/wire-request.ts'
import { nextExchangeId } from '../session/run-state.ts'
import { secretsOf } from '../session/secrets.ts'

/** Requests outside the scenarios: paced like theirs, but not judged. */
export interface AuxiliaryClient {
  /**
   * Sends a request, and again after a 429 or 503; never throws on a response or its absence. A response
   * beyond a limit of the profile comes without its body.
   * @param address in place of that of the profile
   * @throws the reason of the signal once that is aborted.
   */
  send(spec: RequestSpec, address?: Partial<Address>): Promise<Exchange>
  /** @throws the reason of the signal once that is aborted. */
  sleep(ms: number): Promise<void>
  /** Requests sent so far, tries after a 429 or 503 included. */
  readonly requests: number
  close(): Promise<void>
}

export interface AuxiliaryClientOptions {
  /** Names the requests in their labels and headers. */
  readonly purpose: string
  readonly signal?: AbortSignal
  /** Maximum attempts of a request that is answered 429 or 503; four by default. */
  readonly tries?: number
  /** Aborts a response that has not ended after this time, in milliseconds: slow bytes do not count as silence. */
  readonly answerMs?: (() => number) | undefined
  /** Limit of requests; beyond it each request throws the error. */
  readonly budget?: { readonly requests: number; readonly exceededError: Error } | undefined
  /** Creates the error thrown for every request once the target counts as unreachable. */
  readonly unreachableError?: (reason: string) => Error
  /** The run that the requests belong to: they share its pace and its ids, and are recorded. */
  readonly run?: RunSetup
}

const requestsInFlight = 4

export function createAuxiliaryClient(
  setup: ClientIdentity,
  options: AuxiliaryClientOptions,
): AuxiliaryClient {
  const {
    purpose,
    signal,
    run,
    budget,
    unreachableError,
    tries = Number.POSITIVE_INFINITY,
  } = options
  const { limits } = setup.profile
  const transport = createNetworkTransport(networkOf(setup.profile), limits)
  const pace = createRateLimiter(limits, run?.state.pace)
  const breaker = createCircuitBreaker(undefined, () => run?.state.exchanges ?? requests)
  const slots = createSemaphore(requestsInFlight)
  const secrets = secretsOf(setup)
  const redactor = createRedactor(secrets)
  const writer = new RedactingWriter(secrets)
  const aborted = rejectOnAbort(signal)
  let ordinals = 0
  let requests = 0

  return {
    async send(spec, address) {
      const release = await slots.acquire()
      try {
        const there = { ...setup, profile: { ...setup.profile, ...address } }
        return await sendRequest(spec, ++ordinals, there)
      } finally {
        release()
      }
    },
    sleep: pause,
    get requests() {
      return requests
    },
    close: () => transport.close(),
  }

  async function sendRequest(
    spec: RequestSpec,
    ordinal: number,
    there: ClientIdentity,
  ): Promise<Exchange> {
    for (let attempt = 0; ; attempt += 1) {
      await pace.waitForSlots(1)
      signal?.throwIfAborted()
      if (unreachableError !== undefined && breaker.isOpen) throw unreachableError(breaker.reason)
      if (budget !== undefined && requests >= budget.requests) throw budget.exceededError
      requests += 1
      if (run !== undefined) run.state.budget.requests += 1
      const id = run === undefined ? `${purpose}-${requests}` : nextExchangeId(run.state)
      const { exchange: pending } = transport.send({
        id,
        labels: { scenario: purpose, ordinal, attempt, role: spec.role ?? 'probe' },
        ...buildWireRequest(spec, there, `${purpose}/${ordinal}`),
        timeoutMs: limits.timeoutMs,
        ...(options.answerMs && { signal: AbortSignal.timeout(options.answerMs()) }),
        ...(spec.leaveAfterEvents === undefined ? {} : { leaveAfterEvents: spec.leaveAfterEvents }),
      })
      const exchange = await Promise.race([pending, aborted])
      breaker.recordEnding(exchange)
      if (run !== undefined) {
        appendExchange(writer, run.exchangesFile, storedPieces(redactor.exchange(exchange)))
      }
      const excess = findExcess(exchange, limits)
      const status = exchange.response?.status
      const turnedAway = status === 429 || status === 503
      if (!turnedAway || attempt + 1 >= tries) {
        return excess === undefined ? exchange : withoutBody(exchange, excess)
      }
      const waitMs = pace.retryAfter(exchange, attempt)
      if (waitMs === null) {
        breaker.giveUp(exchange)
        return exchange
      }
      await pause(waitMs)
    }
  }

  async function pause(ms: number): Promise<void> {
    try {
      await sleep(ms, undefined, signal ? { signal } : {})
    } catch (error) {
      // The timer rejects with its own error.
      signal?.throwIfAborted()
      throw error
    }
  }
}

/** An interrupt does not wait for a request under way. */
function rejectOnAbort(signal: AbortSignal | undefined): Promise<never> {
  const abortion = Promise.withResolvers<never>()
  abortion.promise.catch(() => {})
  const abort = () => abortion.reject(signal?.reason)
  if (signal?.aborted) abort()
  else signal?.addEventListener('abort', abort, { once: true })
  return abortion.promise
}

/**
 * UUIDs in the records of a list that hold a text as a value, the likeliest first. Undefined if no record
 * holds it. Only reading shows which of them is the chat: an owner has an id too.
 */
export function idsOfRecordsWith(body: unknown, text: string): string[] | undefined {
  return idsWhere(body, (value) => value === text)
}

/** The same for records that hold the text inside a value. */
export function idsOfRecordsContaining(body: unknown, text: string): string[] | undefined {
  return idsWhere(body, (value) => typeof value === 'string' && value.includes(text))
}

type Matches = (value: unknown) => boolean

function idsWhere(body: unknown, matches: Matches): string[] | undefined {
  const { records } = collectRecords(body, matches)
  return records.length === 0 ? undefined : [...new Set(records.flatMap(idsOf))]
}

/** The elements of the innermost arrays that hold a match; values outside may repeat the query. */
function collectRecords(value: unknown, matches: Matches): { holds: boolean; records: unknown[] } {
  if (typeof value !== 'object' || value === null) return { holds: matches(value), records: [] }
  const parts = Object.values(value).map((part) => ({ part, ...collectRecords(part, matches) }))
  const holding = parts.filter(({ holds }) => holds)
  const records = holding.flatMap(({ part, records }) =>
    Array.isArray(value) && records.length === 0 ? [part] : records,
  )
  return { holds: holding.length > 0, records }
}

function idsOf(record: unknown): string[] {
  const leaves = leavesOf(record).flatMap(({ path, value }) =>
    isUuid(value) ? [{ value, named: chatIdNames.includes(path.at(-1) ?? '') }] : [],
  )
  return leaves.sort((a, b) => Number(b.named) - Number(a.named)).map(({ value }) => value)
}
