import {
  asArray,
  asObject,
  asString,
  isObject,
  type JsonObject,
  parseJson,
} from '../../../contract/json.ts'
import type { FindingCollector } from '../finding-collector.ts'
import { agrees, show } from '../json.ts'
import { holdsAll, type StreamOutcome } from './event.ts'

/** V3-SSE-19, -20 and -23: compares the items of the final response with the streamed ones. */
export function judgeOutputs(collector: FindingCollector, outcome: StreamOutcome): void {
  judgeSameItems(collector, outcome)
  judgeStatuses(collector, outcome)
  judgeArguments(collector, outcome)
}

function judgeSameItems(collector: FindingCollector, outcome: StreamOutcome): void {
  const { items, finals, final, terminal, finalEvent } = outcome
  if (!holdsAll(outcome) || !Array.isArray(final?.['output'])) return
  const done = items.filter((item) => item.done !== undefined)
  // Different texts make items differ; this is reported by the comparison of texts.
  if (done.length === 0 || collector.isBroken('V3-SSE-14', 'V3-SSE-17', 'V3-SSE-18')) return
  if (terminal === 'response.completed' && finals.length !== items.length) {
    const why = `${items.length} items were streamed; the final response has ${finals.length}.`
    collector.broken('V3-SSE-19', why, finalEvent)
    return
  }
  for (const [at, item] of items.entries()) {
    const there = finals[at]
    if (item.done === undefined) continue
    if (there !== undefined && agrees(withoutText(there), withoutText(item.done))) continue
    const why = `output[${at}] is ${show(there)}; the item that was done is ${show(item.done)}.`
    collector.broken('V3-SSE-19', why, finalEvent)
    return
  }
  collector.held('V3-SSE-19', 'The output equals the completed items.', finalEvent)
}

/** An item without the fields of other requirements: status, texts, annotations. */
function withoutText(item: JsonObject): JsonObject {
  const { status: _, arguments: __, ...rest } = item
  // An item without parts may omit the field: reasoning can be encrypted.
  const shapes = (parts: unknown) =>
    asArray(parts).length === 0 ? null : asArray(parts).map((part) => asObject(part)?.['type'])
  return { ...rest, content: shapes(item['content']), summary: shapes(item['summary']) }
}

const running: ReadonlySet<unknown> = new Set(['in_progress', 'queued', 'searching'])

function judgeStatuses(collector: FindingCollector, outcome: StreamOutcome): void {
  const { items, finals, terminal, finalEvent } = outcome
  const say = (status: unknown, isWrong: boolean, why: string) => {
    if (isWrong) collector.broken('V3-SSE-20', `${why} ${show(status)}.`, finalEvent)
    else if (status != null)
      collector.held('V3-SSE-20', 'Items go from in_progress to a final status.')
  }
  for (const { added, done } of items) {
    const [before, after] = [added?.['status'], done?.['status']]
    if (before != null && before !== 'in_progress') {
      const why = `An item is added with the status ${show(before)}, not in_progress.`
      collector.broken('V3-SSE-20', why, finalEvent)
    }
    say(after, running.has(after), 'An item is done, but its status is')
  }
  if (terminal !== 'response.completed') return
  for (const { type, status } of finals) {
    const isFine = status == null || status === 'completed' || (status === 'failed' && isTool(type))
    say(status, !isFine, 'The status of an item in a completed response is')
  }
}

/** A failed search does not prevent a completed response. */
function isTool(type: unknown): boolean {
  return typeof type === 'string' && type.endsWith('_call') && type !== 'function_call'
}

function judgeArguments(collector: FindingCollector, outcome: StreamOutcome): void {
  const { items, finals, finalEvent } = outcome
  // If arguments differ between places, they need not be JSON in all of them.
  if (collector.isBroken('V3-SSE-18')) return
  const done = items.map((item) => item.done).filter(isObject)
  for (const item of done.length > 0 ? done : finals) {
    if (item['type'] !== 'function_call' || (item['status'] ?? 'completed') !== 'completed')
      continue
    const text = asString(item['arguments'])
    const isJson = text !== undefined && parseJson(text) !== undefined
    const why = `The arguments of ${show(item['name'])} are ${show(item['arguments'])}`
    const fault = !isJson && `${why}, which is not valid JSON.`
    collector.decide('V3-SSE-23', fault, `${why}.`, finalEvent)
  }
}
