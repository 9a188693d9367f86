import type { ContentKind, StreamWatcher } from '../../judges/index.ts'
import type { Opened } from '../http/channel.ts'
import type { Counts, Stamps } from '../record.ts'

type Moments = { -readonly [Name in keyof Stamps]: Stamps[Name] }

/** Stamps of one request. Everything that one read brings has the stamp of the read. */
export class Stopwatch implements StreamWatcher {
  /** Of the read that is being worked off. */
  at = 0
  /** The last sign of life of the peer, or of our own sending. */
  lastSign: number
  readonly moments: Moments
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
    this.lastSign = dispatched
    this.moments = {
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

  sent(at: number, opened: Opened | null): void {
    this.lastSign = at
    this.moments.sent = at
    this.moments.connected = opened?.readyAt ?? at
    this.newConnection = opened !== null
  }

  read(bytes: number, at: number): void {
    // What is decoded is worked off later, under the stamp of its own read.
    if (at !== this.lastSign) this.reads += 1
    this.at = at
    this.lastSign = at
    this.bytes += bytes
  }

  event(): void {
    this.events += 1
    this.moments.firstEvent ??= this.at
  }

  content(kind: ContentKind, _text?: string): void {
    const { moments, at } = this
    if (moments.lastGenerated === null) moments.firstGenerated = at
    else this.gapsNs.push(at - moments.lastGenerated)
    moments.lastGenerated = at
    this.generated += 1
    if (kind === 'text') moments.firstText ??= at
    else if (kind === 'reasoning') this.#showedReasoning = true
  }

  terminal(): void {
    this.moments.terminal ??= this.at
  }

  serverFailed(): void {}

  id(): void {}

  /** Both surfaces' names of the counts. */
  usage(usage: Readonly<Record<string, unknown>>): void {
    this.outputTokens = count(usage['completion_tokens'] ?? usage['output_tokens'])
    this.inputTokens = count(usage['prompt_tokens'] ?? usage['input_tokens'])
    const details = usage['completion_tokens_details'] ?? usage['output_tokens_details']
    this.#reasoningTokens = count(memberOf(details, 'reasoning_tokens')) ?? 0
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

function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : null
}

function memberOf(value: unknown, name: string): unknown {
  return value !== null && typeof value === 'object' ? Reflect.get(value, name) : undefined
}
