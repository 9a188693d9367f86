import { asArray, asObject, asString, type JsonObject } from '../../../contract/json.ts'
import { asIndex } from '../json.ts'
import {
  type Complaint,
  type EventKind,
  ItemTrace,
  type Place,
  type ResponseEvent,
  SlotTrace,
} from './event.ts'

/**
 * Finds an item in the final response: the one with the same id, or the one in the same place. A stream of
 * few events may show items that its final response omits.
 */
export function finalOf(
  item: ItemTrace,
  place: number,
  finals: readonly JsonObject[],
): JsonObject | undefined {
  const named = finals.find(({ id }) => id !== undefined && id === item.id)
  const placed = finals[place]
  const fits = item.type === undefined || placed?.['type'] === item.type
  return named ?? (fits ? placed : undefined)
}

/**
 * Finds the item that an event belongs to, by output_index and item_id, and reports contradictions between
 * them (V3-SSE-14). It always finds one: a wrong index is one fault, and the content of the event still
 * belongs to some item.
 */
export class OutputItems {
  readonly items: ItemTrace[] = []
  readonly #complain: (complaint: Complaint) => void

  constructor(complain: (complaint: Complaint) => void) {
    this.#complain = complain
  }

  /** The item of an output_item.added. */
  add({ json, index: event }: ResponseEvent): ItemTrace {
    const item = asObject(json['item'])
    const id = asString(item?.['id'])
    const index = asIndex(json['output_index'])
    const next = this.items.length
    if (item === undefined) {
      const why = 'output_item.added has no item.'
      this.#complain({ requirement: 'V3-SSE-13', why, event, only: 'full' })
    }
    const there = this.#at(index)
    // It was used before it was added, which is already reported.
    if (there !== undefined && there.added === undefined) return fill(there, item)
    const duplicate = there ?? this.#withId(id)
    if (duplicate !== undefined) {
      const same = there !== undefined && (id === undefined || id === there.id)
      const why = same
        ? `The item at output_index ${index} is added twice.`
        : `The item ${id} is added at output_index ${index}, after ${duplicate.id} at ${duplicate.index}.`
      this.#complain({ requirement: same ? 'V3-SSE-13' : 'V3-SSE-14', why, event })
      if (same) return there
    } else if (index !== undefined && index !== next) {
      const why = `An item is added at output_index ${index}; ${next} is the next.`
      this.#complain({ requirement: 'V3-SSE-14', why, event, gapBefore: index })
    }
    return fill(this.#create(duplicate === undefined ? (index ?? next) : next), item)
  }

  /** The item of any other event; `isNew` if no earlier event named it. */
  find(
    { json, index: event }: ResponseEvent,
    kind: EventKind,
  ): { readonly item: ItemTrace; readonly isNew: boolean } {
    const index = asIndex(json['output_index'])
    const id = asString(json['item_id']) ?? asString(asObject(json['item'])?.['id'])
    const at = this.#at(index)
    const named = this.#withId(id)
    if (at !== undefined && id !== undefined && at.id === undefined) at.id = id
    const item =
      named ?? at ?? (index === undefined && id === undefined ? this.#likely(kind) : undefined)
    if (item === undefined) {
      const opened = this.#create(index ?? this.items.length)
      opened.id = id
      return { item: opened, isNew: true }
    }
    const wrongIndex = index !== undefined && item.index !== index
    const wrongId = id !== undefined && item.id !== id
    if (wrongIndex || wrongId) {
      const why = `output_index ${index} comes with ${id}; ${item.id} is at output_index ${item.index}.`
      this.#complain({ requirement: 'V3-SSE-14', why, event })
    }
    return { item, isNew: false }
  }

  #at(index: number | undefined): ItemTrace | undefined {
    return index === undefined ? undefined : this.items.find((item) => item.index === index)
  }

  #withId(id: string | undefined): ItemTrace | undefined {
    return id === undefined ? undefined : this.items.find((item) => item.id === id)
  }

  /** Item of an event that names none: the last one that fits. */
  #likely({ item: type }: EventKind): ItemTrace | undefined {
    const fits = (item: ItemTrace) =>
      type === undefined || item.type === undefined || item.type === type
    return (
      this.items.findLast((item) => fits(item) && item.done === undefined) ??
      this.items.findLast(fits)
    )
  }

  #create(index: number): ItemTrace {
    const item = new ItemTrace(index)
    this.items.push(item)
    return item
  }
}

function fill(trace: ItemTrace, item: JsonObject | undefined): ItemTrace {
  trace.added = item ?? {}
  trace.id = asString(item?.['id']) ?? trace.id
  trace.type = asString(item?.['type'])
  return trace
}

/**
 * Finds the part that an event belongs to, and reports whether its index contradicts the order of parts
 * (V3-SSE-16) or no part was added for it (V3-SSE-13).
 */
export function slotOf(
  item: ItemTrace,
  kind: EventKind,
  { json, index: event, name }: ResponseEvent,
  complain: (complaint: Complaint) => void,
): SlotTrace | undefined {
  const { place } = kind
  if (place === undefined) return undefined
  const slots = item.slots.filter((slot) => slot.place === place)
  if (place === 'arguments') return slots[0] ?? open(item, place, 0, slots.length, undefined)
  const indexName = place === 'summary' ? 'summary_index' : 'content_index'
  const index = asIndex(json[indexName])
  const exact = slots.find((slot) => slot.index === index)
  const next = slots.length
  const type = kind.part ?? asString(asObject(json['part'])?.['type'])
  const notNext = {
    requirement: 'V3-SSE-16',
    why: `${indexName} is ${index}; ${next} is the next of this item.`,
    event,
  } as const
  if (kind.act === 'add part') {
    if (exact?.added) {
      const why = `The part at ${indexName} ${index} is added twice.`
      complain({ requirement: 'V3-SSE-13', why, event })
    } else if (exact === undefined && index !== undefined && index !== next) complain(notNext)
    const slot = exact ?? open(item, place, index ?? next, next, type)
    slot.added = true
    return slot
  }
  if (exact !== undefined) return exact
  const running = slots.findLast((slot) => slot.added && slot.part === undefined)
  if (running !== undefined && (type === undefined || running.type === type)) {
    if (index !== undefined) {
      const why = `${indexName} is ${index} in ${name}; the open part has ${running.index}.`
      complain({ requirement: 'V3-SSE-16', why, event })
    }
    return running
  }
  const last = slots.at(-1)
  if (index === undefined && last !== undefined) return last
  const why = `${name} occurs for a part that was not added; clients cannot assign it.`
  complain({ requirement: 'V3-SSE-13', why, event, only: 'full' })
  if (index !== undefined && index !== next) complain({ ...notNext, only: 'minimal' })
  return open(item, place, index ?? next, next, type)
}

/** Parts that an item already contains when it is added. */
export function openShownParts(item: ItemTrace): void {
  for (const [at, part] of asArray(item.added?.['content']).entries()) {
    open(item, 'content', at, at, asString(asObject(part)?.['type'])).added = true
  }
}

function open(
  item: ItemTrace,
  place: Place,
  index: number,
  ordinal: number,
  type: string | undefined,
): SlotTrace {
  const slot = new SlotTrace(place, index, ordinal, type)
  item.slots.push(slot)
  return slot
}
