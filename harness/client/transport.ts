import type { Exchange, ExchangeLabels, WireRequest } from '../../contract/index.ts'

export interface Outgoing {
  /** Id of the exchange to be made. */
  readonly id: string
  readonly labels: ExchangeLabels
  readonly request: WireRequest
  /** Longest silence of the target, in milliseconds: before its headers and inside its body. */
  readonly timeoutMs: number
  /** Goes over HTTP/1.1 whatever the target chose for other requests. */
  readonly protocol?: 'http/1.1'
  /** The client that is imitated: the headers of the request are its own, host and length included. */
  readonly client?: ImitatedClient
  /** Leaves the conversation, on purpose, after so many events of a stream. */
  readonly leaveAfterEvents?: number
  /** Leaves it, on purpose, when it is aborted. */
  readonly signal?: AbortSignal
}

/** A client with connections of its own. */
export interface ImitatedClient {
  readonly name: string
  readonly keepsConnections: boolean
}

/** A conversation under way. */
export interface Pending {
  /** Resolves when the status line is there, or when the conversation ended without one. */
  readonly answered: Promise<void>
  /** Never rejects: whatever happens is told by the `ending` of the exchange. */
  readonly exchange: Promise<Exchange>
}

/** Makes exchanges. It never retries, follows no redirect and throws on no status. */
export interface Transport {
  send(outgoing: Outgoing): Pending
  close(): Promise<void>
}
