import { asArray, asString, isObject, type JsonObject } from '../../../contract/json.ts'
import { itemsOf } from '../final-response.ts'
import type { FindingCollector } from '../finding-collector.ts'
import { agrees, show } from '../json.ts'
import { holdsAll, type StreamOutcome } from './event.ts'
import { finalOf, type ItemTrace, type SlotTrace } from './traces.ts'

/**
 * V3-SSE-28: annotations lie within their text, and whoever lists them lists those that were
 * announced. A stream of the five events of the document announces none and may list some.
 */
export function judgeAnnotations(
  collector: FindingCollector,
  items: readonly ItemTrace[],
  outcome: StreamOutcome,
  speaksFullGrammar: boolean,
): void {
  const finals = holdsAll(outcome) ? itemsOf(outcome.final) : []
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
  const texts = [
    slot.deltas.join(''),
    slot.text ?? '',
    ...parts.map((part) => asString(part['text']) ?? ''),
  ]
  return Math.max(...texts.map((text) => text.length))
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
