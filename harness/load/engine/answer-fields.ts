import { type Header, isObject } from '../../../contract/index.ts'
import type { JudgedRequest } from '../judging/answer-judge.ts'
import type { ClientBehavior } from '../plan/plan.ts'
import type { Counts, RequestRecord } from '../record.ts'

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

/** Fields of an unstreamed answer, on any surface; undefined if the body is not a JSON object. */
export function answerFields(json: unknown) {
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
export function tokenCounts(
  usage: Readonly<Record<string, unknown>> = {},
  showedReasoning: boolean,
): Pick<Counts, 'outputTokens' | 'streamedTokens' | 'inputTokens'> {
  const outputTokens = asCount(usage['completion_tokens'] ?? usage['output_tokens'])
  const details = usage['completion_tokens_details'] ?? usage['output_tokens_details']
  const hidden = showedReasoning ? 0 : (asCount(memberOf(details, 'reasoning_tokens')) ?? 0)
  return {
    outputTokens,
    streamedTokens: outputTokens === null ? null : Math.max(0, outputTokens - hidden),
    inputTokens: asCount(usage['prompt_tokens'] ?? usage['input_tokens']),
  }
}

/** Retry-After (RFC 9110, 10.2.3), RateLimit and X-RateLimit headers. */
export function rateLimitHeaders(headers: readonly Header[]): Readonly<Record<string, string>> {
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
