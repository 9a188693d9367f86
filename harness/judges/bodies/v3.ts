import { asArray, asObject, asString, isObject, type JsonObject } from '../../../contract/json.ts'
import { historyItem, historyPage, inputItem } from '../../../contract/wire.ts'
import { itemsOf, judgeOutput, judgeUsage } from '../final-response.ts'
import type { FindingCollector } from '../finding-collector.ts'
import { show } from '../json.ts'
import { type BodyJudge, judgeShape } from './shape.ts'

/** Sections 2.6 and 4.3: one page of a history, as its query requested it. */
export const judgeHistory: BodyJudge = (collector, body, _, exchange) => {
  judgeShape(collector, body, historyPage, 'V3-HIST-01')
  if (collector.isBroken('V3-HIST-01')) return
  const rows = asArray(body['result']).filter(isObject)
  const pagination = asObject(body['pagination']) ?? {}
  for (const row of rows) {
    judgeShape(collector, row['item'], historyItem, 'V3-HIST-02')
    const item = asObject(row['item'])
    if (item === undefined) continue
    for (const [member, requirement] of copies) {
      const [original, copy] = [item[member], row[`item_${member}`]]
      const text = `item_${member} is ${show(copy)}`
      const other = `${text}; the ${member} of the item is ${show(original)}.`
      if (original != null) {
        collector.decide(requirement, copy !== original && other, `${text}, as in the item.`)
      } else if (member === 'status' && copy == null && !isInput(item)) {
        // Section 2.6: a copy, if present. Inputs never have a status, so they show nothing about it.
        collector.held(requirement, 'Neither the item nor its row has a status.')
      }
    }
    if (isInput(item)) judgeShape(collector, item, inputItem, 'V3-HIST-05')
  }
  judgeCursor(collector, pagination['cursor'])
  const sent = new URL(exchange.request.url).searchParams.get('limit') ?? ''
  const isMore = rows.length > Number(sent)
  // The last page would have the same length without a limit.
  const isTelling = rows.length >= Number(sent) || pagination['cursor'] !== null
  if (/^[1-9]\d{0,8}$/.test(sent) && isTelling) {
    const why = `A page with limit ${sent} has ${rows.length} rows.`
    collector.decide('V3-HIST-09', isMore && why, why)
  }
  const statuses = rows.flatMap((row) => asString(row['item_status']) ?? [])
  if (statuses.length > 0) collector.observed('OPEN-05', sorted(statuses))
  if (rows.length === 0) return
  const documented = new Set(['item', 'item_type', 'item_status'])
  const members = rows.flatMap((row) => Object.keys(row))
  const beside = sorted(members.filter((key) => !documented.has(key))) || 'none'
  const paging = sorted(Object.keys(pagination).filter((key) => key !== 'cursor')) || 'none'
  collector.observed('OPEN-03', `row: ${beside}; pagination: ${paging}`)
}

const copies = [
  ['type', 'V3-HIST-03'],
  ['status', 'V3-HIST-04'],
] as const

/** Messages that the model did not generate are inputs, and so are items with the role of an input. */
function isInput(item: JsonObject): boolean {
  const role = item['role']
  if (role === 'user' || role === 'system' || role === 'developer') return true
  return item['type'] === 'message' && role !== 'assistant'
}

/** Judges the cursor by its form alone: one page does not show if more pages follow. */
function judgeCursor(collector: FindingCollector, cursor: unknown): void {
  if (cursor === null || (typeof cursor === 'string' && cursor !== '')) return
  if (cursor === undefined || cursor === '' || cursor === false) {
    const why = `The cursor is ${show(cursor)}; it must be null if there is no next page.`
    collector.broken('V3-HIST-11', why)
  } else {
    collector.broken('V3-HIST-12', `The cursor is ${show(cursor)}, not a string or null.`)
  }
}

function sorted(words: readonly string[]): string {
  return [...new Set(words)].sort().join(', ')
}

/** Section 4.3: a reply in one JSON body, the final response object. */
export const judgeResponseBody: BodyJudge = (collector, body, request) => {
  judgeOutput(collector, body)
  judgeUsage(collector, 'V3-GEN-12', body, request)
  observeItems(collector, body, request)
}

/** Observes what a final response of either form shows about open questions. */
export function observeItems(
  collector: FindingCollector,
  response: JsonObject,
  request: unknown,
): void {
  const items = itemsOf(response)
  const statuses = items.flatMap(({ status }) => asString(status) ?? [])
  if (statuses.length > 0) collector.observed('OPEN-05', sorted(statuses))
  if (asObject(request)?.['think'] !== true) {
    const reasons = items.some((item) => item['type'] === 'reasoning')
    collector.observed('OPEN-31', reasons ? 'yes' : 'no')
  }
}
