import { asArray, asObject, asString, isObject, type JsonObject } from '../../../contract/json.ts'
import type { FindingCollector } from '../finding-collector.ts'
import { agrees, show } from '../json.ts'
import type { ItemTrace, SlotTrace, StreamOutcome } from './event.ts'
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
      judgeSlot(collector, `${slot.type ?? slot.place} of item ${item.index}`, accounts, outcome)
    }
  }
}

/** Sources whose texts of an answer V3-SSE-17 compares. */
const ofAnswer: ReadonlySet<Witness> = new Set(['the deltas', 'the final response'])

type Account = readonly [Witness, string]

function judgeSlot(
  collector: FindingCollector,
  what: string,
  accounts: readonly Account[],
  outcome: StreamOutcome,
): void {
  const [first, ...others] = accounts
  if (first === undefined || others.length === 0) return
  const other = others.find(([, text]) => text !== first[1])
  if (other === undefined) {
    collector.held('V3-SSE-18', `${accounts.map(([witness]) => witness).join(', ')} agree.`)
    return
  }
  const why = `The ${what} is ${show(first[1])} by ${first[0]} and ${show(other[1])} by ${other[0]}.`
  collector.broken('V3-SSE-18', why, outcome.finalEvent)
}

function accountsOf(item: ItemTrace, slot: SlotTrace, final: JsonObject | undefined): Account[] {
  // Without deltas the text is empty, if any text was streamed.
  const streamed = slot.deltas.length > 0 || slot.textEnded || slot.part !== undefined
  const deltas = streamed && !slot.spoiled ? slot.deltas.join('') : undefined
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

/**
 * V3-SSE-28: annotations lie within their text, and every list of them contains those that were announced. A
 * stream of the five documented events announces none and may list some.
 */
export function judgeAnnotations(collector: FindingCollector, outcome: StreamOutcome): void {
  const { items, finals, speaksFullGrammar } = outcome
  for (const [at, item] of items.entries()) {
    const final = finalOf(item, at, finals)
    for (const slot of item.slots.filter(({ type }) => type === 'output_text')) {
      const parts = shownParts(item, slot, final)
      const lists = parts.map((part) => asArray(part['annotations']).filter(isObject))
      const fault =
        outsideFault([slot.annotations.filter(isObject), ...lists].flat(), longest(slot, parts)) ??
        listFault(slot.annotations, lists, speaksFullGrammar)
      if (fault !== undefined) collector.broken('V3-SSE-28', fault, outcome.finalEvent)
      else if (slot.annotations.length > 0 || lists.some((list) => list.length > 0)) {
        collector.held('V3-SSE-28', 'Annotations lie within the text and are listed as announced.')
      }
    }
  }
}

function shownParts(item: ItemTrace, slot: SlotTrace, final: JsonObject | undefined): JsonObject[] {
  const inItem = (value: JsonObject | undefined) => asArray(value?.['content'])[slot.ordinal]
  return [slot.part, inItem(item.done), inItem(final)].filter(isObject)
}

function longest(slot: SlotTrace, parts: readonly JsonObject[]): number {
  const texts = [slot.deltas.join(''), slot.text, ...parts.map((part) => asString(part['text']))]
  return Math.max(...texts.map((text = '') => text.length))
}

function outsideFault(annotations: readonly JsonObject[], length: number): string | undefined {
  for (const annotation of annotations) {
    const { index, start_index: start, end_index: end } = annotation
    const offsets = [index, start, end].filter((offset) => offset != null)
    const isInside = offsets.every(
      (offset) => typeof offset === 'number' && offset >= 0 && offset <= length,
    )
    if (!isInside || (start != null && end != null && Number(start) > Number(end))) {
      return `The annotation ${show(annotation)} lies outside its text of ${length} characters.`
    }
  }
  return undefined
}

function listFault(
  announced: readonly unknown[],
  lists: readonly (readonly unknown[])[],
  speaksFullGrammar: boolean,
): string | undefined {
  if (announced.length === 0 && !speaksFullGrammar) return undefined
  const other = lists.find((list) => !agrees(list, announced))
  return (
    other && `${announced.length} annotations were announced, but the text lists ${show(other)}.`
  )
}
