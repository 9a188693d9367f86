import { asObject, type Header, isObject } from '../../../contract/index.ts'
import { StreamContents } from '../../judges/index.ts'
import { CrossTalkDetector, type JudgedRequest } from '../judging/answer-judge.ts'
import type { ClientBehavior } from '../plan/plan.ts'
import { type Counts, type RequestOutcome, type RequestRecord, timestampsOf } from '../record.ts'

/** One request, ready to be sent. */
export interface PlannedRequest extends JudgedRequest {
  /** The part of its record that is known by now, beside operation and form. */
  readonly head: Pick<RequestRecord, 'index' | 'step' | 'transaction' | 'surface' | 'endpoint'>
  /** Nanoseconds after the start of the run, as in `Timestamps`. */
  readonly planned: number
  readonly dispatched: number
  readonly nonce: string
  readonly noncePrefix: string
  readonly clientBehavior: ClientBehavior
  /** Strength of the behavior, 0 to 1. */
  readonly intensity: number
  readonly requestId: string
  /** True for the second of two requests with one idempotency key. */
  readonly duplicate: boolean
}

/**
 * Collects the record of one request while its answer arrives. All content of one read has the timestamp
 * of the read.
 */
export class RecordBuilder {
  /** Time of the read that is being processed; that of an encoded body is processed after later ones. */
  readAt = 0
  /** Time of the last read or write; infinite while the request waits for the connection limit. */
  lastActivity = Number.POSITIVE_INFINITY
  readonly timestamps: ReturnType<typeof timestampsOf>
  /** Filled by the judge, or by `body`. */
  readonly contents = new StreamContents()
  readonly crossTalk: CrossTalkDetector
  /** First requirement that the answer violates. */
  finding: string | undefined
  events = 0
  generated = 0
  /** Null before the status line. */
  status: number | null = null
  readonly #plan: PlannedRequest
  readonly #gapsNs: number[] = []
  #bytes = 0
  #showedReasoning = false
  #newConnection = false
  /** Headers of a rate limit; only of an answer 429. */
  #rateLimit: Readonly<Record<string, string>> | undefined

  constructor(plan: PlannedRequest) {
    this.#plan = plan
    this.crossTalk = new CrossTalkDetector(plan.noncePrefix, plan.nonce)
    this.timestamps = timestampsOf(plan.planned, plan.dispatched)
  }

  sent(at: number, readyAt: number | null): void {
    this.lastActivity = at
    this.timestamps.sent = at
    this.timestamps.connected = readyAt ?? at
    this.#newConnection = readyAt !== null
  }

  head(status: number, headers: readonly Header[], at: number): void {
    this.read(0, at)
    this.status = status
    this.timestamps.headers = at
    if (status === 429) this.#rateLimit = rateLimitHeaders(headers)
  }

  read(bytes: number, at: number): void {
    this.readAt = at
    this.lastActivity = at
    this.#bytes += bytes
  }

  /** Stamps what the judge found in the bytes of a read; returns the number of events. */
  takeContents(): number {
    const { contents, timestamps, readAt } = this
    const { events, fragments, kinds, texts } = contents
    if (events > 0) timestamps.firstEvent ??= readAt
    this.events += events
    for (let at = 0; at < fragments; at += 1) {
      if (timestamps.lastGenerated === null) timestamps.firstGenerated = readAt
      else this.#gapsNs.push(readAt - timestamps.lastGenerated)
      timestamps.lastGenerated = readAt
      if (kinds[at] === 'text') timestamps.firstText ??= readAt
      else if (kinds[at] === 'reasoning') this.#showedReasoning = true
      this.crossTalk.add(texts[at] ?? '')
    }
    this.generated += fragments
    if (contents.isTerminal) timestamps.terminal ??= readAt
    contents.clear()
    return events
  }

  /** Reads an unstreamed answer, which counts as generated at its end. */
  body(json: unknown): void {
    const fields = answerFields(json)
    if (fields === undefined) return
    const { text, ...others } = fields
    Object.assign(this.contents, others)
    this.crossTalk.add(text)
  }

  msSinceSent(at: number): number {
    return (at - (this.timestamps.sent ?? at)) / 1e6
  }

  /** The record of the settled request. */
  build(outcome: RequestOutcome): RequestRecord {
    const { head, operation, form } = this.#plan
    return {
      ...head,
      operation,
      form,
      timestamps: this.timestamps,
      gapsNs: this.#gapsNs,
      counts: {
        bytes: this.#bytes,
        events: this.events,
        generated: this.generated,
        ...tokenCounts(this.contents.usage, this.#showedReasoning),
        newConnection: this.#newConnection,
      },
      status: this.status,
      outcome,
      ...(this.finding === undefined ? {} : { finding: this.finding }),
      ...(this.#rateLimit === undefined ? {} : { rateLimit: this.#rateLimit }),
    }
  }
}

/** Fields of an unstreamed answer, on any surface; undefined if the body is not a JSON object. */
function answerFields(json: unknown) {
  if (!isObject(json)) return undefined
  const { id, usage, status, error } = json
  const generated = ['choices', 'output', 'message'].some((member) => member in json)
  return {
    id: typeof id === 'string' && generated ? id : undefined,
    text: generated ? textOf(json['choices'] ?? json['output'] ?? json['message']) : '',
    usage: isObject(usage) ? usage : undefined,
    failure: status === 'failed' ? `failed: ${textOf(error ?? null).slice(0, 200)}` : undefined,
  }
}

/** Empty if it is nested deeper than the stack allows. */
function textOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return ''
  }
}

/** Tokens of a usage, by the names of the compatible and of the native surface. */
function tokenCounts(
  usage: Readonly<Record<string, unknown>> = {},
  showedReasoning: boolean,
): Pick<Counts, 'outputTokens' | 'streamedTokens' | 'inputTokens'> {
  const outputTokens = asCount(usage['completion_tokens'] ?? usage['output_tokens'])
  const details = usage['completion_tokens_details'] ?? usage['output_tokens_details']
  const hidden = showedReasoning ? 0 : (asCount(asObject(details)?.['reasoning_tokens']) ?? 0)
  return {
    outputTokens,
    streamedTokens: outputTokens === null ? null : Math.max(0, outputTokens - hidden),
    inputTokens: asCount(usage['prompt_tokens'] ?? usage['input_tokens']),
  }
}

/** Retry-After (RFC 9110, 10.2.3), RateLimit and X-RateLimit headers. */
function rateLimitHeaders(headers: readonly Header[]): Readonly<Record<string, string>> {
  const named = headers.map(([name, value]) => [name.toLowerCase(), value] as const)
  return Object.fromEntries(
    named.filter(([name]) => /^(?:retry-after|(?:x-)?ratelimit)/.test(name)),
  )
}

function asCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : null
}
