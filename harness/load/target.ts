import type { Surface } from '../../contract/catalog/requirement.ts'
import type { Prefixes } from '../../contract/operations.ts'
import type { NetworkOptions } from '../client/network/sockets.ts'
import type { Secret } from '../client/redaction/redaction.ts'
import type { AnswerLimits } from './http/answer-body.ts'
import type { ChannelPool } from './http/channel.ts'
import type { Arrival } from './plan/plan.ts'
import { drawsOf, hashText } from './plan/random.ts'

/**
 * Distribution of requests over the endpoints of a service. `sticky`: all requests about a chat go to the
 * endpoint that created it, other requests of a transaction to one endpoint.
 */
export const spreads = ['round-robin', 'random', 'sticky'] as const
export type Spread = (typeof spreads)[number]

/** A deployment under load; structured-cloneable. */
export interface LoadTarget {
  /** The only endpoint, or the first of several. */
  readonly baseUrl: string
  readonly prefixes?: Prefixes
  /** Capabilities that the profile declares, for the report. */
  readonly capabilities?: Readonly<Record<string, boolean>>
  /** Two or more, with the names that reports use; absent for a target with one endpoint. */
  readonly endpoints?: {
    readonly list: readonly { readonly name: string; readonly baseUrl: string }[]
    readonly spread: Spread
  }
  /** Network options; a direct connection by default. */
  readonly network?: NetworkOptions
  /** Bearer token of each surface; null if it has none. */
  readonly tokens: Readonly<Record<Surface, string | null>>
  readonly headers: Readonly<Record<string, string>>
  readonly model: string
  /** Id of an assistant with a knowledge base, for requests with `rag`; null if none is known. */
  readonly assistant: string | null
  /** Further fields of the body of a v3 generation. */
  readonly generate: Readonly<Record<string, unknown>>
  readonly recall: { readonly tell: string; readonly ask: string }
  /** Source of v2 chats; null if the profile has none. */
  readonly v2Chat: V2Chat | null
  /** Further fields of the body that creates a v3 chat. */
  readonly createChat: Readonly<Record<string, unknown>>
  /** JSON pointer to the id of a new chat, if it is not found by value. */
  readonly chatId: string | null
  /** Limits of one answer; the defaults of the profile if absent. */
  readonly limits?: AnswerLimits
  /** Maximum time without data, in milliseconds. */
  readonly timeoutMs: number
  /** Maximum preparation time, in milliseconds; unlimited if absent. */
  readonly runMs?: number
  readonly userAgent: string
  /** Names the run in X-Request-Id and in everything that it creates. */
  readonly tag: string
  /** File of the journal of created chats; none by default. */
  readonly journal?: string
  /** Texts that must not appear in any file or output. */
  readonly secrets: readonly Secret[]
}

/** Source of v2 chats, as in the profile: ids, any UUID, or a request that creates one, with a pointer to its id. */
type V2Chat =
  | { readonly ids: readonly string[] }
  | { readonly anyUuid: true }
  | {
      readonly create: {
        readonly method: string
        readonly path: string
        readonly query?: Readonly<Record<string, string>> | undefined
        readonly body?: unknown
        readonly id?: string | undefined
      }
    }

/** A target with only a URL and a key. */
export function plainTarget(baseUrl: string, key: string): LoadTarget {
  return {
    baseUrl,
    tokens: { openai: key, v2: key, v3: key },
    headers: {},
    model: 'svc-main-model',
    assistant: null,
    generate: {},
    recall: { tell: 'My name is {nonce}.', ask: 'What is my name?' },
    v2Chat: null,
    createChat: {},
    chatId: null,
    timeoutMs: 60_000,
    userAgent: 'chatgen-conformance',
    tag: 'chatgen-plain',
    secrets: [{ name: 'api key', value: key }],
  }
}

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

export interface RoutedRequest extends Pick<Arrival, 'index' | 'session' | 'nonce'> {
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
