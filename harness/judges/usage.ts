import type { RequirementId } from '../../contract/index.ts'
import { asObject, type JsonObject } from '../../contract/json.ts'
import type { FindingCollector } from './finding-collector.ts'
import { asIndex, show } from './json.ts'
import { maxTokensOf } from './max-tokens.ts'

/**
 * R18 of docs/internals/wire-contract.md: the sums of a v3 usage, as far as it shows the counts, and `max_tokens`
 * (V3-GEN-10). `row` is the row of the form: one for streams, one for JSON.
 */
export function judgeUsage(
  collector: FindingCollector,
  row: RequirementId,
  response: JsonObject,
  request: unknown,
  event?: number,
): void {
  const usage = asObject(response['usage'])
  if (usage === undefined) return
  const fault = faultOf(usage)
  if (fault !== undefined) collector.broken(row, fault, event)
  else if (asIndex(usage['total_tokens']) !== undefined) {
    collector.held(
      row,
      `input ${usage['input_tokens']} + output ${usage['output_tokens']} = total.`,
      event,
    )
  }
  const maxTokens = maxTokensOf(request)
  const output = asIndex(usage['output_tokens'])
  if (maxTokens === undefined || output === undefined) return
  const why = `output_tokens is ${output}; max_tokens is ${maxTokens}.`
  if (output > maxTokens) collector.broken('V3-GEN-10', why, event)
  else collector.held('V3-GEN-10', why, event)
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
  if (
    input != null &&
    output != null &&
    total != null &&
    Number(input) + Number(output) !== total
  ) {
    return `total_tokens is ${total}; input ${input} + output ${output} is ${Number(input) + Number(output)}.`
  }
  if (cached != null && input != null && Number(cached) > Number(input)) {
    return `cached_tokens is ${cached}, more than the ${input} input tokens.`
  }
  if (reasoning != null && output != null && Number(reasoning) > Number(output)) {
    return `reasoning_tokens is ${reasoning}, more than the ${output} output tokens.`
  }
  return undefined
}
