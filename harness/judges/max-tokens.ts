import { asObject, type JsonObject } from '../../contract/json.ts'
import type { FindingCollector } from './finding-collector.ts'
import { asIndex } from './json.ts'

/**
 * OAI-MAXTOK-01 and -02, where one exchange shows them: the usage counts what the answer took. An
 * answer of exactly `max_tokens` that ends with another reason than `length` may have come to its
 * own end there, so that alone breaks nothing.
 */
export function judgeMaxTokens(
  collector: FindingCollector,
  request: JsonObject,
  usage: JsonObject,
  reasons: readonly string[],
): void {
  const maxTokens = maxTokensOf(request)
  const used = asIndex(usage['completion_tokens'])
  // With several choices the usage is their sum.
  if (maxTokens === undefined || used === undefined || reasons.length > 1) return
  if (used > maxTokens) {
    collector.broken('OAI-MAXTOK-01', `The answer took ${used} tokens; max_tokens is ${maxTokens}.`)
    return
  }
  collector.held('OAI-MAXTOK-01', `${used} of at most ${maxTokens} tokens.`)
  if (used === maxTokens && reasons.includes('length')) {
    collector.held('OAI-MAXTOK-02', `Cut at ${maxTokens} tokens, with the finish_reason length.`)
  }
}

/** OAI-CHAT-10, where a usage has the three counts. */
export function judgeSum(collector: FindingCollector, usage: JsonObject): void {
  const { prompt_tokens: prompt, completion_tokens: completed, total_tokens: total } = usage
  if (![prompt, completed, total].every(Number.isInteger)) return
  const sum = Number(prompt) + Number(completed)
  const why = `total_tokens is ${total}, for ${prompt} prompt and ${completed} completion tokens`
  if (total === sum) collector.held('OAI-CHAT-10', `${why}.`)
  else collector.broken('OAI-CHAT-10', `${why}: expected ${sum}.`)
}

/** `max_tokens` of a request, where it is one: what 0 and below mean is open. */
export function maxTokensOf(request: unknown): number | undefined {
  const value = asIndex(asObject(request)?.['max_tokens'])
  return value === 0 ? undefined : value
}
