/** The tokens of one answer, as the model generates them. */
import { type Clock, sleepUntil } from './clock.ts'
import type { Pace, Timing } from './pace.ts'

export interface Decoding {
  /** Unix milliseconds of the last token; with an engine, of the last one so far. */
  readonly endsAt: number
  /**
   * The wait for the n-th token, from 1; undefined if it is available or beyond the last one.
   *
   * @throws AbortError when the signal fires first
   */
  token(n: number, signal: AbortSignal): Promise<void> | undefined
  /** The wait for the last one. */
  all(signal: AbortSignal): Promise<void>
}

export interface DecodingRequest {
  readonly promptTokens: number
  readonly outputTokens: number
  /** Unix milliseconds. */
  readonly startedAt: number
  /** Milliseconds after the start at which each token is due by the pace of the server. */
  readonly due: readonly number[]
  /** Aborts when no client waits for the answer any more. */
  readonly signal?: AbortSignal | undefined
}

/** @throws ApiError if an engine has no room */
export type Decode = (request: DecodingRequest) => Decoding

/** Each answer has its own pace, regardless of the number of answers. */
export function decodeOnTime(clock: Clock): Decode {
  return ({ startedAt, due }) => {
    const endsAt = startedAt + (due.at(-1) ?? 0)
    return {
      endsAt,
      token(n, signal) {
        const at = due[n - 1] ?? 0
        return at > 0 ? sleepUntil(clock, startedAt + at, signal) : undefined
      },
      all: (signal) => sleepUntil(clock, endsAt, signal),
    }
  }
}

/** Begins the decoding of an answer at the pace of the server, or at that of its prompt. */
export function beginDecoding(
  services: {
    readonly clock: Pick<Clock, 'now'>
    readonly timing: Timing
    readonly decode: Decode
  },
  answer: {
    readonly tokens: { readonly input: number; readonly output: number }
    readonly pace: Partial<Pace>
  },
  signal?: AbortSignal,
): { readonly startedAt: number; readonly decoding: Decoding } {
  const startedAt = services.clock.now()
  const { input, output } = answer.tokens
  const due = services.timing(output, answer.pace)
  const request = { promptTokens: input, outputTokens: output, startedAt, due, signal }
  return { startedAt, decoding: services.decode(request) }
}

/** Each call returns the wait for the next fragment; undefined if there is no wait. */
export function tokenDelays(
  decoding: Decoding,
  signal: AbortSignal,
): () => Promise<void> | undefined {
  let fragments = 0
  return () => {
    fragments += 1
    return decoding.token(fragments, signal)
  }
}
