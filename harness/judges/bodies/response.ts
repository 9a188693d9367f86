import { asObject, type JsonObject } from '../../../contract/json.ts'
import { itemsOf, judgeOutput } from '../final-response.ts'
import type { FindingCollector } from '../finding-collector.ts'
import { judgeUsage } from '../usage.ts'

/** Section 4.3: a reply in one JSON body, the final response object. */
export function judgeResponseBody(
  collector: FindingCollector,
  body: JsonObject,
  request: unknown,
): void {
  judgeOutput(collector, body)
  judgeUsage(collector, 'V3-GEN-12', body, request)
  observeItems(collector, body, request)
}

/** Observes the answers of a final response to open questions, in either form. */
export function observeItems(
  collector: FindingCollector,
  response: JsonObject,
  request: unknown,
): void {
  const items = itemsOf(response)
  const statuses = items.flatMap(({ status }) => (typeof status === 'string' ? [status] : []))
  if (statuses.length > 0) collector.observed('OPEN-05', [...new Set(statuses)].sort().join(', '))
  if (asObject(request)?.['think'] !== true) {
    const reasons = items.some((item) => item['type'] === 'reasoning')
    collector.observed('OPEN-31', reasons ? 'yes' : 'no')
  }
}
