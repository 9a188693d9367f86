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
import {
  holdsAll,
  type ItemTrace,
  type SlotTrace,
  type StreamOutcome,
  streamedText,
} from './event.ts'
import { finalOf } from './output-items.ts'

/** Source of the content of a part. */
type Witness = 'the deltas' | 'the done event' | 'the part' | 'the done item' | 'the final response'

/**
 * V3-SSE-18: all sources of the text of a part show the same. If the answer itself differs from its deltas
 * (V3-SSE-17), deltas and final response are excluded for texts, as either may be wrong: the other sources
 * still have to agree with each other.
 */
export function judgeAgreement(collector: FindingCollector, outcome: StreamOutcome): void {
  // If indexes and ids contradict each other, texts cannot be assigned to parts.
  if (collector.isBroken('V3-SSE-14')) return
  const { items, finals } = outcome
  const disputed = collector.isBroken('V3-SSE-17')
  for (const [at, item] of items.entries()) {
    const final = finalOf(item, at, finals)
    for (const slot of item.slots) {
      const all = accountsOf(item, slot, final)
      const others = all.filter(([witness]) => !ofAnswer.has(witness))
      const isAnswer = slot.type === 'output_text'
      const accounts = isAnswer && (disputed || others.length === 0) ? others : all
      const [first, ...rest] = accounts
      if (first === undefined || rest.length === 0) continue
      const other = rest.find(([, text]) => text !== first[1])
      if (other === undefined) {
        const witnesses = accounts.map(([witness]) => witness)
        collector.held('V3-SSE-18', `${witnesses.join(', ')} agree.`)
        continue
      }
      const texts = `${show(first[1])} by ${first[0]} and ${show(other[1])} by ${other[0]}`
      const what = `${slot.type ?? slot.place} of item ${item.index}`
      collector.broken('V3-SSE-18', `The ${what} is ${texts}.`, outcome.finalEvent)
    }
  }
}

/** Sources whose texts of an answer V3-SSE-17 compares. */
const ofAnswer: ReadonlySet<Witness> = new Set(['the deltas', 'the final response'])

type Account = readonly [Witness, string]

function accountsOf(item: ItemTrace, slot: SlotTrace, final: JsonObject | undefined): Account[] {
  // Without deltas the text is empty, if any text was streamed.
  const streamed = slot.deltas.length > 0 || slot.textEnded || slot.part !== undefined
  const deltas = streamed && !slot.spoiled ? streamedText(slot) : undefined
  const accounts: readonly (readonly [Witness, string | undefined])[] = [
    ['the deltas', deltas],
    ['the done event', slot.text],
    ['the part', slot.part && textOfPart(slot.part)],
    ['the done item', item.done && shownBy(item.done, slot)],
    ['the final response', final && shownBy(final, slot)],
  ]
  return accounts.filter((account): account is Account => account[1] !== undefined)
}

/** Content of a part in an item; undefined if the item may lack it. */
function shownBy(item: JsonObject, { place, ordinal, type }: SlotTrace): string | undefined {
  if (place === 'arguments') return asString(item['arguments'])
  const parts = item[place]
  if (!Array.isArray(parts)) return undefined
  // Items need not show their reasoning: it may be encrypted, or only summarized.
  if (type === 'reasoning_text' && parts.length === 0) return undefined
  const part = asObject(asArray(parts)[ordinal])
  return part === undefined ? '' : textOfPart(part)
}

function textOfPart(part: JsonObject): string | undefined {
  return asString(part['text']) ?? asString(part['refusal'])
}

/** V3-SSE-28: annotations lie within their text, and every list of them contains those that were announced. */
export function judgeAnnotations(collector: FindingCollector, outcome: StreamOutcome): void {
  const { items, finals, speaksFullGrammar } = outcome
  for (const [at, item] of items.entries()) {
    const final = finalOf(item, at, finals)
    for (const slot of item.slots.filter(({ type }) => type === 'output_text')) {
      const wholes = [item.done, final].map((one) => asArray(one?.['content'])[slot.ordinal])
      const parts = [slot.part, ...wholes].filter(isObject)
      const lists = parts.map((part) => asArray(part['annotations']).filter(isObject))
      const texts = [streamedText(slot), slot.text, ...parts.map(({ text }) => asString(text))]
      const length = Math.max(...texts.map((text = '') => text.length))
      const outside = [slot.annotations, ...lists].flat().find((one) => !isWithin(one, length))
      // A stream of the five documented events announces none and may list some.
      const isAnnounced = slot.annotations.length > 0 || speaksFullGrammar
      const other = isAnnounced && lists.find((list) => !agrees(list, slot.annotations))
      const fault = outside
        ? `The annotation ${show(outside)} lies outside its text of ${length} characters.`
        : other &&
          `${slot.annotations.length} annotations were announced, but the text lists ${show(other)}.`
      if (fault) collector.broken('V3-SSE-28', fault, outcome.finalEvent)
      else if ([slot.annotations, ...lists].some((list) => list.length > 0)) {
        collector.held('V3-SSE-28', 'Annotations lie within the text and are listed as announced.')
      }
    }
  }
}

function isWithin(annotation: JsonObject, length: number): boolean {
  const { index, start_index: start, end_index: end } = annotation
  const offsets = [index, start, end].filter((offset) => offset != null)
  return (
    offsets.every((offset) => typeof offset === 'number' && offset >= 0 && offset <= length) &&
    (start == null || end == null || Number(start) <= Number(end))
  )
}

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
    const why = `output[${at}] is ${show(there)}; the completed item is ${show(item.done)}.`
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
    // A failed search does not prevent a completed response.
    const isTool = typeof type === 'string' && type.endsWith('_call') && type !== 'function_call'
    const isFine = status == null || status === 'completed' || (status === 'failed' && isTool)
    say(status, !isFine, 'The status of an item in a completed response is')
  }
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
