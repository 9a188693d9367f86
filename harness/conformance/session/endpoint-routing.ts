import { AsyncLocalStorage } from 'node:async_hooks'
import { hash } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { type Exchange, operationAt } from '../../../contract/index.ts'
import { type Endpoint, endpointsOf } from '../profile/index.ts'
import type { RunSetup } from '../run-setup.ts'
import type { RequestSpec } from './requests/wire-request.ts'

/** Route of one request to one of several endpoints. */
export type RequestRoute = ReturnType<EndpointRouting['route']>

/** A sequence of requests that goes to the same endpoints each time it is repeated. */
interface RepeatedRead {
  /** Position of its first request. */
  readonly start: number
  /** Repeated until a change must be visible, so it need not wait. */
  readonly isPoll: boolean
  sent: number
}

const repeatedReads = new AsyncLocalStorage<RepeatedRead>()

/** The routing of one scenario; undefined for a target with one endpoint, unless requests wait for changes. */
export function routingOf(
  { profile }: Pick<RunSetup, 'profile'>,
  contentSeed: string,
  waitsForChanges = false,
): EndpointRouting | undefined {
  const [first, ...others] = endpointsOf(profile)
  if (first === undefined || (others.length === 0 && !waitsForChanges)) return undefined
  const { settleMs } = profile.limits
  return createEndpointRouting([first, ...others], `${contentSeed}/endpoints`, settleMs)
}

/**
 * Spreads the requests of one scenario over the endpoints of a service. Depending on the seed, consecutive
 * requests go to different ones, and a repeat with the same Idempotency-Key goes to a different one than the
 * first. A service may take `settleMs` to show a write at another endpoint, or at its only one, behind which
 * there may be several: a request waits for that, unless it is repeated until it shows it. Overlapping requests do not wait for each other, nor does a repeat wait
 * for the request that it repeats: a key counts at once.
 */
export function createEndpointRouting(
  endpoints: readonly [Endpoint, ...Endpoint[]],
  seed: string,
  settleMs: number,
) {
  const digest = hash('sha256', seed, 'buffer')
  const step = digest.readUInt8(0) % 2 === 0 ? 1 : -1
  const isOnlyOne = endpoints.length === 1
  const writes: { endpoint: Endpoint; atMs: number; key: string | undefined }[] = []
  const firstByKey = new Map<string, Endpoint>()
  let position = digest.readUInt32BE(1) % endpoints.length

  const endpointAt = (place: number) => endpoints.at(place % endpoints.length) ?? endpoints[0]

  function rotate(): Endpoint {
    position += step
    return endpointAt(position)
  }

  function choose(spec: RequestSpec, read: RepeatedRead | undefined): Endpoint {
    // The endpoint of the latest write knows everything of the scenario.
    const latest = writes.at(-1)
    if (spec.role === 'cleanup' && latest !== undefined) return latest.endpoint
    if (read !== undefined) {
      read.sent += 1
      return endpointAt(read.start + (read.sent - 1) * step)
    }
    const key = keyOf(spec)
    const first = key === undefined ? undefined : firstByKey.get(key)
    const next = rotate()
    const endpoint = next === first ? rotate() : next
    if (key !== undefined && first === undefined) firstByKey.set(key, endpoint)
    return endpoint
  }

  return {
    /** Chooses the endpoint of the next request, by the order of the calls alone. */
    route(spec: RequestSpec) {
      const read = repeatedReads.getStore()
      const endpoint = choose(spec, read)
      const key = keyOf(spec)
      return {
        endpoint,
        /** Milliseconds to wait until writes at other endpoints must be visible at this one. */
        settlingMs(): number {
          if (read?.isPoll) return 0
          const awaited = writes.filter(
            (write) =>
              (isOnlyOne || write.endpoint !== endpoint) &&
              (key === undefined || write.key !== key),
          )
          const latestMs = Math.max(...awaited.map(({ atMs }) => atMs))
          return Math.max(0, latestMs + settleMs - performance.now())
        },
        /** Notes the end of the request. */
        ended(exchange: Exchange): void {
          if (changesState(spec, exchange)) writes.push({ endpoint, atMs: performance.now(), key })
        },
      }
    },

    /**
     * Creates a repeatable read: each call sends its requests to the same endpoints, so that another endpoint
     * cannot hide one that never shows a change.
     */
    repeated<Value>(read: () => Promise<Value>, { isPoll }: Pick<RepeatedRead, 'isPoll'>) {
      rotate()
      const start = position
      return () => repeatedReads.run({ start, isPoll, sent: 0 }, read)
    },
  }
}

export type EndpointRouting = ReturnType<typeof createEndpointRouting>

function keyOf({ headers = {} }: RequestSpec): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === 'idempotency-key')?.[1]
}

/** A refusal changes nothing, nor do the routes without a stored chat. */
function changesState({ method, path }: RequestSpec, { response }: Exchange): boolean {
  if (method === 'GET') return false
  const operation = operationAt(method, path)
  if (operation === 'openai.chat' || operation === 'v3.oneShot') return false
  const status = response?.status ?? 0
  return status < 400 || status >= 500
}
