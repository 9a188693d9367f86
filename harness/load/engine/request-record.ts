import type { Surface } from '../../../contract/catalogue/requirement.ts'
import { type Header, isObject } from '../../../contract/index.ts'
import { StreamContents } from '../../judges/index.ts'
import type { JudgedRequest } from '../judging/answer-judge.ts'
import { CrossTalkDetector } from '../judging/cross-talk-detector.ts'
import type { ClientBehavior } from '../plan/plan.ts'
import type { Counts, RequestOutcome, RequestRecord, Timestamps } from '../record.ts'

/** One request, ready to be sent. */
export interface PlannedRequest extends JudgedRequest {
  /** Index of the arrival in the plan. */
  readonly index: number
  /** Position within its transaction, from 0. */
  readonly step: number
  /** Name of the transaction in the mix. */
  readonly transaction: string
  readonly surface: Surface
  /** Index of its endpoint; absent for a target with one. */
  readonly endpoint?: number
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

type MutableTimestamps = { -readonly [Name in keyof Timestamps]: Timestamps[Name] }

/**
 * Collects the record of one request while its answer arrives. All content of one read has the timestamp
 * of the read.
 */
export class RecordBuilder {
  /** Time of the read that is being processed. */
  readAt = 0
  /** Time of the last read or write; infinite while the request waits for the connection limit. */
  lastActivity = Number.POSITIVE_INFINITY
  readonly timestamps: MutableTimestamps
  /** Filled by the judge, or by `body`. */
  readonly contents = new StreamContents()
  readonly crossTalk: CrossTalkDetector
  /** First requirement that the answer violates. */
  finding: string | undefined
  events = 0
  generated = 0
  readonly #plan: PlannedRequest
  readonly #gapsNs: number[] = []
  #status: number | null = null
  #reads = 0
  #bytes = 0
  #showedReasoning = false
  #newConnection = false
  /** Headers of a rate limit; only of an answer 429. */
  #rateLimit: Readonly<Record<string, string>> | undefined

  constructor(plan: PlannedRequest) {
    this.#plan = plan
    this.crossTalk = new CrossTalkDetector(plan.noncePrefix, plan.nonce)
    this.timestamps = {
      planned: plan.planned,
      dispatched: plan.dispatched,
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

  /** Null before the status line. */
  get status(): number | null {
    return this.#status
  }

  sent(at: number, readyAt: number | null): void {
    this.lastActivity = at
    this.timestamps.sent = at
    this.timestamps.connected = readyAt ?? at
    this.#newConnection = readyAt !== null
  }

  head(status: number, headers: readonly Header[], at: number): void {
    this.read(0, at)
    this.#status = status
    this.timestamps.headers = at
    if (status === 429) this.#rateLimit = rateLimitHeaders(headers)
  }

  read(bytes: number, at: number): void {
    // An encoded body is processed later, with the timestamp of its own read.
    if (at !== this.lastActivity) this.#reads += 1
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
    const { contents } = this
    contents.id = fields.id
    contents.usage = fields.usage
    contents.failure = fields.failure
    this.crossTalk.add(fields.text)
  }

  msSinceSent(at: number): number {
    return (at - (this.timestamps.sent ?? at)) / 1e6
  }

  /** The record of the settled request. */
  build(outcome: RequestOutcome): RequestRecord {
    const { index, step, transaction, surface, endpoint, operation, form } = this.#plan
    return {
      index,
      step,
      transaction,
      surface,
      ...(endpoint === undefined ? {} : { endpoint }),
      operation,
      form,
      timestamps: this.timestamps,
      gapsNs: this.#gapsNs,
      counts: this.#counts(),
      status: this.#status,
      outcome,
      ...(this.finding === undefined ? {} : { finding: this.finding }),
      ...(this.#rateLimit === undefined ? {} : { rateLimit: this.#rateLimit }),
    }
  }

  /** Accepts the names of the compatible and of the native surface. */
  #counts(): Counts {
    const { usage = {} } = this.contents
    const outputTokens = asCount(usage['completion_tokens'] ?? usage['output_tokens'])
    const details = usage['completion_tokens_details'] ?? usage['output_tokens_details']
    const hidden = this.#showedReasoning ? 0 : (asCount(memberOf(details, 'reasoning_tokens')) ?? 0)
    return {
      bytes: this.#bytes,
      reads: this.#reads,
      events: this.events,
      generated: this.generated,
      outputTokens,
      streamedTokens: outputTokens === null ? null : Math.max(0, outputTokens - hidden),
      inputTokens: asCount(usage['prompt_tokens'] ?? usage['input_tokens']),
      newConnection: this.#newConnection,
    }
  }
}

/** Fields of an unstreamed answer, on any surface. */
interface AnswerFields {
  readonly id: string | undefined
  readonly text: string
  readonly usage: Readonly<Record<string, unknown>> | undefined
  readonly failure: string | undefined
}

/** Undefined if the body is no JSON object. */
function answerFields(json: unknown): AnswerFields | undefined {
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
