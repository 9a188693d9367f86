import type { RequirementId } from '../../contract/index.ts'
import { asArray, asObject, asString, isObject, type JsonObject } from '../../contract/json.ts'
import { finalResponse } from '../../contract/wire.ts'
import { faultsOf } from './bodies/shape.ts'
import type { FindingCollector } from './finding-collector.ts'
import { asIndex, show } from './json.ts'

/**
 * R18 of docs/internals/wire-contract.md: the sums of a v3 usage, for the counts that it shows, and
 * `max_tokens` (V3-GEN-10). `requirement` is that of the form: one for streams, one for JSON.
 */
export function judgeUsage(
  collector: FindingCollector,
  requirement: RequirementId,
  response: JsonObject,
  request: unknown,
  event?: number,
): void {
  const usage = asObject(response['usage'])
  if (usage === undefined) return
  const fault = faultOf(usage)
  if (fault !== undefined) collector.broken(requirement, fault, event)
  else if (asIndex(usage['total_tokens']) !== undefined) {
    const sum = `input ${usage['input_tokens']} + output ${usage['output_tokens']} = total.`
    collector.held(requirement, sum, event)
  }
  const maxTokens = maxTokensOf(request)
  const output = asIndex(usage['output_tokens'])
  if (maxTokens === undefined || output === undefined) return
  const why = `output_tokens is ${output}; max_tokens is ${maxTokens}.`
  // Whether reasoning counts against max_tokens is open, and so is its number in a usage without details.
  const details = asIndex(asObject(usage['output_tokens_details'])?.['reasoning_tokens'])
  if (details === undefined && asObject(request)?.['think'] === true) return
  // A tool is called by a generation of its own, and usage may be their sum.
  const isCall = (item: unknown) => asString(asObject(item)?.['type'])?.endsWith('_call')
  if (asArray(response['output']).some(isCall)) return
  const reasoning = details ?? 0
  collector.decide('V3-GEN-10', output - reasoning > maxTokens && why, why, event)
}

function faultOf(usage: JsonObject): string | undefined {
  const counts = {
    input_tokens: usage['input_tokens'],
    output_tokens: usage['output_tokens'],
    total_tokens: usage['total_tokens'],
    cached_tokens: asObject(usage['input_tokens_details'])?.['cached_tokens'],
    reasoning_tokens: asObject(usage['output_tokens_details'])?.['reasoning_tokens'],
  }
  for (const [name, count] of Object.entries(counts)) {
    if (count != null && asIndex(count) === undefined)
      return `${name} is ${show(count)}, not an integer of at least 0.`
  }
  const { input_tokens: input, output_tokens: output, total_tokens: total } = counts
  const { cached_tokens: cached, reasoning_tokens: reasoning } = counts
  const sum = Number(input) + Number(output)
  if (input != null && output != null && total != null && sum !== total) {
    return `total_tokens is ${total}; input ${input} + output ${output} is ${sum}.`
  }
  if (cached != null && input != null && Number(cached) > Number(input)) {
    return `cached_tokens is ${cached}, more than the ${input} input tokens.`
  }
  if (reasoning != null && output != null && Number(reasoning) > Number(output)) {
    return `reasoning_tokens is ${reasoning}, more than the ${output} output tokens.`
  }
  return undefined
}

/**
 * OAI-MAXTOK-01 and -02, if one exchange shows them: the usage counts the tokens of the answer. An answer of
 * exactly `max_tokens` with a finish reason other than `length` may have ended there by itself, so that alone
 * breaks nothing.
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
  // The document bounds the tokens in the answer.
  const reasoning = asIndex(asObject(usage['completion_tokens_details'])?.['reasoning_tokens']) ?? 0
  if (used - reasoning > maxTokens) {
    collector.broken('OAI-MAXTOK-01', `The answer took ${used} tokens; max_tokens is ${maxTokens}.`)
    return
  }
  collector.held('OAI-MAXTOK-01', `${used} of at most ${maxTokens} tokens.`)
  if (used === maxTokens && reasons.includes('length')) {
    collector.held('OAI-MAXTOK-02', `Cut at ${maxTokens} tokens, with the finish_reason length.`)
  }
}

/** OAI-CHAT-10, if a usage has the three counts. */
export function judgeSum(collector: FindingCollector, usage: JsonObject): void {
  const { prompt_tokens: prompt, completion_tokens: completed, total_tokens: total } = usage
  if (![prompt, completed, total].every(Number.isInteger)) return
  const sum = Number(prompt) + Number(completed)
  const why = `total_tokens is ${total}, for ${prompt} prompt and ${completed} completion tokens`
  collector.decide('OAI-CHAT-10', total !== sum && `${why}: expected ${sum}.`, `${why}.`)
}

/** `max_tokens` of a request, if it is positive: the meaning of 0 and below is open. */
export function maxTokensOf(request: unknown): number | undefined {
  const value = asIndex(asObject(request)?.['max_tokens'])
  return value === 0 ? undefined : value
}

/** The text of a response: every `output_text` of its messages, joined. Empty if it has none. */
export function finalText(response: unknown): string {
  return itemsOf(response)
    .filter((item) => item['type'] === 'message')
    .flatMap((item) => asArray(item['content']).filter(isObject))
    .map((part) => (part['type'] === 'output_text' ? (asString(part['text']) ?? '') : ''))
    .join('')
}

export function itemsOf(response: unknown): JsonObject[] {
  return asArray(asObject(response)?.['output']).filter(isObject)
}

/** V3-GEN-02: typed items that contain the answer. A failed or cut response need not have any. */
export function judgeOutput(
  collector: FindingCollector,
  response: JsonObject,
  event?: number,
): void {
  const [fault] = faultsOf(response, finalResponse)
  if (fault !== undefined) {
    collector.broken('V3-GEN-02', fault.why)
    return
  }
  const status = response['status'] ?? 'completed'
  if (status !== 'completed') return
  const items = itemsOf(response)
  const types = items.map((item) => item['type']).join(', ') || 'no item'
  // Reasoning leads to an answer; a client that gets nothing else has none.
  const hasAnswer = items.some((item) => item['type'] !== 'reasoning')
  const none = `The output of a completed response contains no answer: it has ${types}.`
  collector.decide('V3-GEN-02', !hasAnswer && none, `The output contains ${types}.`, event)
}
