import {
  bodyText,
  type Exchange,
  isDeeperThan,
  mediaType,
  operationAt,
  requestPath,
} from '../../../../contract/index.ts'
import type { TargetProfile } from '../../profile/index.ts'
import { historyRows } from '../../scenario/read.ts'

type Limits = Pick<TargetProfile['limits'], 'jsonDepth' | 'historyRows'>

/**
 * What a target sent beyond a limit of the profile, as the end of a sentence about the request; the
 * answer is then no basis for a scenario. Undefined where it is within all of them.
 */
export function findExcess(exchange: Exchange, limits: Limits): string | undefined {
  const { ending } = exchange
  if (ending.kind === 'aborted' && ending.limit !== undefined) return ending.limit
  if (isDeep(exchange, limits.jsonDepth)) {
    return `sent JSON that is nested more than ${limits.jsonDepth} levels deep (limits.jsonDepth)`
  }
  const { request } = exchange
  if (operationAt(request.method, requestPath(exchange)) !== 'v3.history') return undefined
  const rows = historyRows(exchange).length
  return rows > limits.historyRows
    ? `sent a page of ${rows} rows, more than ${limits.historyRows} (limits.historyRows)`
    : undefined
}

/** `GET /api/v3/chat`, for the beginning of the sentence. */
export function describeRequest(exchange: Exchange): string {
  return `${exchange.request.method} ${requestPath(exchange)}`
}

/** The same answer without what it said, for who reads what comes and looks at no limits. */
export function withoutBody(exchange: Exchange, excess: string): Exchange {
  const { response, ending } = exchange
  return {
    ...exchange,
    response: response && { ...response, chunks: [] },
    events: [],
    ending: { kind: 'aborted', atMs: ending.atMs, limit: excess },
  }
}

function isDeep(exchange: Exchange, most: number): boolean {
  if (mediaType(exchange) !== 'text/event-stream') return isDeeperThan(bodyText(exchange), most)
  return exchange.events.some(({ data }) => isDeeperThan(data, most))
}
