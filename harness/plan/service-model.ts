import { meanOf } from '../../contract/averages.ts'

/**
 * Service model of one replica, as far as its answers show it: continuous batching (Yu et al., "Orca",
 * OSDI 2022). Requests wait for one of `maxSequences` places. An iteration admits what waits, prefills
 * its prompts and gives each running sequence one token. A server that does not batch is the case
 * `decodeMsPerSequence` = 0.
 */
export interface ServiceModel {
  /** Sequences that are decoded together; infinite if no limit was seen. */
  readonly maxSequences: number
  /** Requests that may wait, further ones are refused; infinite if no limit was seen. */
  readonly maxWaiting: number
  /** Network, HTTP and everything else that does not depend on the load, for each request. */
  readonly overheadMs: number
  /** All running sequences wait for the prefill of an admitted prompt. */
  readonly prefillMsPerToken: number
  /** One iteration; each running sequence adds `decodeMsPerSequence`. */
  readonly decodeMs: number
  readonly decodeMsPerSequence: number
}

/** Duration of one iteration, without prefill. */
export function iterationMs(
  { decodeMs, decodeMsPerSequence }: Pick<ServiceModel, 'decodeMs' | 'decodeMsPerSequence'>,
  running: number,
): number {
  return decodeMs + running * decodeMsPerSequence
}

/** Lengths of a request in tokens. */
export interface RequestLength {
  readonly promptTokens: number
  /** Minimum 1. */
  readonly outputTokens: number
}

/**
 * Requests a second that saturate one replica: a fluid approximation, all places taken all the time.
 * Without a limit of sequences, the rate at which an infinite batch would finish them.
 */
export function saturationRate(model: ServiceModel, lengths: readonly RequestLength[]): number {
  const { maxSequences, prefillMsPerToken, decodeMs, decodeMsPerSequence } = model
  const prompt = meanOf(lengths.map(({ promptTokens }) => promptTokens)) ?? 0
  const output = meanOf(lengths.map(({ outputTokens }) => outputTokens)) ?? 0
  const decode = output * (decodeMs / maxSequences + decodeMsPerSequence)
  return 1000 / (prompt * prefillMsPerToken + decode)
}
