import type { ContentKind, StreamWatcher } from '../../judges/index.ts'
import type { OpenedConnection } from '../http/channel.ts'
import type { Counts, Timestamps } from '../record.ts'

type MutableTimestamps = { -readonly [Name in keyof Timestamps]: Timestamps[Name] }

/** Stamps of one request. Everything that one read brings has the stamp of the read. */
export class RequestTimings implements StreamWatcher {
  /** Of the read that is being worked off. */
  readAt = 0
  /** The last sign of life of the peer, or of our own sending. */
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

  read(bytes: number, at: number): void {
    // What is decoded is worked off later, under the stamp of its own read.
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

  /** Both surfaces' names of the counts. */
  usage(usage: Readonly<Record<string, unknown>>): void {
    this.outputTokens = asCount(usage['completion_tokens'] ?? usage['output_tokens'])
    this.inputTokens = asCount(usage['prompt_tokens'] ?? usage['input_tokens'])
    const details = usage['completion_tokens_details'] ?? usage['output_tokens_details']
    this.#reasoningTokens = asCount(memberOf(details, 'reasoning_tokens')) ?? 0
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

function asCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : null
}

function memberOf(value: unknown, name: string): unknown {
  return value !== null && typeof value === 'object' ? Reflect.get(value, name) : undefined
}
