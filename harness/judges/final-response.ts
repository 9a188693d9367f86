import { asArray, asObject, asString, isObject, type JsonObject } from '../../contract/json.ts'
import { finalResponse } from '../../contract/wire.ts'
import { judgeShape } from './bodies/shape.ts'
import type { FindingCollector } from './finding-collector.ts'

/** The text of a response: every `output_text` of its messages, joined. Empty if it has none. */
export function finalText(response: unknown): string {
  return itemsOf(response)
    .filter((item) => item['type'] === 'message')
    .flatMap((item) => asArray(item['content']))
    .map((part) => (isTextPart(part) ? (asString(part['text']) ?? '') : ''))
    .join('')
}

export function itemsOf(response: unknown): JsonObject[] {
  return asArray(asObject(response)?.['output']).filter(isObject)
}

/** V3-GEN-02: typed items that hold the answer. A failed or cut response need not have any. */
export function judgeOutput(
  collector: FindingCollector,
  response: JsonObject,
  event?: number,
): void {
  judgeShape(collector, response, {
    schema: finalResponse,
    requirements: [],
    requirementFor: () => 'V3-GEN-02',
  })
  if (collector.isBroken('V3-GEN-02')) return
  const status = response['status'] ?? 'completed'
  if (status !== 'completed') return
  const items = itemsOf(response)
  const types = items.map((item) => item['type']).join(', ') || 'no item'
  // Reasoning leads to an answer; a client that gets nothing else has none.
  if (items.some((item) => item['type'] !== 'reasoning')) {
    collector.held('V3-GEN-02', `The output contains ${types}.`, event)
  } else {
    collector.broken(
      'V3-GEN-02',
      `The output of a completed response contains no answer: it has ${types}.`,
      event,
    )
  }
}

function isTextPart(part: unknown): part is JsonObject {
  return isObject(part) && part['type'] === 'output_text'
}
