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
import { storeEvidence } from '../recording/result-files.ts'
import type { ClientIdentity, RunSetup } from '../run-setup.ts'
import { createCircuitBreaker } from '../session/limits/circuit-breaker.ts'
import { findExcess, withoutBody } from '../session/limits/limit-breaches.ts'
import { createRateLimiter } from '../session/limits/rate-limiter.ts'
import { createSemaphore } from '../session/limits/semaphore.ts'
import { buildWireRequest, type RequestSpec } from '../session/requests/wire-request.ts'
import { nextExchangeId } from '../session/run-state.ts'
import { secretsOf } from '../session/secrets.ts'
import { addExchangeCost, noCost } from '../usage.ts'

interface AuxiliaryClientOptions {
  /** Names the requests in their labels and headers. */
  readonly purpose: string
  readonly signal?: AbortSignal | undefined
  /** Maximum attempts of a request that is answered 429 or 503; four by default. */
  readonly tries?: number
  /** Aborts a response that has not ended after this time, in milliseconds: slow bytes do not count as silence. */
  readonly answerMs?: () => number
  /** Limit of requests; beyond it each request throws the error. */
  readonly budget?: { readonly requests: number; readonly exceededError: Error } | undefined
  /** Creates the error thrown for every request once the target counts as unreachable. */
  readonly unreachableError?: (reason: string) => Error
  /** The run that the requests belong to: they share its pace and its ids, and are recorded. */
  readonly run?: RunSetup
}

const requestsInFlight = 4

/** Requests outside the scenarios: paced like theirs, but not judged. */
export type AuxiliaryClient = ReturnType<typeof createAuxiliaryClient>

export function createAuxiliaryClient(setup: ClientIdentity, options: AuxiliaryClientOptions) {
  const { purpose, signal, tries = Infinity, answerMs, budget, unreachableError, run } = options
  const { limits } = setup.profile
  const transport = createNetworkTransport(networkOf(setup.profile), limits)
  const pace = createRateLimiter(limits, run?.state.pace)
  const breaker = createCircuitBreaker(undefined, () => run?.state.exchanges ?? requests)
  const slots = createSemaphore(requestsInFlight)
  const secrets = secretsOf(setup)
  const redactor = createRedactor(secrets)
  const writer = new RedactingWriter(secrets)
  let ordinals = 0
  let requests = 0
  let cost = noCost

  return {
    /**
     * Sends a request, and again after a 429 or 503; never throws on a response or its absence. A response
     * beyond a limit of the profile comes without its body.
     * @param address in place of that of the profile
     * @throws the reason of the signal once that is aborted.
     */
    async send(spec: RequestSpec, address?: Partial<Address>): Promise<Exchange> {
      const slot = await slots.acquire()
      try {
        const there = { ...setup, profile: { ...setup.profile, ...address } }
        const ordinal = ++ordinals
        for (let attempt = 0; ; attempt += 1) {
          await pace.waitForSlots(1)
          const exchange = await sendOnce(spec, { ordinal, attempt }, there)
          const waitMs = waitAfter(exchange, attempt)
          if (waitMs === null) {
            const excess = findExcess(exchange, limits)
            return excess === undefined ? exchange : withoutBody(exchange, excess)
          }
          await pause(waitMs)
        }
      } finally {
        slot.release()
      }
    },
    sleep: pause,
    /** Requests sent so far, tries after a 429 or 503 included. */
    get requests(): number {
      return requests
    },
    /** Generations among them. */
    get generations(): number {
      return cost.generations
    },
    /** Tests if the latest request got no response of the service. */
    isUnanswered: () => breaker.isFailing,
    close: () => transport.close(),
  }

  /** Milliseconds until a request that was answered 429 or 503 is sent again; null if the response is the last one. */
  function waitAfter(exchange: Exchange, attempt: number): number | null {
    const status = exchange.response?.status
    if ((status !== 429 && status !== 503) || attempt + 1 >= tries) return null
    const waitMs = pace.retryAfter(exchange, attempt)
    if (waitMs === null) breaker.giveUp(exchange)
    return waitMs
  }

  async function sendOnce(
    spec: RequestSpec,
    place: Pick<Exchange['labels'], 'ordinal' | 'attempt'>,
    there: ClientIdentity,
  ): Promise<Exchange> {
    signal?.throwIfAborted()
    if (unreachableError !== undefined && breaker.isOpen) throw unreachableError(breaker.reason)
    if (budget !== undefined && requests >= budget.requests) throw budget.exceededError
    requests += 1
    if (run !== undefined) run.state.budget.requests += 1
    // AbortSignal.timeout in a composite is lost to the garbage collector before Node 24.
    const deadline = new AbortController()
    const timer = answerMs && setTimeout(() => deadline.abort(), answerMs())
    const pending = transport.send({
      id: run === undefined ? `${purpose}-${requests}` : nextExchangeId(run.state),
      labels: { scenario: purpose, ...place, role: spec.role ?? 'probe' },
      ...buildWireRequest(spec, there, `${purpose}/${place.ordinal}`),
      timeoutMs: limits.timeoutMs,
      signal: AbortSignal.any([deadline.signal, ...(signal ? [signal] : [])]),
      ...(spec.leaveAfterEvents === undefined ? {} : { leaveAfterEvents: spec.leaveAfterEvents }),
    })
    const exchange = await pending.exchange.finally(() => clearTimeout(timer))
    signal?.throwIfAborted()
    breaker.recordEnding(exchange)
    cost = addExchangeCost(cost, exchange)
    if (run !== undefined) {
      const pieces = storedPieces(redactor.exchange(exchange))
      storeEvidence(() => writer.appendPieces(run.exchangesFile, pieces))
    }
    return exchange
  }

  /** @throws the reason of the signal once that is aborted; the timer rejects with its own error. */
  async function pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal }).catch(() => signal?.throwIfAborted())
  }
}

/**
 * UUIDs in the records of a list with a text that `matches`, the likeliest first. Undefined if there is no such
 * record. Only reading shows which of them is the chat: an owner has an id too.
 */
export function idsOfRecords(
  body: unknown,
  matches: (text: string) => boolean,
): string[] | undefined {
  const records = recordsIn(body, matches) ?? []
  return records.length === 0 ? undefined : [...new Set(records.flatMap(idsOf))]
}

/**
 * The elements of the innermost arrays that contain a match; undefined if the value contains none. Values outside may
 * repeat the query.
 */
function recordsIn(value: unknown, matches: (text: string) => boolean): unknown[] | undefined {
  if (typeof value === 'string') return matches(value) ? [] : undefined
  if (typeof value !== 'object' || value === null) return undefined
  const holding = Object.values(value).flatMap((part) => {
    const records = recordsIn(part, matches)
    if (records === undefined) return []
    return [Array.isArray(value) && records.length === 0 ? [part] : records]
  })
  return holding.length > 0 ? holding.flat() : undefined
}

function idsOf(record: unknown): string[] {
  const leaves = leavesOf(record).flatMap(({ path, value }) =>
    isUuid(value) ? [{ value, named: chatIdNames.includes(path.at(-1) ?? '') }] : [],
  )
  return leaves.sort((a, b) => Number(b.named) - Number(a.named)).map(({ value }) => value)
}
