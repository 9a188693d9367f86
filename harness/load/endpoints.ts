import type { ChannelPool } from './http/channel.ts'
import { drawsOf, hashText } from './plan/random.ts'
import type { LoadTarget, Spread } from './target.ts'

/** One of the endpoints of a target, with the connections of a worker to it. */
export interface LoadEndpoint {
  /** The target, with the base URL of this endpoint. */
  readonly target: LoadTarget
  readonly channels: ChannelPool
}

/** The target once for each of its endpoints. */
export function endpointTargets(target: LoadTarget): readonly LoadTarget[] {
  if (target.endpoints === undefined) return [target]
  return target.endpoints.list.map(({ baseUrl }) => ({ ...target, baseUrl }))
}

export interface RoutedRequest {
  /** Index, session and nonce of its arrival. */
  readonly index: number
  readonly session: number
  readonly nonce: string
  /** Position in its transaction. */
  readonly step: number
  /** Undefined for a request without a chat. */
  readonly chat: string | undefined
  /** Endpoint that created the chat; undefined for a chat of the profile. */
  readonly home: number | undefined
}

/**
 * The endpoint of a request, from 0. It follows from the plan alone, except for `home`, and does not depend
 * on shards or workers. With `round-robin`, the two requests of a race go to different endpoints.
 */
export function endpointOf(spread: Spread, count: number, request: RoutedRequest): number {
  const { index, step, session, nonce, chat, home } = request
  switch (spread) {
    case 'round-robin':
      return (index + step) % count
    case 'random':
      return Math.floor(drawsOf(hashText(`${nonce}/endpoint`), step)() * count)
    case 'sticky':
      return home ?? (chat === undefined ? session : hashText(chat)) % count
  }
}
