import type { Header } from '../../../contract/index.ts'
import type { ContentKind, StreamWatcher } from '../../judges/index.ts'
import type { OpenedConnection } from '../http/channel.ts'
import type { Counts, Timestamps } from '../record.ts'

type MutableTimestamps = { -readonly [Name in keyof Timestamps]: Timestamps[Name] }

/** Timestamps and counters of one request. All content of one read has the timestamp of the read. */
export class RequestTimings implements StreamWatcher {
  /** Time of the read that is being processed. */
  readAt = 0
  /** Time of the last read or write. */
  lastActivity: number
  readonly timestamps: MutableTimestamps
  readonly gapsNs: number[] = []
  reads = 0
  bytes = 0
  events = 0
  generated = 0
  outputTokens: number | null = null
  inputTokens: number | null = null
  #reasoningTokens = 0
  #showedReasoning = false
  newConnection = false
  /** Headers of a rate limit; only of an answer 429. */
  rateLimit: Readonly<Record<string, string>> | undefined

  constructor(planned: number, dispatched: number) {
    this.lastActivity = dispatched
    this.timestamps = {
      planned,
      dispatched,
      connected: null,
      sent: null,
      headers: null,
      firstEvent: null,
      firstGenerated: null,
      firstText: null,
      lastGenerated: null,
      terminal: null,
      ended: null,
    }
  }

  sent(at: number, opened: OpenedConnection | null): void {
    this.lastActivity = at
    this.timestamps.sent = at
    this.timestamps.connected = opened?.readyAt ?? at
    this.newConnection = opened !== null
  }

  head(status: number, headers: readonly Header[], at: number): void {
    this.read(0, at)
    this.timestamps.headers = at
    if (status === 429) this.rateLimit = rateLimitHeaders(headers)
  }

  read(bytes: number, at: number): void {
    // An encoded body is processed later, with the timestamp of its own read.
    if (at !== this.lastActivity) this.reads += 1
    this.readAt = at
    this.lastActivity = at
    this.bytes += bytes
  }

  event(): void {
    this.events += 1
    this.timestamps.firstEvent ??= this.readAt
  }

  content(kind: ContentKind, _text?: string): void {
    const { timestamps, readAt } = this
    if (timestamps.lastGenerated === null) timestamps.firstGenerated = readAt
    else this.gapsNs.push(readAt - timestamps.lastGenerated)
    timestamps.lastGenerated = readAt
    this.generated += 1
    if (kind === 'text') timestamps.firstText ??= readAt
    else if (kind === 'reasoning') this.#showedReasoning = true
  }

  terminal(): void {
    this.timestamps.terminal ??= this.readAt
  }

  serverFailed(): void {}

  id(): void {}

  /** Accepts the names of the compatible and of the native surface. */
  usage(usage: Readonly<Record<string, unknown>>): void {
    this.outputTokens = asCount(usage['completion_tokens'] ?? usage['output_tokens'])
    this.inputTokens = asCount(usage['prompt_tokens'] ?? usage['input_tokens'])
    const details = usage['completion_tokens_details'] ?? usage['output_tokens_details']
    this.#reasoningTokens = asCount(memberOf(details, 'reasoning_tokens')) ?? 0
  }

  msSinceSent(at: number): number {
    return (at - (this.timestamps.sent ?? at)) / 1e6
  }

  get counts(): Counts {
    const { bytes, reads, events, generated, outputTokens, inputTokens, newConnection } = this
    const { streamedTokens } = this
    return {
      ...{ bytes, reads, events, generated },
      ...{ outputTokens, streamedTokens, inputTokens, newConnection },
    }
  }

  get streamedTokens(): number | null {
    if (this.outputTokens === null || this.#showedReasoning) return this.outputTokens
    return Math.max(0, this.outputTokens - this.#reasoningTokens)
  }
}

/** Retry-After (RFC 9110, 10.2.3), and what servers call RateLimit or X-RateLimit. */
function rateLimitHeaders(headers: readonly Header[]): Readonly<Record<string, string>> {
  const named = headers.map(([name, value]) => [name.toLowerCase(), value] as const)
  return Object.fromEntries(
    named.filter(([name]) => /^(?:retry-after|(?:x-)?ratelimit)/.test(name)),
  )
}

function asCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : null
}

function memberOf(value: unknown, name: string): unknown {
  return value !== null && typeof value === 'object' ? Reflect.get(value, name) : undefined
}
