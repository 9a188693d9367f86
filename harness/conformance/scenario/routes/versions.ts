import { type Exchange, header, mediaType } from '../../../../contract/index.ts'
import { deliveryOf } from '../../../judges/index.ts'
import { InconclusiveError } from '../../session/errors.ts'
import type { SendOptions } from '../../session/requests/wire-request.ts'
import { describeShape, statusText } from '../read.ts'

/** The responses to one request over the two versions of HTTP. */
export interface Compared {
  readonly http2: Exchange
  readonly http1: Exchange
}

/**
 * Sends a request over HTTP/2, chosen by the target, and over HTTP/1.1. Undefined if the target chose
 * HTTP/1.1, is busy, or the budget of the run is spent.
 */
export async function overBothVersions(
  send: (options: SendOptions) => Promise<Exchange>,
): Promise<Compared | undefined> {
  try {
    const http2 = await send({ negotiates: true })
    if (http2.protocol !== 'h2') return undefined
    return { http2, http1: await send({ protocol: 'http/1.1' }) }
  } catch (error) {
    if (error instanceof InconclusiveError) return undefined
    throw error
  }
}

/**
 * Differences of two responses apart from model text, one sentence for each: `status 200 over HTTP/2, 404
 * over HTTP/1.1`. Consequences of another difference are omitted.
 */
export function findDifferences({ http2, http1 }: Compared): string[] {
  const differing = (facets: readonly Facet[]) =>
    facets
      .map(({ name, of }) => ({ name, over2: of(http2), over1: of(http1) }))
      .filter(({ over2, over1 }) => over2 !== over1)
      .map(({ name, over2, over1 }) => `${name} ${over2} over HTTP/2, ${over1} over HTTP/1.1`)
  for (const facet of decisive) {
    const differences = differing([facet])
    if (differences.length > 0) return differences
  }
  const delivered = { name: 'text', of: deliveryIn }
  const isTimed = [http2, http1].every((one) => deliveryOf(one).kind !== 'undecided')
  return differing(isTimed ? [...others, delivered] : others)
}

interface Facet {
  readonly name: string
  readonly of: (exchange: Exchange) => string
}

/** Facets whose difference implies that all later ones differ. */
const decisive: readonly Facet[] = [
  { name: 'status', of: answerOf },
  { name: 'media type', of: (exchange) => mediaType(exchange) || 'none' },
]

const others: readonly Facet[] = [
  { name: 'Content-Encoding', of: (exchange) => fieldOf(exchange, 'content-encoding') ?? 'none' },
  { name: 'Retry-After', of: (exchange) => presenceOf(exchange, 'retry-after') },
  { name: 'WWW-Authenticate', of: (exchange) => presenceOf(exchange, 'www-authenticate') },
  { name: 'body', of: bodyOf },
]

function answerOf(exchange: Exchange): string {
  const { ending } = exchange
  const broken = 'error' in ending ? ` (${ending.error})` : ''
  return ending.kind === 'complete'
    ? statusText(exchange)
    : `${statusText(exchange)}, ${ending.kind}${broken}`
}

function fieldOf({ response }: Exchange, name: string): string | undefined {
  return header(response?.headers ?? [], name)
}

function presenceOf(exchange: Exchange, name: string): string {
  return fieldOf(exchange, name) === undefined ? 'absent' : 'present'
}

/** Events in the middle of a stream depend on what the model does. */
function bodyOf(exchange: Exchange): string {
  const [first, last] = [exchange.events[0], exchange.events.at(-1)]
  if (first === undefined || last === undefined) return describeShape(exchange)
  const end = last.data.trim() === '[DONE]' ? '[DONE]' : (last.name ?? 'data')
  return `${first.name ?? 'data'} to ${end}`
}

function deliveryIn(exchange: Exchange): string {
  return deliveryOf(exchange).kind === 'spread' ? 'as it was made' : 'held back'
}
